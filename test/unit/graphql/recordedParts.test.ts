/** Recorded GraphQL queries on a chain whose pool, submission and synchronisation are supplied by the test. */
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { GraphqlService } from '../../../src/graphql/graphqlService.ts'
import type { RpcBackend } from '../../../src/rpc/backend.ts'
import type { PooledTransaction } from '../../../src/txpool/contract.ts'
import { TEST_CLOCK } from '../../support/chains/testChain.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'
import { compareGraphql, graphqlCases } from '../../support/recorded/recordedGraphql.ts'
import { openRecordedChain } from '../../support/recorded/recordedRpc.ts'

const FOLDER = 'besu/frontier'
const genesisFile = recordedPath(FOLDER, 'genesis.json')
const cases = graphqlCases(FOLDER, 'mocked')

const WAITING = { transaction: { nonce: 42n, gasLimit: 654_321n }, sequence: 0 } as unknown as PooledTransaction

function partsOf({ node, pool }: RpcBackend): Partial<RpcBackend> {
  return {
    node: { ...node, syncStatus: { startingBlock: 1n, currentBlock: 2n, highestBlock: 3n } },
    pool: { ...pool, size: 0, transactions: () => [WAITING] } as RpcBackend['pool'],
    submission: {
      submitRaw: async (raw) => ({ kind: 'accepted', hash: keccak256(raw) }),
      submit: () => Promise.reject(new Error('not needed')),
    },
  }
}

describe('recorded GraphQL answers with supplied parts', () => {
  it.each(cases)('$name $query', { timeout: 60_000 }, async (entry) => {
    const { backend } = await openRecordedChain({
      genesisFile,
      blocksFile: recordedPath(FOLDER, 'blocks.bin'),
    })
    const parts = { ...backend, ...partsOf(backend) }
    const service = new GraphqlService({ backend: parts, clock: TEST_CLOCK, logger: silentLogger })
    const { query, variables } = entry
    const { status, body } = await service.answer({ query, variables, operationName: undefined })
    expect(compareGraphql(entry, status, JSON.parse(body))).toBeUndefined()
  })
})

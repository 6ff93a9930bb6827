// slow: recorded requests
/** Recorded chains: GraphQL queries are answered as recorded. */
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { GraphqlService } from '../../../src/graphql/graphqlService.ts'
import { TEST_CLOCK } from '../../support/chains/testChain.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'
import { compareGraphql, graphqlCases } from '../../support/recorded/recordedGraphql.ts'
import { openRecordedChain } from '../../support/recorded/recordedRpc.ts'

interface RecordedSet {
  readonly folder: string
  readonly networkId?: bigint
  /** Cases that are known to differ, with the reason. */
  readonly deviations: Readonly<Record<string, string>>
}

const SETS: readonly RecordedSet[] = [
  {
    folder: 'besu/frontier',
    networkId: 123n,
    deviations: {
      eth_getBalance_invalidAccountLatest:
        'an absent account has balance 0x0, as recorded on the newer chain and as eth_getBalance answers',
    },
  },
  { folder: 'besu/shanghai', deviations: {} },
]

for (const { folder, networkId, deviations } of SETS) {
  const genesisFile = recordedPath(folder, 'genesis.json')
  describe(`recorded GraphQL answers: ${folder}`, () => {
    const open = async (): Promise<GraphqlService> => {
      const { backend } = await openRecordedChain({
        genesisFile,
        blocksFile: recordedPath(folder, 'blocks.bin'),
        networkId,
        minGasPrice: 0n,
      })
      return new GraphqlService({ backend, clock: TEST_CLOCK, logger: silentLogger })
    }
    let opened: Promise<GraphqlService> | undefined
    for (const entry of graphqlCases(folder)) {
      it(entry.name, async () => {
        opened ??= open()
        const service = await opened
        const { query, variables } = entry
        const { status, body } = await service.answer({ query, variables, operationName: undefined })
        const difference = compareGraphql(entry, status, JSON.parse(body))
        const deviation = deviations[entry.name]
        if (deviation === undefined) expect(difference).toBeUndefined()
        else expect(difference, `now as recorded, although: ${deviation}`).toBeDefined()
      })
    }
  })
}

// slow: recorded requests
/** Recorded chains: GraphQL queries are answered as recorded. */
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { GraphqlService } from '../../../src/graphql/graphqlService.ts'
import { TEST_CLOCK } from '../../support/chains/testChain.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'
import { compareGraphql, deviationOf, graphqlCases } from '../../support/recorded/recordedGraphql.ts'
import { openRecordedChain } from '../../support/recorded/recordedRpc.ts'

interface RecordedSet {
  readonly folder: string
  readonly networkId?: bigint
}

const SETS: readonly RecordedSet[] = [{ folder: 'besu/frontier', networkId: 123n }, { folder: 'besu/shanghai' }]

for (const { folder, networkId } of SETS) {
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
        const deviation = deviationOf(folder, entry)
        if (deviation === undefined) expect(difference).toBeUndefined()
        else expect(difference, `now as recorded, although: ${deviation}`).toBeDefined()
      })
    }
  })
}

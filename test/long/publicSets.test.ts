/** All blocks of the public benchmark sets; the reference EVM executes those of the Execution Spec Tests at 1 Mgas. */
import { describe, expect, it } from 'vitest'
import { installNodePrecompiles } from '../../adapters/server/crypto/precompiles.ts'
import { loadReferenceEvm } from '../../src/evm/loadReferenceEvm.ts'
import { testClock } from '../support/evm/evm.ts'
import { loadTestNativeEvm } from '../support/evm/testEvm.ts'
import { needsSets } from '../support/host/needsData.ts'
import { setsFolder } from '../support/recorded/conformance.ts'
import { eestBlocks, mainnetBlocks, type SetBlock } from '../support/recorded/publicSets.ts'
import { differences, PreparedSetBlock } from '../support/recorded/setExecution.ts'
import { longCount } from './count.ts'

const TIMEOUT_MS = 7_200_000
const folder = setsFolder() as string

describe.each([
  ['native', loadTestNativeEvm, undefined],
  ['reference', loadReferenceEvm, 1],
] as const)('public sets with the %s EVM', needsSets, (_, loadEvm, megagas) => {
  /** @returns what differs in the first blocks */
  async function checked(blocks: AsyncIterable<SetBlock> | Iterable<SetBlock>): Promise<string[]> {
    installNodePrecompiles()
    const evm = await loadEvm(testClock)
    const found: string[] = []
    let count = 0
    for await (const block of blocks) {
      const prepared = await PreparedSetBlock.open(block, evm)
      const result = await prepared.execute(prepared.begin())
      found.push(...differences(block, result).map((difference) => `${block.name}: ${difference}`))
      if (++count === longCount) break
    }
    expect(count).toBeGreaterThan(0)
    return found
  }

  it('main network', { timeout: TIMEOUT_MS }, async () => {
    expect(await checked(mainnetBlocks(folder))).toEqual([])
  })

  it('Execution Spec Tests', { timeout: TIMEOUT_MS }, async () => {
    expect(await checked(eestBlocks(folder, '', megagas))).toEqual([])
  })
})

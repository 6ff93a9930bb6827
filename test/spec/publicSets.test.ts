/** Small blocks of the public benchmark sets; `test/bench/sets/run.mjs` runs all of them. */
import { describe, expect, it } from 'vitest'
import { loadReferenceEvm } from '../../src/evm/loadReferenceEvm.ts'
import { testClock } from '../support/evm/evm.ts'
import { loadTestNativeEvm } from '../support/evm/testEvm.ts'
import { needsSets } from '../support/host/needsData.ts'
import { setsFolder } from '../support/recorded/conformance.ts'
import { eestBlocks, mainnetBlocks, type SetBlock } from '../support/recorded/publicSets.ts'
import { differences, PreparedSetBlock } from '../support/recorded/setExecution.ts'

const folder = setsFolder()

/** Frontier, Spurious Dragon, Petersburg, Paris, Shanghai and Cancun. */
const MAINNET = ['930196', '2688148', '9068998', '17034869', '19426587', '19933122']
const EEST = /^(?:shifts|storage_access_warm|selfdestruct_created|sha256_fixed_size|p256verify|empty_block)/

describe.each([
  ['native', loadTestNativeEvm],
  ['reference', loadReferenceEvm],
] as const)('public sets with the %s EVM', needsSets, (_, loadEvm) => {
  const evm = loadEvm(testClock)

  async function differencesOf(block: SetBlock): Promise<string[]> {
    const prepared = await PreparedSetBlock.open(block, await evm)
    return differences(block, await prepared.execute(prepared.begin()))
  }

  it.each(MAINNET)('gas, receipts and bloom of block %s of the main network', async (number) => {
    const names: string[] = []
    for await (const block of mainnetBlocks(folder as string, number)) {
      names.push(block.name)
      expect(await differencesOf(block)).toEqual([])
    }
    expect(names).toEqual([number])
  })

  it('hashes of blocks that repeat an opcode or a precompile', async () => {
    const found: string[] = []
    for (const block of eestBlocks(folder as string, '', 1)) {
      if (!EEST.test(block.name)) continue
      found.push(block.name)
      expect(await differencesOf(block), block.name).toEqual([])
    }
    expect(found).toHaveLength(15)
  })
})

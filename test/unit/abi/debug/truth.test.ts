// slow: compiled contracts
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem'
import { describe, expect, it } from 'vitest'
import { truthOf } from '../../../support/debug/truth.ts'
import { typeContracts } from '../../../support/debug/typeContracts.ts'

const FLOW = readFileSync(path.resolve(import.meta.dirname, '../../../fixtures/debug/Flow.sol'), 'utf8')
const ABI = parseAbi(['function run(uint256 seed, string label)', 'function loops(uint256, uint16[])'])
const RUN = encodeFunctionData({ abi: ABI, functionName: 'run', args: [300n, 'a label'] })
const LOOPS = encodeFunctionData({ abi: ABI, functionName: 'loops', args: [299n, [4, 5]] })
const FALLBACKS = ['0xffffffff0102', '0x0102', '0x'] as const
const constructorData = encodeAbiParameters(parseAbiParameters('uint256, string'), [41n, 'x'.repeat(40)]).slice(2)
const TYPES = typeContracts()
const PAIR = TYPES.find(({ type }) => type === 'Pair')
const EXTERNAL_FUNCTION = TYPES.find(({ type }) => type.startsWith('function') && type.includes('external'))

/** All types, both code generators and the optimiser are in test/long/debuggerTruth.test.ts. */
describe('variables before each statement', () => {
  // The compiler works for a quarter of a minute if it has not yet compiled the contract.
  const first = { timeout: 240_000 }
  it('are those that the code itself reports, in constructors, modifiers, loops, try and fallback', first, async () => {
    const calls = [RUN, LOOPS, ...FALLBACKS]
    const truth = await truthOf(FLOW, 'Flow', { constructorData, calls })
    expect(truth.wrong).toEqual([])
    expect(truth.missing).toEqual([])
    expect(truth.byRole.local.known).toBeGreaterThan(150)
    expect(truth.byRole.state.known).toBeGreaterThan(1_500)
  })

  it('are those that the code itself reports, for structs, by computed layouts', async () => {
    const truth = await truthOf(PAIR?.source ?? '', 'Types', { calls: [PAIR?.call ?? '0x'], hasLayouts: false })
    expect(truth.wrong).toEqual([])
    expect(truth.missing).toEqual([])
  })

  it('are those that the code itself reports, for external functions, in memory too', async () => {
    const truth = await truthOf(EXTERNAL_FUNCTION?.source ?? '', 'Types', { calls: [EXTERNAL_FUNCTION?.call ?? '0x'] })
    expect(truth.wrong).toEqual([])
    expect(truth.missing).toEqual([])
    expect(truth.byRole.local.known).toBeGreaterThan(20)
  })
})

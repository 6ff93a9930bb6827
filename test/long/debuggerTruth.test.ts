/**
 * Variables of the debugger beside those that instrumented code reports, for all types, with both code generators.
 * ISONODE_LONG_COUNT is the number of types.
 */
import { describe, expect, it } from 'vitest'
import { truthOf } from '../support/debug/truth.ts'
import { typeContracts } from '../support/debug/typeContracts.ts'
import { longCount } from './count.ts'

const PIPELINES: readonly { readonly name: string; readonly settings: object }[] = [
  { name: 'legacy', settings: {} },
  { name: 'optimised', settings: { optimizer: { enabled: true, runs: 200 } } },
  { name: 'IR', settings: { viaIR: true } },
  { name: 'optimised IR', settings: { viaIR: true, optimizer: { enabled: true, runs: 200 } } },
]

describe.each(PIPELINES)('with the $name code generator', ({ name, settings }) => {
  const isIR = name.endsWith('IR')
  const contracts = typeContracts()
    .filter(({ needsIR }) => isIR || !needsIR)
    .slice(0, longCount)
  const totals = { state: [0, 0], parameter: [0, 0], result: [0, 0], local: [0, 0] }

  it.each(contracts)('no value of type $type is wrong', async ({ source, call }) => {
    for (const hasLayouts of [true, false]) {
      const truth = await truthOf(source, 'Types', { calls: [call], settings, hasLayouts })
      expect(truth.wrong).toEqual([])
      expect(truth.byRole.state.unknown).toBe(0)
      if (name === 'legacy') expect(truth.missing).toEqual([])
      for (const role of ['state', 'parameter', 'result', 'local'] as const) {
        totals[role][0] = (totals[role][0] ?? 0) + truth.byRole[role].known
        totals[role][1] = (totals[role][1] ?? 0) + truth.byRole[role].unknown
      }
    }
    console.info(name, JSON.stringify(totals))
  })
})

import { describe, expect, it } from 'vitest'
import type { Ask } from '../../../../../adapters/page/rpc/ask.ts'
import { MOVES, openingStep, type Standpoint, search } from '../../../../../adapters/page/views/debug/moves.ts'
import type { FoundStep, Moment, Step, Where } from '../../../../../adapters/page/views/debug/types.ts'

const TARGET = `0x${'11'.repeat(32)}` as const
const step: Step = { index: 40, pc: 7, op: 'ADD', gas: 100, gasCost: 3, depth: 2, frame: 1, refund: 0 }
const place = { name: 'Vault', path: 'Vault.sol', line: 3, column: 1, length: 4 }

function moment(changes: Partial<Moment> = {}): Moment {
  return {
    step: 40,
    frame: 1,
    depth: 4,
    source: place,
    functions: [],
    state: [],
    locals: [],
    results: [],
    lines: [],
    pushedBy: [],
    notes: [],
    ...changes,
  }
}

function conditions(id: string, from: Partial<Standpoint> = {}): readonly Where[] {
  const move = MOVES.find((one) => one.id === id)
  return move?.where({ step, moment: moment(), isMomentAwaited: false, breakpoints: [], ...from }) ?? []
}

/** Answers each search by its condition. */
function answering(answers: (where: Where) => number | null | Error): { ask: Ask; asked: unknown[] } {
  const asked: unknown[] = []
  const ask = (async (_method: string, _target: unknown, options: { readonly where: Where }) => {
    asked.push(options)
    const index = answers(options.where)
    if (index instanceof Error) throw index
    return index === null ? null : ({ index, pc: 0, op: 'STOP', depth: 1, frame: 0 } satisfies FoundStep)
  }) as Ask
  return { ask, asked }
}

describe('moves of the debugger', () => {
  it('go by lines and functions where a line is known', () => {
    expect(conditions('into')).toEqual([{ newLine: true }])
    expect(conditions('over')).toEqual([{ newLine: true, maxFunctionDepth: 4 }])
    expect(conditions('out')).toEqual([{ maxFunctionDepth: 3 }])
  })

  it('go by opcodes and calls without a source', () => {
    const from = { moment: undefined }
    expect(conditions('into', from)).toEqual([{}])
    expect(conditions('over', from)).toEqual([{ depth: { max: 2 } }])
    expect(conditions('out', from)).toEqual([{ depth: { max: 1 } }])
  })

  it('go to the first line from code that the compiler put before it', () => {
    const variable = { name: 'total', type: 'uint256', text: '1', known: true }
    const from = { moment: moment({ source: null, state: [variable] }) }
    expect(conditions('into', from)).toEqual([{ newLine: true }])
    expect(conditions('over', from)).toEqual([{ newLine: true, depth: { max: 2 } }])
  })

  it('have no key twice', () => {
    const keys = MOVES.flatMap((move) => [...move.keys.forward, ...move.keys.backward])
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe('a search', () => {
  const where: Where[] = [{ function: 'near' }, { function: 'far' }, { function: 'none' }]
  const { ask } = answering(({ function: name }) => (name === 'near' ? 50 : name === 'far' ? 90 : null))

  it('takes the nearest of several conditions', async () => {
    expect(await search(ask, TARGET, 40, 'forward', where)).toBe(50)
    expect(await search(ask, TARGET, 99, 'backward', where)).toBe(90)
  })

  it('finds nothing when no condition is met', async () => {
    expect(await search(ask, TARGET, 40, 'forward', [{ function: 'none' }])).toBeUndefined()
  })
})

describe('the debugger opens', () => {
  it('at the failure', async () => {
    const { ask, asked } = answering(({ failure }) => (failure ? 746 : null))
    expect(await openingStep(ask, TARGET)).toBe(746)
    expect(asked).toEqual([{ from: 'end', direction: 'backward', where: { failure: true } }])
  })

  it('otherwise at the first line', async () => {
    const { ask } = answering(({ newLine }) => (newLine ? 165 : null))
    expect(await openingStep(ask, TARGET)).toBe(165)
  })

  it('otherwise at the first step, also on a node that knows no lines', async () => {
    const { ask } = answering(({ newLine }) => (newLine ? new Error('unknown condition') : null))
    expect(await openingStep(ask, TARGET)).toBe(0)
  })
})

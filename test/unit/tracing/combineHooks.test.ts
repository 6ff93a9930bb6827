import { describe, expect, it } from 'vitest'
import type { CallStart, ExecutionHooks, FrameView } from '../../../src/evm/hooks.ts'
import { combineHooks } from '../../../src/tracing/combineHooks.ts'

const frame = (opcode: number): FrameView => ({ opcode }) as FrameView
const call = { depth: 0 } as CallStart

function mask(...opcodes: readonly number[]): Uint8Array {
  const flags = new Uint8Array(256)
  for (const opcode of opcodes) flags[opcode] = 1
  return flags
}

/** Hooks that record their calls. */
function noting(name: string, seen: string[], rest: ExecutionHooks = {}): ExecutionHooks {
  return {
    enter: () => void seen.push(`${name} enter`),
    step: ({ opcode }) => void seen.push(`${name} ${opcode}`),
    ...rest,
  }
}

describe('combined hooks', () => {
  it('are called in order', () => {
    const seen: string[] = []
    combineHooks([noting('a', seen), noting('b', seen)])?.enter?.(call)
    expect(seen).toEqual(['a enter', 'b enter'])
  })

  it('merge the observed opcodes, and show each tracer its own', () => {
    const seen: string[] = []
    const hooks = combineHooks([noting('a', seen, { opcodes: mask(1, 2) }), noting('b', seen, { opcodes: mask(2, 3) })])
    expect(hooks?.opcodes).toEqual(mask(1, 2, 3))
    for (const opcode of [1, 2, 3]) hooks?.step?.(frame(opcode))
    expect(seen).toEqual(['a 1', 'a 2', 'b 2', 'b 3'])
  })

  it('see every opcode if one tracer does', () => {
    const seen: string[] = []
    const whole = noting('b', seen, { stepEnd: () => void seen.push('b end') })
    const hooks = combineHooks([noting('a', seen, { opcodes: mask(1) }), whole])
    expect(hooks).not.toHaveProperty('opcodes')
    hooks?.step?.(frame(7))
    hooks?.stepEnd?.(frame(7), 3, 0, undefined)
    expect(seen).toEqual(['b 7', 'b end'])
  })

  it('report stepEnd to a tracer without step', () => {
    const ends = combineHooks([{ stepEnd: () => {} }, { step: () => {}, opcodes: mask(1) }])
    expect(ends).not.toHaveProperty('opcodes')
  })

  it('request no steps when no tracer does', () => {
    const hooks = combineHooks([{ enter: () => {} }, { exit: () => {} }])
    expect(Object.keys(hooks ?? {}).sort()).toEqual(['enter', 'exit'])
  })

  it('are full while one tracer is', async () => {
    let room: (() => void) | undefined
    const drained = new Promise<void>((resolve) => {
      room = resolve
    })
    const hooks = combineHooks([{ isFull: () => false }, { isFull: () => true, drained: () => drained }])
    expect(hooks?.isFull?.()).toBe(true)
    const waiting = hooks?.drained?.()
    room?.()
    await waiting
  })

  it("return a single tracer's hooks unchanged, and undefined for none", () => {
    const only: ExecutionHooks = { enter: () => {} }
    expect(combineHooks([only])).toBe(only)
    expect(combineHooks([])).toBeUndefined()
  })
})

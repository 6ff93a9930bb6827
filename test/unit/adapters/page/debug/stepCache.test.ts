import { describe, expect, it } from 'vitest'
import type { Ask } from '../../../../../adapters/page/rpc/ask.ts'
import { StepCache, WINDOW_STEPS } from '../../../../../adapters/page/views/debug/stepCache.ts'
import type { Frame, Step, StepWindow } from '../../../../../adapters/page/views/debug/types.ts'

const TARGET = `0x${'11'.repeat(32)}` as const
const WORD = `0x${'ff'.repeat(32)}` as const

const frame: Frame = {
  id: 0,
  parent: null,
  type: 'CALL',
  address: '0x1',
  codeAddress: '0x1',
  caller: '0x2',
  value: '0x0',
  gas: 100,
  input: '0x',
  inputSize: 0,
  firstStep: 0,
  lastStep: null,
  output: null,
  error: null,
}

/** A node that has a trace of some length. @param most steps of an answer */
function node(total: number, { words = 1, most = WINDOW_STEPS } = {}): { ask: Ask; asked: number[] } {
  const asked: number[] = []
  const ask = (async (_method: string, _target: unknown, options: { from: number; count: number }) => {
    asked.push(options.from)
    const end = Math.min(total, options.from + Math.min(options.count, most))
    const steps = Array.from({ length: Math.max(0, end - options.from) }, (_, i) => stepAt(options.from + i, words))
    const isEnd = end >= total
    return {
      from: options.from,
      steps,
      total: isEnd ? total : null,
      frames: [frame],
      failed: null,
    } satisfies StepWindow
  }) as Ask
  return { ask, asked }
}

function stepAt(index: number, words: number): Step {
  const stack = new Array<typeof WORD>(words).fill(WORD)
  return { index, pc: index, op: 'ADD', gas: 1, gasCost: 1, depth: 1, frame: 0, refund: 0, stack }
}

describe('the cache of steps', () => {
  it('asks once for the steps of a window', async () => {
    const { ask, asked } = node(1000)
    const cache = new StepCache(TARGET)
    for (const index of [70, 64, 127]) expect((await cache.step(ask, index))?.index).toBe(index)
    expect(asked).toEqual([64])
    expect(cache.total).toBeUndefined()
    expect(cache.frame(0)).toEqual(frame)
  })

  it('knows the end once an answer reached it', async () => {
    const { ask } = node(100)
    const cache = new StepCache(TARGET)
    expect(await cache.step(ask, 99)).toMatchObject({ index: 99 })
    expect(cache.total).toBe(100)
    expect(await cache.step(ask, 100)).toBeUndefined()
    expect(await cache.step(ask, 5000)).toBeUndefined()
  })

  it('asks again for a step that did not fit into the answer', async () => {
    const { ask, asked } = node(1000, { most: 10 })
    const cache = new StepCache(TARGET)
    expect(await cache.step(ask, 30)).toMatchObject({ index: 30 })
    expect(asked).toEqual([0, 30])
  })

  it('gives the steps around one in order', async () => {
    const { ask } = node(1000)
    const cache = new StepCache(TARGET)
    await cache.step(ask, 64)
    await cache.step(ask, 0)
    const indexes = cache.around(70).map(({ index }) => index)
    expect(indexes).toEqual(Array.from({ length: 2 * WINDOW_STEPS }, (_, i) => i))
  })

  it('forgets the windows that were used least lately, so that a long trace takes no more memory', async () => {
    const { ask, asked } = node(1_000_000, { words: 1024 })
    const cache = new StepCache(TARGET)
    for (let window = 0; window < 3; window++) await cache.step(ask, window * WINDOW_STEPS)
    await cache.step(ask, 2 * WINDOW_STEPS)
    expect(asked).toHaveLength(3)
    await cache.step(ask, 0)
    expect(asked).toHaveLength(4)
  })
})

import { describe, expect, it } from 'vitest'
import {
  flattenCalls,
  initiallyCollapsed,
  originOfFailure,
  type TracedCall,
  visibleCalls,
} from '../../../../adapters/page/views/tx/calls/callTree.ts'
import { flameBoxes } from '../../../../adapters/page/views/tx/calls/flame.ts'
import { speedscopeFile } from '../../../../adapters/page/views/tx/calls/speedscope.ts'

function call(gasUsed: number, calls: readonly TracedCall[] = [], error?: string): TracedCall {
  const hex = `0x${gasUsed.toString(16)}`
  return {
    type: 'CALL',
    from: '0x1',
    to: '0x2',
    gas: hex,
    gasUsed: hex,
    input: '0x',
    calls,
    ...(error === undefined ? {} : { error }),
  }
}

/** A call within a call, and so on. */
function nested(depth: number): TracedCall {
  let innermost = call(1, [], 'out of gas')
  for (let i = 0; i < depth; i++) innermost = call(1, [innermost], 'execution reverted')
  return innermost
}

const tree = call(100, [call(30, [call(10)]), call(20, [call(5, [], 'reverted')], 'reverted')], 'reverted')

describe('the tree of calls', () => {
  const nodes = flattenCalls(tree)

  it('is in the order of execution, with the gas of each call alone', () => {
    expect(nodes.map(({ depth, gasUsed, ownGas, end }) => [depth, gasUsed, ownGas, end])).toEqual([
      [0, 100, 50, 5],
      [1, 30, 20, 3],
      [2, 10, 10, 3],
      [1, 20, 15, 5],
      [2, 5, 5, 5],
    ])
  })

  it('finds where the failure began', () => {
    expect(originOfFailure(nodes)?.index).toBe(4)
    expect(originOfFailure(flattenCalls(call(1, [call(1, [], 'caught')])))).toBeUndefined()
  })

  it('hides what is below a collapsed call', () => {
    expect(visibleCalls(nodes, new Set([1])).map(({ index }) => index)).toEqual([0, 1, 3, 4])
  })

  it('stands a depth of 1024 and a hundred thousand calls', () => {
    expect(flattenCalls(nested(1024)).at(-1)?.depth).toBe(1024)
    const many = flattenCalls(
      call(
        1,
        Array.from({ length: 100_000 }, () => call(1)),
      ),
    )
    expect(many).toHaveLength(100_001)
    expect(visibleCalls(many, new Set([0]))).toHaveLength(1)
  })

  it('opens the failed path of a large tree', () => {
    const wide = call(1, [...Array.from({ length: 300 }, () => call(1)), nested(8)], 'execution reverted')
    const all = flattenCalls(wide)
    const visible = visibleCalls(all, initiallyCollapsed(all))
    expect(visible).toContain(originOfFailure(all))
  })
})

describe('the flame graph', () => {
  const nodes = flattenCalls(tree)

  it('places each call below its caller, one after the other', () => {
    const boxes = flameBoxes(nodes, nodes[0] as (typeof nodes)[number])
    expect(boxes.map(({ depth, left, width }) => [depth, left, width])).toEqual([
      [0, 0, 1],
      [1, 0, 0.3],
      [2, 0, 0.1],
      [1, 0.3, 0.2],
      [2, 0.3, 0.05],
    ])
  })

  it('fills the width with the call that was pressed', () => {
    const boxes = flameBoxes(nodes, nodes[3] as (typeof nodes)[number])
    expect(boxes.map(({ node, width }) => [node.index, width])).toEqual([
      [3, 1],
      [4, 0.25],
    ])
  })

  it('is bounded for any number of calls', () => {
    const many = flattenCalls(
      call(
        100_000,
        Array.from({ length: 100_000 }, () => call(1)),
      ),
    )
    expect(flameBoxes(many, many[0] as (typeof many)[number]).length).toBeLessThan(10)
  })

  it('becomes a file of speedscope whose events are nested', () => {
    const { profiles, shared } = JSON.parse(speedscopeFile('0x1', nodes, ({ index }) => `call ${index}`))
    expect(shared.frames).toHaveLength(5)
    const open: number[] = []
    let last = 0
    for (const { type, frame, at } of profiles[0].events) {
      expect(at).toBeGreaterThanOrEqual(last)
      last = at
      if (type === 'O') open.push(frame)
      else expect(open.pop()).toBe(frame)
    }
    expect(open).toEqual([])
    expect(profiles[0].endValue).toBe(100)
  })
})

/** Items of long lists are released in time slices. */
import { describe, expect, it } from 'vitest'
import { TimeSlicer } from '../../../src/base/ports/yieldToHost.ts'
import { ListGate } from '../../../src/graphql/listGate.ts'

const objects = (count: number) => Array.from({ length: count }, (_, index) => ({ index }))

function opened() {
  const time = { now: 0, yields: 0 }
  const slicer = new TimeSlicer({
    clock: { monotonic: () => time.now },
    yieldToHost: async () => void time.yields++,
    sliceMs: 8,
  })
  return { time, gate: new ListGate(slicer) }
}

describe('a list', () => {
  it('that is short, or of bytes or numbers, is not changed', () => {
    const { gate } = opened()
    for (const list of [objects(4), Array(9).fill(new Uint8Array(1)), Array(9).fill(1), []]) {
      expect(gate.pace(list)).toBe(list)
    }
    const whole = objects(9)
    expect(new ListGate(undefined).pace(whole)).toBe(whole)
  })

  it('that is long yields whenever a slice ends', async () => {
    const { time, gate } = opened()
    const items = gate.pace(objects(20)) as Promise<{ index: number }>[]
    const order: number[] = []
    await Promise.all(
      items.map((item) =>
        item.then(({ index }) => {
          order.push(index)
          time.now += 4
        }),
      ),
    )
    expect(order).toEqual(objects(20).map(({ index }) => index))
    expect(time.yields).toBe(9)
  })

  it('within an item follows the items before it', async () => {
    const { gate } = opened()
    const order: string[] = []
    const outer = gate.pace(objects(5)) as Promise<{ index: number }>[]
    await Promise.all(
      outer.map(async (item) => {
        const { index } = await item
        order.push(`${index}`)
        const inner = gate.pace(objects(5)) as Promise<{ index: number }>[]
        await Promise.all(inner.map(async (part) => order.push(`${index}.${(await part).index}`)))
      }),
    )
    expect(order).toHaveLength(30)
    expect(order.slice(0, 6)).toEqual(['0', '1', '2', '3', '4', '0.0'])
  })

  it('that was closed releases nothing', async () => {
    const { gate } = opened()
    const last = gate.pace(objects(5)).at(-1)
    gate.close()
    const late = await Promise.race([last, new Promise((resolve) => setTimeout(resolve, 5, 'nothing'))])
    expect(late).toBe('nothing')
  })
})

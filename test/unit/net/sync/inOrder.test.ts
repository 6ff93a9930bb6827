import { describe, expect, it } from 'vitest'
import { InOrder } from '../../../../src/net/sync/inOrder.ts'

/** Work whose end the test decides. */
class Works {
  readonly started: number[] = []
  readonly #ends = new Map<
    number,
    { readonly resolve: (size: number) => void; readonly reject: (error: Error) => void }
  >()

  run = (item: number): Promise<{ value: string; size: number }> => {
    this.started.push(item)
    return new Promise((resolve, reject) => {
      this.#ends.set(item, { resolve: (size) => resolve({ value: `done ${item}`, size }), reject })
    })
  }

  end(item: number, size = 0): void {
    this.#ends.get(item)?.resolve(size)
  }

  fail(item: number): void {
    this.#ends.get(item)?.reject(new Error(`item ${item} failed`))
  }
}

async function* upTo(count: number): AsyncGenerator<number> {
  for (let i = 0; i < count; i++) yield i
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('work in order', () => {
  it('starts a bounded number of items and yields them in order', async () => {
    const works = new Works()
    const results = new InOrder(upTo(5), { items: 3 }, works.run).results()
    const first = results.next()
    await settled()
    expect(works.started).toEqual([0, 1, 2])
    works.end(2)
    works.end(1)
    await settled()
    expect(works.started).toEqual([0, 1, 2])
    works.end(0)
    expect(await first).toEqual({ done: false, value: 'done 0' })
    expect((await results.next()).value).toBe('done 1')
    expect((await results.next()).value).toBe('done 2')
    await settled()
    expect(works.started).toEqual([0, 1, 2, 3, 4])
    works.end(3)
    works.end(4)
    expect((await results.next()).value).toBe('done 3')
    expect((await results.next()).value).toBe('done 4')
    expect((await results.next()).done).toBe(true)
  })

  it('bounds the size of what waits, by estimates until it is known', async () => {
    const works = new Works()
    const stage = new InOrder(upTo(4), { items: 10, size: 100 }, works.run, () => 60)
    const results = stage.results()
    const first = results.next()
    await settled()
    expect(works.started).toEqual([0, 1])
    expect(stage.isWaiting).toBe(true)
    works.end(1, 10)
    works.end(0, 90)
    expect((await first).value).toBe('done 0')
    await settled()
    expect(stage.isWaiting).toBe(false)
    expect(works.started).toEqual([0, 1, 2, 3])
    await results.return()
  })

  it('ends at the first item that fails, and closes its source', async () => {
    const works = new Works()
    const state = { isClosed: false }
    async function* source(): AsyncGenerator<number> {
      try {
        yield* upTo(5)
      } finally {
        state.isClosed = true
      }
    }
    const results = new InOrder(source(), { items: 2 }, works.run).results()
    const first = results.next()
    await settled()
    works.fail(0)
    await expect(first).rejects.toThrow('item 0 failed')
    expect(state.isClosed).toBe(true)
  })

  it('reports an error of the source after the items before it', async () => {
    async function* source(): AsyncGenerator<number> {
      yield 0
      throw new Error('no more')
    }
    const results = new InOrder(source(), { items: 2 }, async (item) => ({ value: item, size: 0 })).results()
    expect(await results.next()).toEqual({ done: false, value: 0 })
    await expect(results.next()).rejects.toThrow('no more')
  })
})

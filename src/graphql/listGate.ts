import type { TimeSlicer } from '../base/ports/yieldToHost.ts'

/** Longest list whose items are completed together. */
const EAGER_ITEMS = 4

interface WaitingItem {
  readonly item: unknown
  resolve(item: unknown): void
}

/**
 * Lets the executor complete the items of long lists one after the other, in time slices. One item has few fields, since
 * the cost of a query is limited.
 */
export class ListGate {
  readonly #slicer: TimeSlicer | undefined
  #waiting: WaitingItem[] = []
  #isRunning = false
  #isClosed = false

  /** @param slicer undefined: lists are completed without interruption */
  constructor(slicer: TimeSlicer | undefined) {
    this.#slicer = slicer
  }

  /** @returns the list; promises instead of the items of a long list of objects */
  pace(list: readonly unknown[]): readonly unknown[] {
    if (list.length <= EAGER_ITEMS || this.#slicer === undefined) return list
    if (typeof list[0] !== 'object' || list[0] instanceof Uint8Array) return list
    const paced = list.map((item) => new Promise((resolve) => this.#waiting.push({ item, resolve })))
    if (!this.#isRunning) void this.#run(this.#slicer)
    return paced
  }

  /** Discards all waiting items. */
  close(): void {
    this.#isClosed = true
    this.#waiting = []
  }

  async #run(slicer: TimeSlicer): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      const items = this.#waiting
      this.#waiting = []
      for (const { item, resolve } of items) {
        if (slicer.isDue) await slicer.yield()
        if (this.#isClosed) return
        resolve(item)
        // The executor completes the item before the clock is read again.
        await undefined
      }
    }
    this.#isRunning = false
  }
}

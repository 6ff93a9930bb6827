/**
 * Asynchronous work on a sequence: several items at a time, results in the order of the items.
 * @module
 */

export interface AheadBounds {
  /** Items whose work runs or whose results have not been taken yet. */
  readonly items: number
  /** Total size of these items; one item always fits. Default: unlimited. */
  readonly size?: number
}

/** Wakes a loop that waits for a change. */
export class Signal {
  #wake: (() => void) | undefined
  #promise: Promise<void> | undefined

  /** Resolves at the next {@link notify}. */
  get changed(): Promise<void> {
    this.#promise ??= new Promise((resolve) => {
      this.#wake = resolve
    })
    return this.#promise
  }

  notify(): void {
    const wake = this.#wake
    this.#promise = undefined
    this.#wake = undefined
    wake?.()
  }
}

/** A result whose size is known only when it is complete. */
export interface Sized<R> {
  readonly value: R
  readonly size: number
}

interface Slot<R> {
  readonly result: Promise<Sized<R>>
  size: number
  isReady: boolean
}

/** Runs ahead of its consumer within bounds. One consumer reads it. */
export class InOrder<T, R> {
  readonly #source: AsyncIterable<T>
  readonly #bounds: AheadBounds
  readonly #work: (item: T) => Promise<Sized<R>>
  readonly #estimate: (item: T) => number
  readonly #slots: Slot<R>[] = []
  readonly #signal = new Signal()
  #size = 0
  #isEnded = false
  #isStopped = false
  #failure: { readonly error: unknown } | undefined

  /**
   * @param work a rejection ends the sequence at this item
   * @param estimate size of an item until its result is complete
   */
  constructor(
    source: AsyncIterable<T>,
    bounds: AheadBounds,
    work: (item: T) => Promise<Sized<R>>,
    estimate: (item: T) => number = () => 0,
  ) {
    this.#source = source
    this.#bounds = bounds
    this.#work = work
    this.#estimate = estimate
  }

  /** Whether the consumer would have to wait for the next result. */
  get isWaiting(): boolean {
    return this.#slots[0]?.isReady !== true
  }

  async *results(): AsyncGenerator<R, void, undefined> {
    const pump = this.#pump()
    try {
      for (;;) {
        const slot = this.#slots[0]
        if (slot === undefined) {
          if (this.#isEnded) break
          await this.#signal.changed
          continue
        }
        const { value } = await slot.result
        this.#slots.shift()
        this.#size -= slot.size
        this.#signal.notify()
        yield value
      }
      if (this.#failure !== undefined) throw this.#failure.error
    } finally {
      this.#isStopped = true
      this.#signal.notify()
      await pump
    }
  }

  async #pump(): Promise<void> {
    try {
      for await (const item of this.#source) {
        while (this.#isFull && !this.#isStopped) await this.#signal.changed
        if (this.#isStopped) break
        this.#start(item)
      }
    } catch (error) {
      this.#failure = { error }
    }
    this.#isEnded = true
    this.#signal.notify()
  }

  get #isFull(): boolean {
    const { items, size = Number.POSITIVE_INFINITY } = this.#bounds
    return this.#slots.length >= items || (this.#slots.length > 0 && this.#size >= size)
  }

  #start(item: T): void {
    const size = this.#estimate(item)
    const slot: Slot<R> = { result: this.#work(item), size, isReady: false }
    this.#size += size
    this.#slots.push(slot)
    slot.result.then(
      (result) => {
        slot.isReady = true
        this.#size += result.size - slot.size
        slot.size = result.size
      },
      // Thrown to the consumer.
      () => {},
    )
    this.#signal.notify()
  }
}

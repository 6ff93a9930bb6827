import type { ByteSink } from './byteSink.ts'

interface Waiting<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

type Chunk = Uint8Array<ArrayBuffer>

/** A byte stream from one writer to one reader, with back pressure. */
export class ByteStream implements ByteSink {
  readonly #maxPending: number
  #chunks: Chunk[] = []
  #pending = 0
  #isEnded = false
  #failure: { readonly error: unknown } | undefined
  #reader: Waiting<Chunk | undefined> | undefined
  #writers: Waiting<void>[] = []
  #onBreak: ((error: unknown) => void) | undefined

  /** @param maxPending pending bytes above which the stream is full */
  constructor(maxPending: number) {
    this.#maxPending = maxPending
  }

  get isFull(): boolean {
    return this.#failure !== undefined || this.#pending > this.#maxPending
  }

  /** Everything has been written and read. */
  get isAtEnd(): boolean {
    return this.#isEnded && this.#chunks.length === 0
  }

  write(chunk: Chunk): void {
    if (this.#failure !== undefined) return
    if (this.#reader !== undefined) this.#takeReader()?.resolve(chunk)
    else {
      this.#chunks.push(chunk)
      this.#pending += chunk.length
    }
  }

  drained(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    if (!this.isFull) return Promise.resolve()
    return new Promise((resolve, reject) => this.#writers.push({ resolve, reject }))
  }

  /** No more bytes follow. */
  end(): void {
    this.#isEnded = true
    if (this.#chunks.length === 0) this.#takeReader()?.resolve(undefined)
  }

  /**
   * The next bytes; undefined at the end. Only one call may be pending.
   * @throws the error passed to `break`
   */
  read(): Promise<Chunk | undefined> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    const chunk = this.#chunks.shift()
    if (chunk === undefined) {
      if (this.#isEnded) return Promise.resolve(undefined)
      return new Promise((resolve, reject) => {
        this.#reader = { resolve, reject }
      })
    }
    this.#pending -= chunk.length
    if (!this.isFull) for (const { resolve } of this.#writers.splice(0)) resolve()
    return Promise.resolve(chunk)
  }

  /**
   * Drops the pending bytes and notifies the other side; either side may call it. Does nothing once everything has been
   * read.
   */
  break(error: unknown): void {
    if (this.#failure !== undefined || this.isAtEnd) return
    this.#failure = { error }
    this.#chunks = []
    this.#pending = 0
    this.#takeReader()?.reject(error)
    for (const { reject } of this.#writers.splice(0)) reject(error)
    this.#onBreak?.(error)
  }

  /** The listener is called at most once, when the stream is broken off. */
  onBreak(listener: (error: unknown) => void): void {
    this.#onBreak = listener
  }

  #takeReader(): Waiting<Chunk | undefined> | undefined {
    const reader = this.#reader
    this.#reader = undefined
    return reader
  }
}

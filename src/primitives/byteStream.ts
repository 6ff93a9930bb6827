import type { ByteSink } from './byteSink.ts'

interface Waiting<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

type Chunk = Uint8Array<ArrayBuffer>

/** Bytes on their way from one writer to one reader, at the pace of the slower of the two. */
export class ByteStream implements ByteSink {
  readonly #maxPending: number
  #chunks: Chunk[] = []
  #pending = 0
  #isEnded = false
  #failure: { readonly error: unknown } | undefined
  #reader: Waiting<Chunk | undefined> | undefined
  #writers: Waiting<void>[] = []
  #onBreak: ((error: unknown) => void) | undefined

  /** @param maxPending it is full when more bytes than these wait for the reader */
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

  /** Nothing comes any more. */
  end(): void {
    this.#isEnded = true
    if (this.#chunks.length === 0) this.#takeReader()?.resolve(undefined)
  }

  /**
   * The next bytes; undefined at the end. One call at a time.
   * @throws what the stream was broken off with
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

  /** For either side: what is pending is dropped, and the other side is told. Does nothing once all has been read. */
  break(error: unknown): void {
    if (this.#failure !== undefined || this.isAtEnd) return
    this.#failure = { error }
    this.#chunks = []
    this.#pending = 0
    this.#takeReader()?.reject(error)
    for (const { reject } of this.#writers.splice(0)) reject(error)
    this.#onBreak?.(error)
  }

  /** Called once, when the stream is broken off. */
  onBreak(listener: (error: unknown) => void): void {
    this.#onBreak = listener
  }

  #takeReader(): Waiting<Chunk | undefined> | undefined {
    const reader = this.#reader
    this.#reader = undefined
    return reader
  }
}

import type { ByteSink } from './byteSink.ts'

interface Waiting<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

type Chunk = Uint8Array<ArrayBuffer>

/** Counts the bytes that wait to be sent, possibly over several streams, and limits them. */
export interface PendingAccount {
  readonly mayBegin: boolean
  /** Calls `run` once, as soon as more output may be produced. */
  whenRoom(run: () => void): void
  add(bytes: number): void
  sent(bytes: number): void
}

/** A byte stream from one writer to one reader, with back pressure. */
export class ByteStream implements ByteSink {
  readonly #maxPending: number
  readonly #account: PendingAccount | undefined
  /** Size of the chunk read last; it counts as pending until the reader asks for the next one. */
  #reading = 0
  #isWaitingForRoom = false
  #chunks: Chunk[] = []
  #pending = 0
  #isEnded = false
  #failure: { readonly error: unknown } | undefined
  #reader: Waiting<Chunk | undefined> | undefined
  #writers: Waiting<void>[] = []
  #onBreak: ((error: unknown) => void) | undefined

  /**
   * @param maxPending pending bytes above which the stream is full
   * @param account counts pending bytes, including the last chunk read until the next read
   */
  constructor(maxPending: number, account?: PendingAccount) {
    this.#maxPending = maxPending
    this.#account = account
  }

  get isFull(): boolean {
    return this.#failure !== undefined || this.#pending > this.#maxPending || this.#account?.mayBegin === false
  }

  /** Everything has been written and read. */
  get isAtEnd(): boolean {
    return this.#isEnded && this.#chunks.length === 0
  }

  write(chunk: Chunk): void {
    if (this.#failure !== undefined) return
    this.#account?.add(chunk.length)
    // The account may have ended the connection.
    if (this.#hasFailed()) return
    if (this.#reader !== undefined) {
      this.#reading = chunk.length
      this.#takeReader()?.resolve(chunk)
    } else {
      this.#chunks.push(chunk)
      this.#pending += chunk.length
    }
  }

  drained(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    if (!this.isFull) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#writers.push({ resolve, reject })
      this.#wake()
    })
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
    this.#release(this.#reading)
    this.#reading = 0
    const chunk = this.#chunks.shift()
    if (chunk === undefined) {
      if (this.#isEnded) return Promise.resolve(undefined)
      return new Promise((resolve, reject) => {
        this.#reader = { resolve, reject }
        this.#wake()
      })
    }
    this.#pending -= chunk.length
    this.#reading = chunk.length
    this.#wake()
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
    this.#release(this.#pending + this.#reading)
    this.#pending = 0
    this.#reading = 0
    this.#takeReader()?.reject(error)
    for (const { reject } of this.#writers.splice(0)) reject(error)
    this.#onBreak?.(error)
  }

  /** The listener is called at most once, when the stream is broken off. */
  onBreak(listener: (error: unknown) => void): void {
    this.#onBreak = listener
  }

  /** Resumes the writers if the stream has capacity, or waits until the account has some. */
  #wake(): void {
    if (this.#writers.length === 0 || this.#pending > this.#maxPending) return
    const account = this.#account
    if (account === undefined || account.mayBegin) {
      for (const { resolve } of this.#writers.splice(0)) resolve()
    } else if (!this.#isWaitingForRoom) {
      this.#isWaitingForRoom = true
      account.whenRoom(() => {
        this.#isWaitingForRoom = false
        this.#wake()
      })
    }
  }

  #release(bytes: number): void {
    if (bytes > 0) this.#account?.sent(bytes)
  }

  #hasFailed(): boolean {
    return this.#failure !== undefined
  }

  #takeReader(): Waiting<Chunk | undefined> | undefined {
    const reader = this.#reader
    this.#reader = undefined
    return reader
  }
}

import type { WorkerRequest } from '../base/ports/requestWorkers.ts'
import type { ByteSink } from '../base/primitives/byteSink.ts'
import { executionAborted } from '../evm/errors.ts'

/** The thread on which a task runs. */
export interface TaskThread {
  /** Reports that the reader has taken this number of bytes of the answer. */
  taken(task: RequestTask, bytes: number): void
  abort(task: RequestTask): void
}

/** One request, from queueing to completion: passes the answer on at its reader's pace. */
export class RequestTask {
  readonly request: WorkerRequest
  /** Settled when the answer is complete, or as soon as it cannot be completed. */
  readonly ended: Promise<void>
  /** Called once, before {@link ended} settles. */
  onEnd: () => void = () => {}
  readonly #sink: ByteSink
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  readonly #stopListening: () => void
  #thread: TaskThread | undefined
  /** Bytes in the sink that have not been confirmed because it is full. */
  #unconfirmed = 0
  #isWaiting = false
  #isOver = false

  constructor(request: WorkerRequest, sink: ByteSink, signal: AbortSignal | undefined) {
    const { promise, resolve, reject } = withResolvers()
    this.request = request
    this.ended = promise
    this.#sink = sink
    this.#resolve = resolve
    this.#reject = reject
    const abort = (): void => this.#cancel(executionAborted(signal?.reason))
    this.#stopListening = () => signal?.removeEventListener('abort', abort)
    signal?.addEventListener('abort', abort, { once: true })
  }

  begin(thread: TaskThread): void {
    this.#thread = thread
  }

  chunk(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#isOver) return
    this.#unconfirmed += bytes.length
    this.#sink.write(bytes)
    if (!this.#sink.isFull) this.#confirm()
    else if (!this.#isWaiting) this.#confirmLater()
  }

  done(): void {
    if (this.#finish()) this.#resolve()
  }

  fail(error: unknown): void {
    if (this.#finish()) this.#reject(error)
  }

  #confirm(): void {
    const bytes = this.#unconfirmed
    this.#unconfirmed = 0
    if (!this.#isOver) this.#thread?.taken(this, bytes)
  }

  #confirmLater(): void {
    this.#isWaiting = true
    this.#sink.drained().then(
      () => {
        this.#isWaiting = false
        this.#confirm()
      },
      (error) => this.#cancel(error),
    )
  }

  #cancel(error: unknown): void {
    if (this.#isOver) return
    this.#thread?.abort(this)
    this.fail(error)
  }

  #finish(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#stopListening()
    this.onEnd()
    return true
  }
}

interface Settling {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

function withResolvers(): Settling {
  let resolve: () => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<void>((onDone, onFailed) => {
    resolve = onDone
    reject = onFailed
  })
  return { promise, resolve, reject }
}

import type { AbortSignal } from '../base/ports/webTypes.ts'
import type { RemoteResult } from './contract.ts'

/** One of the addresses. */
export interface Route {
  /** Of the address; unique among those of a client. */
  readonly origin: string
}

interface Waiting {
  resolve(result: RemoteResult): void
  reject(error: unknown): void
}

export interface CallFailure {
  readonly reason: string
  /** A limit of rate. */
  readonly isLimit: boolean
  /** Another attempt would not help. */
  readonly isFinal: boolean
  /** The answer, if it says that this remote lacks the method or the data. */
  readonly refusal?: RemoteResult
}

const NO_FAILURES: ReadonlyMap<Route, CallFailure> = new Map()

/** One request of JSON-RPC on its way, with everyone who waits for its answer. There may be 100,000 of them. */
export class RemoteCall {
  readonly method: string
  /** Without the id; equal texts are equal requests. */
  readonly text: string
  /** The only address that is asked; undefined: the client chooses. */
  readonly route: Route | undefined
  /** How often all addresses failed. */
  rounds = 0
  /** Monotonic. */
  firstSentMs: number | undefined
  /** Whether an answer has lacked it once. */
  wasMissing = false
  isSettled = false
  /** Where it waits, or has no answer yet. */
  readonly #places: Route[] = []
  readonly #waiting: Waiting[] = []
  readonly #onSettled: (call: RemoteCall) => void
  #failures: Map<Route, CallFailure> | undefined

  constructor(method: string, text: string, route: Route | undefined, onSettled: (call: RemoteCall) => void) {
    this.method = method
    this.text = text
    this.route = route
    this.#onSettled = onSettled
  }

  /** Whether it waits at the address, or has no answer from there yet. */
  isAt(route: Route): boolean {
    return this.#places.includes(route)
  }

  get isAnywhere(): boolean {
    return this.#places.length > 0
  }

  enter(route: Route): void {
    if (!this.isAt(route)) this.#places.push(route)
  }

  leave(route: Route): void {
    const at = this.#places.indexOf(route)
    if (at >= 0) this.#places.splice(at, 1)
  }

  /** Addresses that could not answer since the last delay. */
  get failures(): ReadonlyMap<Route, CallFailure> {
    return this.#failures ?? NO_FAILURES
  }

  fail(route: Route, failure: CallFailure): void {
    this.#failures ??= new Map()
    this.#failures.set(route, failure)
  }

  /** Except final ones. */
  forgetFailures(): void {
    for (const [route, { isFinal }] of this.failures) if (!isFinal) this.#failures?.delete(route)
  }

  /** The call ends when everyone who waits has given up. @param signal not aborted yet */
  wait(signal: AbortSignal | undefined): Promise<RemoteResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(signal === undefined ? { resolve, reject } : this.#abortable({ resolve, reject }, signal))
    })
  }

  resolve(result: RemoteResult): void {
    this.#settle((waiting) => waiting.resolve(result))
  }

  reject(error: unknown): void {
    this.#settle((waiting) => waiting.reject(error))
  }

  #abortable({ resolve, reject }: Waiting, signal: AbortSignal): Waiting {
    const abort = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      waiting.reject(signal.reason)
      if (this.#waiting.length === 0) this.#settle(() => {})
    }
    const waiting: Waiting = {
      resolve: (result) => {
        signal.removeEventListener('abort', abort)
        resolve(result)
      },
      reject: (error) => {
        signal.removeEventListener('abort', abort)
        reject(error)
      },
    }
    signal.addEventListener('abort', abort)
    return waiting
  }

  #settle(tell: (waiting: Waiting) => void): void {
    if (this.isSettled) return
    this.isSettled = true
    for (const waiting of this.#waiting.splice(0)) tell(waiting)
    this.#onSettled(this)
  }
}

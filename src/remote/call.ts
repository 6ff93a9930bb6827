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

/** One request of JSON-RPC on its way, with everyone who waits for its answer. */
export class RemoteCall {
  readonly method: string
  /** Without the id; equal texts are equal requests. */
  readonly text: string
  /** The only address that is asked; undefined: the client chooses. */
  readonly route: Route | undefined
  /** Where it waits, or has no answer yet. */
  readonly open: Set<Route> = new Set()
  /** Addresses that could not answer since the last delay. */
  readonly failures: Map<Route, CallFailure> = new Map()
  /** How often all addresses failed. */
  rounds = 0
  /** Monotonic. */
  firstSentMs: number | undefined
  /** Whether an answer has lacked it once. */
  wasMissing = false
  isSettled = false
  readonly #waiting = new Set<Waiting>()
  readonly #onSettled: (call: RemoteCall) => void

  constructor(method: string, text: string, route: Route | undefined, onSettled: (call: RemoteCall) => void) {
    this.method = method
    this.text = text
    this.route = route
    this.#onSettled = onSettled
  }

  /** The call ends when everyone who waits has given up. @param signal not aborted yet */
  wait(signal: AbortSignal | undefined): Promise<RemoteResult> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.delete(waiting)
        waiting.reject(signal?.reason)
        if (this.#waiting.size === 0) this.#settle(() => {})
      }
      const forget = (): void => signal?.removeEventListener('abort', abort)
      const waiting: Waiting = {
        resolve: (result) => {
          forget()
          resolve(result)
        },
        reject: (error) => {
          forget()
          reject(error)
        },
      }
      this.#waiting.add(waiting)
      signal?.addEventListener('abort', abort)
    })
  }

  resolve(result: RemoteResult): void {
    this.#settle((waiting) => waiting.resolve(result))
  }

  reject(error: unknown): void {
    this.#settle((waiting) => waiting.reject(error))
  }

  #settle(tell: (waiting: Waiting) => void): void {
    if (this.isSettled) return
    this.isSettled = true
    for (const waiting of this.#waiting) tell(waiting)
    this.#waiting.clear()
    this.#onSettled(this)
  }
}

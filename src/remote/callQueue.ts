import { MAX_REMOTE_BATCH_BYTES } from '../base/limits/limits.ts'
import type { RemoteCall, Route } from './call.ts'

/** The calls that were not sent to an address yet. */
export class CallQueue {
  readonly #route: Route
  /** Also calls that need no answer any longer, which are not at the address. */
  #calls: RemoteCall[] = []
  #size = 0

  constructor(route: Route) {
    this.#route = route
  }

  get size(): number {
    return this.#size
  }

  push(calls: readonly RemoteCall[]): void {
    for (const call of calls) call.enter(this.#route)
    for (const call of calls) this.#calls.push(call)
    this.#size += calls.length
  }

  /** Before all others. */
  putBack(calls: readonly RemoteCall[]): void {
    for (const call of calls) call.enter(this.#route)
    this.#calls = [...calls, ...this.#calls]
    this.#size += calls.length
  }

  /** A call of the queue has left the address. */
  forget(): void {
    if (--this.#size === 0) this.#calls = []
  }

  /** @returns the next calls for one batch: at least one, if there is one */
  take(most: number): RemoteCall[] {
    const calls: RemoteCall[] = []
    let bytes = 0
    let end = 0
    for (const call of this.#calls) {
      if (call.isAt(this.#route)) {
        bytes += call.text.length
        if (calls.length === most || (calls.length > 0 && bytes > MAX_REMOTE_BATCH_BYTES)) break
        calls.push(call)
      }
      end++
    }
    this.#calls.splice(0, end)
    this.#size -= calls.length
    return calls
  }

  /** @returns all calls, which leave the address */
  takeAll(): readonly RemoteCall[] {
    const calls = this.#calls.filter((call) => call.isAt(this.#route))
    for (const call of calls) call.leave(this.#route)
    this.#calls = []
    this.#size = 0
    return calls
  }
}

/**
 * Collects the requests of one turn into one batch.
 * @module
 */
import type { RequestArguments } from './eip1193.ts'

export interface PendingRequest extends RequestArguments {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Requests of a batch; nodes refuse longer ones. */
const MAX_BATCH = 50
/** The slowest request delays the answers of its batch, so these are sent alone. */
const SLOW =
  /^(?:(?:debug|trace|ots|erigon|evm|hardhat|anvil)_|isonode_(?!contractAt|decode)|eth_(?:call|estimateGas|getLogs|send|simulate))/

export class Batcher {
  readonly #send: (requests: readonly PendingRequest[]) => void
  #waiting: PendingRequest[] = []

  /** @param send takes a request to send alone, or several to send as a batch */
  constructor(send: (requests: readonly PendingRequest[]) => void) {
    this.#send = send
  }

  request(request: RequestArguments): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const pending = { ...request, resolve, reject }
      if (SLOW.test(request.method)) return this.#send([pending])
      this.#waiting.push(pending)
      if (this.#waiting.length === 1) queueMicrotask(() => this.#flush())
    })
  }

  #flush(): void {
    const requests = this.#waiting
    this.#waiting = []
    for (let at = 0; at < requests.length; at += MAX_BATCH) this.#send(requests.slice(at, at + MAX_BATCH))
  }
}

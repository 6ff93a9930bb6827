/**
 * Payloads of markers, fetched from the enclave. The fetch waits while the enclave is unreachable: without the payload,
 * it is unknown whether the marker concerns this node.
 * @module
 */
import {
  ENCLAVE_RETRY_MAX_MS,
  ENCLAVE_RETRY_MIN_MS,
  ENCLAVE_WAIT_LOG_MS,
  MAX_ENCLAVE_REQUESTS,
  MAX_READY_PAYLOADS_BYTES,
} from '../../base/limits/limits.ts'
import type { Clock, Logger } from '../../base/ports/host.ts'
import type { Counter, Gauge, Metrics } from '../../base/ports/metrics.ts'
import type { Timers } from '../../base/ports/timers.ts'
import type { AbortSignal } from '../../base/ports/webTypes.ts'
import { toBase64 } from '../../base/primitives/base64.ts'
import { isNodeError, NodeError } from '../../base/primitives/errors.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import { type EnclaveClient, enclaveFailure } from './enclaveClient.ts'
import { type MarkerPayload, readPayload } from './payloadReading.ts'

export interface MarkerPayloadsOptions {
  readonly enclave: EnclaveClient
  readonly isFlexible: boolean
  readonly clock: Clock
  readonly timers: Timers
  readonly logger: Logger
  readonly metrics: Metrics
}

const ENTRY_BYTES = 512

export class MarkerPayloads {
  readonly #options: MarkerPayloadsOptions
  /** Keyed by the data of the marker in Base64. */
  readonly #ready = new LruCache<string, MarkerPayload>(MAX_READY_PAYLOADS_BYTES)
  readonly #waits: Counter
  readonly #isUnreachable: Gauge
  #lastLogMs: number | undefined
  #isClosed = false
  /** Ends the waits in progress. */
  readonly #wakers = new Set<() => void>()

  constructor(options: MarkerPayloadsOptions) {
    this.#options = options
    const { metrics } = options
    this.#waits = metrics.counter({
      category: 'BLOCKCHAIN',
      name: 'enclave_retries_total',
      help: 'Requests for payloads that were repeated because the enclave was unreachable.',
    })
    this.#isUnreachable = metrics.gauge({
      category: 'BLOCKCHAIN',
      name: 'enclave_unreachable',
      help: '1 while blocks wait for the enclave.',
    })
  }

  /**
   * Fetches payloads ahead of their use. Ends early when `signal` is aborted.
   * @param markers data of markers, 32 or 64 bytes each
   */
  async prepare(markers: readonly Uint8Array[], signal?: AbortSignal): Promise<void> {
    const missing = markers.filter((data) => !this.isReady(data))
    const waiting = [...new Map(missing.map((data) => [toBase64(data), data])).values()]
    const work = async (): Promise<void> => {
      for (;;) {
        const data = waiting.shift()
        if (data === undefined || isAborted(signal)) return
        const payload = await this.#fetch(data, signal)
        if (payload !== undefined) this.#keep(data, payload)
      }
    }
    await Promise.all(Array.from({ length: Math.min(MAX_ENCLAVE_REQUESTS, waiting.length) }, work))
  }

  /** Whether the payload of a marker has been fetched. */
  isReady(data: Uint8Array): boolean {
    return this.#ready.get(toBase64(data)) !== undefined
  }

  /**
   * Returns the payloads of the markers of a block and forgets them. Several markers may name the same payload.
   * @throws {NodeError} STOPPED when the node stops while it waits
   */
  async take(markers: readonly Uint8Array[]): Promise<MarkerPayload[]> {
    const payloads: MarkerPayload[] = []
    for (const data of markers) {
      payloads.push(this.#ready.get(toBase64(data)) ?? ((await this.#fetch(data)) as MarkerPayload))
    }
    for (const data of markers) this.#ready.delete(toBase64(data))
    return payloads
  }

  close(): void {
    this.#isClosed = true
    for (const wake of this.#wakers) wake()
  }

  #keep(data: Uint8Array, payload: MarkerPayload): void {
    this.#ready.set(toBase64(data), payload, ENTRY_BYTES + payload.bytes)
  }

  /** @returns undefined when `signal` was aborted before the answer */
  async #fetch(data: Uint8Array, signal?: AbortSignal): Promise<MarkerPayload | undefined> {
    const { enclave, isFlexible } = this.#options
    for (let delayMs = ENCLAVE_RETRY_MIN_MS; ; delayMs = Math.min(delayMs * 2, ENCLAVE_RETRY_MAX_MS)) {
      this.#checkOpen()
      try {
        const payload = await readPayload(enclave, data, isFlexible)
        this.#arrived()
        return payload
      } catch (error) {
        const failure = enclaveFailure(error)
        if (failure === undefined || failure.kind === 'refused' || !isNodeError(error)) throw error
        this.#report(error.message)
      }
      if (isAborted(signal)) return undefined
      await this.#wait(delayMs, signal)
      if (isAborted(signal)) return undefined
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new NodeError({ code: 'STOPPED' }, 'the node stopped while it waited for the enclave')
  }

  #wait(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        timer.cancel()
        this.#wakers.delete(wake)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const timer = this.#options.timers.schedule(delayMs, wake)
      this.#wakers.add(wake)
      signal?.addEventListener('abort', wake)
    })
  }

  #report(reason: string): void {
    this.#waits.add()
    this.#isUnreachable.set(1)
    const now = this.#options.clock.monotonic()
    if (this.#lastLogMs !== undefined && now - this.#lastLogMs < ENCLAVE_WAIT_LOG_MS) return
    this.#lastLogMs = now
    this.#options.logger.warn('blocks with private transactions wait for the enclave', { reason })
  }

  #arrived(): void {
    if (this.#lastLogMs === undefined) return
    this.#lastLogMs = undefined
    this.#isUnreachable.set(0)
    this.#options.logger.info('the enclave is reachable again')
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

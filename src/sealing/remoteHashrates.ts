/**
 * Hash rates that miners outside the node report.
 * @module
 */
import type { Clock } from '../base/ports/host.ts'
import { keyToText } from '../storage/keyText.ts'

export interface RemoteHashrateLimits {
  /** Maximum number of miners. */
  readonly maxMiners: number
  /** Lifetime of a report. */
  readonly ttlMs: number
}

interface Report {
  readonly rate: bigint
  readonly atMs: number
}

export class RemoteHashrates {
  readonly #limits: RemoteHashrateLimits
  readonly #clock: Pick<Clock, 'monotonic'>
  /** Latest report last. */
  readonly #reports = new Map<string, Report>()

  constructor(limits: RemoteHashrateLimits, clock: Pick<Clock, 'monotonic'>) {
    this.#limits = limits
    this.#clock = clock
  }

  /**
   * Replaces the miner's report. At the maximum number of miners, the oldest report is discarded.
   * @param id of the miner
   * @param rate hashes per second; the lower 64 bits count
   * @returns false: a rate of 0 is not stored
   */
  report(id: Uint8Array, rate: bigint): boolean {
    const low = BigInt.asUintN(64, rate)
    if (low === 0n || this.#limits.maxMiners === 0) return false
    const key = keyToText(id)
    this.#reports.delete(key)
    this.#reports.set(key, { rate: low, atMs: this.#clock.monotonic() })
    for (const oldest of this.#reports.keys()) {
      if (this.#reports.size <= this.#limits.maxMiners) break
      this.#reports.delete(oldest)
    }
    return true
  }

  /** Sum of the current reports modulo 2^64; undefined: there are none. */
  get total(): bigint | undefined {
    const oldest = this.#clock.monotonic() - this.#limits.ttlMs
    let total: bigint | undefined
    for (const [key, { rate, atMs }] of this.#reports) {
      if (atMs < oldest) this.#reports.delete(key)
      else total = BigInt.asUintN(64, (total ?? 0n) + rate)
    }
    return total
  }
}

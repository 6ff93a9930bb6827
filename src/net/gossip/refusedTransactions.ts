import { MAX_REFUSED_TRANSACTIONS, REFUSED_TRANSACTION_MS } from '../../base/limits/limits.ts'
import type { Clock } from '../../base/ports/host.ts'
import type { Random } from '../../base/ports/random.ts'
import { type HashFactors, KnownHashes, randomFactors } from '../protocols/knownHashes.ts'

/**
 * Hashes of transactions that the pool has refused or dropped, for one to two periods: they may become admissible later.
 */
export class RefusedTransactions {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #factors: HashFactors
  #recent: KnownHashes
  #older: KnownHashes
  #turnMs: number

  constructor(random: Random, clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
    this.#factors = randomFactors(random)
    this.#recent = this.#empty()
    this.#older = this.#empty()
    this.#turnMs = clock.monotonic()
  }

  has(hash: Uint8Array): boolean {
    this.#forget()
    return this.#recent.has(hash) || this.#older.has(hash)
  }

  add(hash: Uint8Array): void {
    this.#forget()
    this.#recent.add(hash)
  }

  #forget(): void {
    const nowMs = this.#clock.monotonic()
    const ageMs = nowMs - this.#turnMs
    if (ageMs < REFUSED_TRANSACTION_MS) return
    this.#older = ageMs < 2 * REFUSED_TRANSACTION_MS ? this.#recent : this.#empty()
    this.#recent = this.#empty()
    this.#turnMs = nowMs
  }

  #empty(): KnownHashes {
    return new KnownHashes(MAX_REFUSED_TRANSACTIONS / 2, this.#factors)
  }
}

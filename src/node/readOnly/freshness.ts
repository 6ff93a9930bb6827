/**
 * How old the state of a mirror is that a replica answers from.
 * @module
 */
import type { Clock } from '../../base/ports/host.ts'
import { mirrorBehind } from '../../mirror/errors.ts'
import type { Manifest } from '../../mirror/format/manifest.ts'

/** The age of what the replica knows. A publisher writes a manifest at least every half minute. */
export class Freshness {
  readonly #clock: Clock
  readonly #maxLagMs: number
  #manifest: Manifest
  #sinceMs: number

  /** @param maxLagMs age beyond which it is stale */
  constructor(clock: Clock, maxLagMs: number, manifest: Manifest) {
    this.#clock = clock
    this.#maxLagMs = maxLagMs
    this.#manifest = manifest
    this.#sinceMs = clock.monotonic()
  }

  /** @param manifest that new requests use */
  renew(manifest: Manifest): void {
    this.#manifest = manifest
    this.#sinceMs = this.#clock.monotonic()
  }

  /** By the clock of the publisher, or by that of this node: either may be wrong. */
  get lagMs(): number {
    return Math.max(0, this.#clock.now() - this.#manifest.timeMs, this.#clock.monotonic() - this.#sinceMs)
  }

  get isStale(): boolean {
    return this.lagMs > this.#maxLagMs
  }

  /** undefined: the mirror is fresh */
  get reason(): string | undefined {
    if (!this.isStale) return undefined
    const { number } = this.#manifest
    return `the newest manifest of the mirror, ${number}, is ${Math.round(this.lagMs / 1000)} s old`
  }

  /** @throws {NodeError} MIRROR_BEHIND */
  requireFresh(): void {
    const { reason } = this
    if (reason !== undefined) throw mirrorBehind(reason)
  }
}

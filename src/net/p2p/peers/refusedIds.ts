import { MAX_MISBEHAVING_PEERS } from '../../../base/limits/limits.ts'
import type { Clock } from '../../../base/ports/host.ts'
import { LruCache } from '../../../base/primitives/lruCache.ts'
import { nodeKey } from '../discovery/table.ts'
import type { SessionEnd } from '../rlpx/sessionContract.ts'
import { REFUSAL_RULES } from './policy.ts'

interface Refusal {
  readonly durationMs: number
  /** monotonic */
  readonly untilMs: number
}

/**
 * Ids that the operator has banned, and those of peers that broke a protocol. The latter are forgiven after a while: what
 * looks like a breach may be a fault of this node, which must not lose its peers for good.
 */
export class RefusedIds {
  readonly #banned: ReadonlySet<string>
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #misbehaving = new LruCache<string, Refusal>(MAX_MISBEHAVING_PEERS)

  /** @param banned 64 bytes each */
  constructor(banned: readonly Uint8Array[], clock: Pick<Clock, 'monotonic'>) {
    this.#banned = new Set(banned.map(nodeKey))
    this.#clock = clock
  }

  /** @param isMaintained such a peer is refused only if it is banned */
  has(key: string, isMaintained: boolean): boolean {
    if (this.#banned.has(key)) return true
    const refusal = isMaintained ? undefined : this.#misbehaving.get(key)
    return refusal !== undefined && this.#clock.monotonic() < refusal.untilMs
  }

  /** Remembers the peer if its behaviour ended the connection; each time for longer. */
  note(key: string, { reason, by }: SessionEnd): void {
    const isBreach = reason === 'breachOfProtocol' && by === 'local'
    const isIncompatible = reason === 'incompatibleVersion' && by !== 'connection'
    if (!isBreach && !isIncompatible) return
    const { firstMs, maxMs } = REFUSAL_RULES
    const previous = this.#misbehaving.get(key)
    const durationMs = previous === undefined ? firstMs : Math.min(2 * previous.durationMs, maxMs)
    this.#misbehaving.set(key, { durationMs, untilMs: this.#clock.monotonic() + durationMs })
  }
}

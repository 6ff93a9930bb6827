import { MAX_MISBEHAVING_PEERS } from '../../../base/limits/limits.ts'
import { LruCache } from '../../../base/primitives/lruCache.ts'
import { nodeKey } from '../discovery/table.ts'
import type { SessionEnd } from '../rlpx/sessionContract.ts'

/** Ids that the operator has banned, and those of peers that broke a protocol. */
export class RefusedIds {
  readonly #banned: ReadonlySet<string>
  readonly #misbehaving = new LruCache<string, true>(MAX_MISBEHAVING_PEERS)

  /** @param banned 64 bytes each */
  constructor(banned: readonly Uint8Array[]) {
    this.#banned = new Set(banned.map(nodeKey))
  }

  /** @param isMaintained such a peer is refused only if it is banned */
  has(key: string, isMaintained: boolean): boolean {
    return this.#banned.has(key) || (!isMaintained && this.#misbehaving.get(key) !== undefined)
  }

  /** Remembers the peer if its behaviour ended the connection. */
  note(key: string, { reason, by }: SessionEnd): void {
    const isBreach = reason === 'breachOfProtocol' && by === 'local'
    const isIncompatible = reason === 'incompatibleVersion' && by !== 'connection'
    if (isBreach || isIncompatible) this.#misbehaving.set(key, true)
  }
}

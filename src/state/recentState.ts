import { LruCache } from '../base/primitives/lruCache.ts'
import { keyToText } from '../storage/keyText.ts'
import type { AccountRecord } from './account.ts'
import type { CachedEntries } from './cachedEntries.ts'
import type { StateRoot } from './contract.ts'
import type { StateContext } from './stateContext.ts'
import { type KnownAccount, type SharedReads, StateView } from './stateView.ts'

/**
 * A state with many readers, which caches every value read. A state never changes, so cached values remain valid
 * wherever the flat view moves.
 */
export class RecentState extends StateView {
  readonly #limits: CachedEntries
  /** Used once another state is the newest. Both are created on first use, because most states have few reads. */
  #records: LruCache<string, AccountRecord | null> | undefined
  #slots: LruCache<string, Uint8Array> | undefined

  constructor(root: StateRoot, context: StateContext, shared: SharedReads, limits: CachedEntries) {
    super(root, context, shared)
    this.#limits = limits
  }

  override getRecord(address: Uint8Array): AccountRecord | undefined {
    if (this.isHot) return super.getRecord(address)
    this.#records ??= new LruCache(this.#limits.accounts)
    const name = keyToText(address)
    const known = this.#records.get(name)
    if (known !== undefined) return known ?? undefined
    const record = super.getRecord(address)
    this.#records.set(name, record ?? null)
    return record
  }

  override getStorage(address: Uint8Array, slot: Uint8Array, account?: KnownAccount): Uint8Array {
    if (this.isHot) return super.getStorage(address, slot, account)
    this.#slots ??= new LruCache(this.#limits.slots)
    const name = keyToText(address) + keyToText(slot)
    const known = this.#slots.get(name)
    if (known !== undefined) return known
    const value = super.getStorage(address, slot, account)
    this.#slots.set(name, value)
    return value
  }
}

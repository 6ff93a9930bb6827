/**
 * State of a remote in memory.
 * @module
 */
import { FORK_CODE_BYTES, FORK_STATE_BYTES } from '../base/limits/limits.ts'
import type { RemoteBlock, StateRead } from '../base/ports/keyValueStore.ts'
import { equalBytes, ZERO_WORD } from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import type { BaseAccount } from '../state/baseState.ts'
import { keyToText } from '../storage/keyText.ts'
import type { FetchedAccount } from './stateFetch.ts'

/** Estimated memory of an account, a slot or a code in addition to the code itself. */
const ENTRY_BYTES = 320

/** An account at one block. */
interface KnownAccount {
  /** undefined while unknown; undefined in it: the account does not exist */
  account: { readonly value: BaseAccount | undefined } | undefined
  /** Whether each slot that is not among the known ones is zero. */
  isEmpty: boolean
  /** Values by the text of their slots. */
  readonly slots: Map<string, Uint8Array>
}

export class StateMemory {
  readonly #forkBlock: RemoteBlock
  /** By block and address. */
  readonly #accounts = new LruCache<string, KnownAccount>(FORK_STATE_BYTES)
  /** By code hash. */
  readonly #codes = new LruCache<string, Uint8Array>(FORK_CODE_BYTES)

  constructor(forkBlock: RemoteBlock) {
    this.#forkBlock = forkBlock
  }

  /** Prefix of the names of a block's accounts. Almost all reads are of the fork block. */
  prefix({ hash }: RemoteBlock): string {
    return hash === this.#forkBlock.hash || equalBytes(hash, this.#forkBlock.hash) ? '' : keyToText(hash)
  }

  /** @returns undefined while unknown */
  account(prefix: string, address: Uint8Array): KnownAccount['account'] {
    return this.#accounts.get(prefix + keyToText(address))?.account
  }

  /** @returns undefined while unknown */
  slot(prefix: string, address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    const known = this.#accounts.get(prefix + keyToText(address))
    return known === undefined
      ? undefined
      : (known.slots.get(keyToText(slot)) ?? (known.isEmpty ? ZERO_WORD : undefined))
  }

  /** @returns undefined while unknown */
  code(codeHash: Uint8Array): Uint8Array | undefined {
    return this.#codes.get(keyToText(codeHash))
  }

  /** Whether a read finds everything: of an account, its code too. */
  has(prefix: string, { address, slot }: StateRead): boolean {
    if (slot !== undefined) return this.slot(prefix, address, slot) !== undefined
    const account = this.account(prefix, address)
    if (account?.value === undefined) return account !== undefined
    const { codeHash } = account.value
    return equalBytes(codeHash, EMPTY_CODE_HASH) || this.code(codeHash) !== undefined
  }

  keep(prefix: string, { address, account, code, slots }: FetchedAccount): void {
    const name = prefix + keyToText(address)
    const known = this.#accounts.get(name) ?? { account: undefined, isEmpty: false, slots: new Map() }
    if (account !== undefined) {
      known.account = account
      known.isEmpty = hasNoStorage(account.value)
    }
    for (const [slot, { value }] of slots) if (value !== undefined) known.slots.set(slot, value)
    this.#accounts.set(name, known, ENTRY_BYTES * (1 + known.slots.size))
    const codeHash = account?.value?.codeHash
    if (code === undefined || codeHash === undefined || code.length === 0) return
    this.#codes.set(keyToText(codeHash), code, code.length + ENTRY_BYTES)
  }
}

function hasNoStorage(account: BaseAccount | undefined): boolean {
  if (account === undefined) return true
  return account.storageRoot !== undefined && equalBytes(account.storageRoot, EMPTY_TRIE_ROOT)
}

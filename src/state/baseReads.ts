import type { RemoteBlock } from '../base/ports/keyValueStore.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import type { AccountRecord } from './account.ts'
import type { BaseAccount, BaseState } from './baseState.ts'

/** The base under one state. */
export class BaseReads {
  readonly #base: BaseState
  readonly #block: RemoteBlock

  constructor(base: BaseState, block: RemoteBlock) {
    this.#base = base
    this.#block = block
  }

  record(address: Uint8Array): AccountRecord | undefined {
    const account = this.#base.account(this.#block, address)
    if (account === undefined) return undefined
    const { nonce, balance } = account
    const codeHash = hasCode(account) ? account.codeHash : EMPTY_CODE_HASH
    const storage = { storageRoot: EMPTY_TRIE_ROOT, storageVersion: 0, incarnation: 0 }
    return { nonce, balance, codeHash, ...storage, fromBase: 'account' }
  }

  slot(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#base.storage(this.#block, address, slot)
  }

  code(address: Uint8Array, codeHash: Uint8Array): Uint8Array {
    return this.#base.code(this.#block, address, codeHash)
  }

  /** Where the storage root is not known, an account without nonce and code counts as one without storage. */
  hasStorage(address: Uint8Array): boolean {
    const account = this.#base.account(this.#block, address)
    if (account === undefined) return false
    const { storageRoot, nonce } = account
    return storageRoot === undefined ? nonce > 0n || hasCode(account) : !equalBytes(storageRoot, EMPTY_TRIE_ROOT)
  }
}

function hasCode({ codeHash }: BaseAccount): boolean {
  return !equalBytes(codeHash, EMPTY_CODE_HASH)
}

/**
 * The states of a base. Calls on them read nothing else, and their changes are never stored.
 * @module
 */
import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { EMPTY_BYTES, ZERO_WORD } from '../base/primitives/bytes.ts'
import { LazyModule } from '../base/primitives/lazyModule.ts'
import type { AccountRecord } from './account.ts'
import { BaseReads } from './baseReads.ts'
import type { BaseState } from './baseState.ts'
import type { AccountEntry, AccountProof, AccountState, StateReader, StateRoot, StorageEntry } from './contract.ts'
import { needsWholeState } from './errors.ts'
import { KeyHashes } from './keyHashes.ts'
import type { StateStore } from './stateStore.ts'
import type { KnownAccount } from './stateView.ts'
import { WorldState, type WorldView } from './worldState.ts'

const stored = new LazyModule(() => import('./stateStore.ts'))

/** Loads the code of tries, without which the root hash of a changed state throws `ModuleNotLoaded`. */
export function loadTries(): Promise<void> {
  return stored.load()
}

export class BaseStates {
  readonly #reader: KeyValueReader
  readonly #base: BaseState
  readonly #hashes = new KeyHashes()
  #tries: StateStore | undefined

  /** @param reader of a store without states */
  constructor(reader: KeyValueReader, base: BaseState) {
    this.#reader = reader
    this.#base = base
  }

  reader(root: StateRoot): StateReader {
    return this.#view(root)
  }

  mutable(root: StateRoot): WorldState {
    return new WorldState(this.#view(root), () => this.#store.writer(root))
  }

  #view(root: StateRoot): BaseView {
    return new BaseView(root, new BaseReads(this.#base, root.base ?? this.#base.forkBlock), this.#hashes)
  }

  get #store(): StateStore {
    const options = { base: this.#base, keepsPreimages: false }
    this.#tries ??= new (stored.get().StateStore)(this.#reader, options)
    return this.#tries
  }
}

class BaseView implements StateReader, WorldView {
  readonly root: StateRoot
  readonly hashes: KeyHashes
  readonly #reads: BaseReads

  constructor(root: StateRoot, reads: BaseReads, hashes: KeyHashes) {
    this.root = root
    this.hashes = hashes
    this.#reads = reads
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    return this.getRecord(address)
  }

  getRecord(address: Uint8Array): AccountRecord | undefined {
    return this.#reads.record(address)
  }

  getCode(address: Uint8Array): Uint8Array {
    const account = this.getRecord(address)
    return account === undefined ? EMPTY_BYTES : this.codeOf(address, account.codeHash)
  }

  codeOf(address: Uint8Array, codeHash: Uint8Array): Uint8Array {
    return this.#reads.code(address, codeHash)
  }

  getStorage(address: Uint8Array, slot: Uint8Array, known?: KnownAccount): Uint8Array {
    const account = known === undefined ? this.getRecord(address) : known.base
    return account === undefined ? ZERO_WORD : this.#reads.slot(address, slot)
  }

  hasStorage(address: Uint8Array, record: AccountRecord | undefined): boolean {
    return record !== undefined && this.#reads.hasStorage(address)
  }

  accounts(): AccountEntry[] {
    throw needsWholeState('a list of accounts')
  }

  storage(): StorageEntry[] {
    throw needsWholeState('a list of slots')
  }

  prove(): AccountProof {
    throw needsWholeState('a proof')
  }
}

/**
 * The states of a base. Calls on them read nothing else, and their changes are never stored.
 * @module
 */
import type { KeyValueReader, RemoteBlock } from '../base/ports/keyValueStore.ts'
import { ZERO_WORD } from '../base/primitives/bytes.ts'
import { LazyModule } from '../base/primitives/lazyModule.ts'
import type { AccountRecord } from './account.ts'
import { BaseReader } from './baseReader.ts'
import type { BaseState } from './baseState.ts'
import type { StateReader, StateRoot } from './contract.ts'
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
    return new BaseView(this.#base, root.base ?? this.#base.forkBlock, root, this.#hashes)
  }

  get #store(): StateStore {
    const options = { base: this.#base, keepsPreimages: false }
    this.#tries ??= new (stored.get().StateStore)(this.#reader, options)
    return this.#tries
  }
}

class BaseView extends BaseReader implements WorldView {
  readonly hashes: KeyHashes

  constructor(base: BaseState, block: RemoteBlock, root: StateRoot, hashes: KeyHashes) {
    super(base, block, root)
    this.hashes = hashes
  }

  getRecord(address: Uint8Array): AccountRecord | undefined {
    return this.reads.record(address)
  }

  codeOf(address: Uint8Array, codeHash: Uint8Array): Uint8Array {
    return this.reads.code(address, codeHash)
  }

  override getStorage(address: Uint8Array, slot: Uint8Array, known?: KnownAccount): Uint8Array {
    const isAbsent = known !== undefined && known.base === undefined
    return isAbsent ? ZERO_WORD : super.getStorage(address, slot)
  }

  hasStorage(address: Uint8Array, record: AccountRecord | undefined): boolean {
    return record !== undefined && this.reads.hasStorage(address)
  }
}

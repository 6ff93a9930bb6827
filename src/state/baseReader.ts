import type { RemoteBlock } from '../base/ports/keyValueStore.ts'
import { EMPTY_BYTES } from '../base/primitives/bytes.ts'
import { BaseReads } from './baseReads.ts'
import type { BaseState } from './baseState.ts'
import type { AccountState, StateReader, StateRoot } from './contract.ts'
import { needsWholeState } from './errors.ts'

/** The state of another chain at a block, over which nothing is stored. */
export class BaseReader implements StateReader {
  readonly root: StateRoot
  readonly reads: BaseReads

  constructor(base: BaseState, block: RemoteBlock, root: StateRoot) {
    this.root = root
    this.reads = new BaseReads(base, block)
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    return this.reads.record(address)
  }

  getCode(address: Uint8Array): Uint8Array {
    const account = this.reads.record(address)
    return account === undefined ? EMPTY_BYTES : this.reads.code(address, account.codeHash)
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.reads.slot(address, slot)
  }

  accounts(): never {
    throw needsWholeState('a list of accounts')
  }

  storage(): never {
    throw needsWholeState('a list of slots')
  }

  prove(): never {
    throw needsWholeState('a proof')
  }
}

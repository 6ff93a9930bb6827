import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { hasState, missingState, type StoredState } from '../../state/contract.ts'
import { keys } from '../../storage/schema.ts'
import type { Header } from '../../types/block.ts'
import { decodeNumber } from '../blockRecord.ts'

/** The lowest block whose state is kept. All readers of one store in a thread share it. */
export class StateBound {
  /** 0: nothing was deleted. */
  from = 0

  /** Reads it from the store: another thread or process may have moved it. */
  refresh(reader: KeyValueReader): void {
    const bytes = reader.get(keys.meta('stateFrom'))
    this.from = bytes === undefined ? 0 : decodeNumber(bytes)
  }

  /** The state of a block, or that it was deleted. That of another chain is not stored, and so not deleted. */
  check(number: number, state: StoredState): StoredState {
    if (number >= this.from || state.isMissing === true || state.base !== undefined) return state
    return missingState(state.hash, { number, keptFrom: this.from })
  }

  /** Whether a header was read before its state was deleted. */
  isOutdated(block: { readonly header: Header; readonly stateRoot: StoredState }): boolean {
    if (this.from === 0 || !hasState(block) || block.stateRoot.base !== undefined) return false
    return Number(block.header.number) < this.from
  }
}

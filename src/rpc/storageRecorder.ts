/**
 * Notes which slots of one account are written, so that its storage can be listed between two transactions.
 * @module
 */
import { bytesToHex, compareBytes, isZeroBytes } from '../primitives/bytes.ts'
import { keccak256 } from '../primitives/keccak.ts'
import type { MutableState, StateReader, StorageEntry } from '../state/contract.ts'

export class StorageRecorder {
  readonly #account: Uint8Array
  readonly #key: string
  readonly #slots = new Map<string, Uint8Array>()
  /** The account lost all its storage at least once. */
  #cleared = false

  constructor(account: Uint8Array) {
    this.#account = account
    this.#key = bytesToHex(account)
  }

  /** The same state, watched. */
  watch(state: MutableState): MutableState {
    return new Proxy(state, {
      get: (target, property) => {
        if (property === 'setStorage') return this.#setStorage(target)
        if (property === 'clearStorage' || property === 'deleteAccount') return this.#clear(target, property)
        if (property === 'endTransaction') return this.#endTransaction(target)
        const member: unknown = Reflect.get(target, property, target)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
  }

  #isWatched(address: Uint8Array): boolean {
    return bytesToHex(address) === this.#key
  }

  #setStorage(target: MutableState): MutableState['setStorage'] {
    return (address, slot, value) => {
      if (this.#isWatched(address)) this.#slots.set(bytesToHex(slot), slot.slice())
      target.setStorage(address, slot, value)
    }
  }

  #clear(target: MutableState, property: 'clearStorage' | 'deleteAccount'): (address: Uint8Array) => void {
    return (address) => {
      if (this.#isWatched(address)) this.#cleared = true
      target[property](address)
    }
  }

  #endTransaction(target: MutableState): MutableState['endTransaction'] {
    return (options) => {
      if (options.selfDestructs.some((address) => this.#isWatched(address))) this.#cleared = true
      target.endTransaction(options)
    }
  }

  /**
   * Storage after the changes, ascending by hash from `fromHash`, at most `limit` entries.
   * @param before the state that the changes were made on
   * @param after the watched state
   */
  merge(before: StateReader, after: MutableState, fromHash: Uint8Array, limit: number): StorageEntry[] {
    const written = [...this.#slots.values()].map((slot) => this.#entry(after, slot, keccak256(slot)))
    const changed = new Set(written.map((entry) => bytesToHex(entry.hash)))
    const kept = this.#unchanged(before, after, fromHash, limit + changed.size).filter(
      (entry) => !changed.has(bytesToHex(entry.hash)),
    )
    return [...kept, ...written]
      .filter((entry) => !isZeroBytes(entry.value) && compareBytes(entry.hash, fromHash) >= 0)
      .sort((a, b) => compareBytes(a.hash, b.hash))
      .slice(0, limit)
  }

  #unchanged(before: StateReader, after: MutableState, fromHash: Uint8Array, limit: number): StorageEntry[] {
    const entries = before.storage(this.#account, fromHash, limit)
    // A clearing may have been undone with the frame that did it: the state itself knows what is left.
    if (!this.#cleared) return entries
    return entries.map((entry) => (entry.slot === undefined ? entry : this.#entry(after, entry.slot, entry.hash)))
  }

  #entry(state: MutableState, slot: Uint8Array, hash: Uint8Array): StorageEntry {
    return { hash, slot, value: state.getStorage(this.#account, slot) }
  }
}

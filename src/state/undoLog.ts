import { EMPTY_BYTES } from '../base/primitives/bytes.ts'
import type { Account } from '../evm/stateDb.ts'

export const UNDO_ACCOUNT = 0
export const UNDO_SLOT = 1
export const UNDO_CLEAR = 2
export const UNDO_TOUCH = 3
export type UndoKind = typeof UNDO_ACCOUNT | typeof UNDO_SLOT | typeof UNDO_CLEAR | typeof UNDO_TOUCH

/** Restores the value before a change. */
export interface UndoTarget {
  undoAccount(account: number, before: Account | undefined): void
  /** `value` is the 32 bytes at `offset` in `values`. */
  undoSlot(slot: number, generation: number, values: Uint8Array, offset: number): void
  undoClear(account: number, generation: number): void
  undoTouch(account: number, touchedIn: number): void
}

const INITIAL_VALUE_BYTES = 16 * 32

/** The value before each change, newest last; recorded only while a section may still be reverted. */
export class UndoLog {
  readonly #kinds: UndoKind[] = []
  readonly #ids: number[] = []
  readonly #numbers: number[] = []
  /** Number of valid entries; the arrays never shrink. */
  #length = 0
  readonly #accounts: (Account | undefined)[] = []
  #values = EMPTY_BYTES
  #valueCount = 0
  readonly #sections: number[] = []

  /** Whether changes must be recorded. */
  get isActive(): boolean {
    return this.#sections.length > 0
  }

  checkpoint(): void {
    this.#sections.push(this.#length)
  }

  /** Ends the innermost section and keeps its changes. */
  commit(): void {
    if (this.#sections.pop() === undefined) throw new RangeError('commit without a checkpoint')
    if (this.#sections.length > 0) return
    this.#length = 0
    this.#accounts.length = 0
    this.#valueCount = 0
  }

  /** Ends the innermost section and reverts its changes, newest first. */
  revert(target: UndoTarget): void {
    const start = this.#sections.pop()
    if (start === undefined) throw new RangeError('revert without a checkpoint')
    while (this.#length > start) this.#undoOne(target)
  }

  account(id: number, before: Account | undefined): void {
    this.#push(UNDO_ACCOUNT, id, 0)
    this.#accounts.push(before)
  }

  /** @returns the position to which the caller writes the 32 bytes of the old value */
  slot(id: number, generation: number): { readonly values: Uint8Array; readonly offset: number } {
    this.#push(UNDO_SLOT, id, generation)
    const offset = this.#valueCount++ * 32
    if (offset === this.#values.length) {
      const values = new Uint8Array(Math.max(this.#values.length * 2, INITIAL_VALUE_BYTES))
      values.set(this.#values)
      this.#values = values
    }
    return { values: this.#values, offset }
  }

  clear(id: number, generation: number): void {
    this.#push(UNDO_CLEAR, id, generation)
  }

  touch(id: number, touchedIn: number): void {
    this.#push(UNDO_TOUCH, id, touchedIn)
  }

  #undoOne(target: UndoTarget): void {
    const at = --this.#length
    const id = this.#ids[at] as number
    const number = this.#numbers[at] as number
    switch (this.#kinds[at] as UndoKind) {
      case UNDO_ACCOUNT:
        target.undoAccount(id, this.#accounts.pop())
        break
      case UNDO_SLOT:
        target.undoSlot(id, number, this.#values, --this.#valueCount * 32)
        break
      case UNDO_CLEAR:
        target.undoClear(id, number)
        break
      case UNDO_TOUCH:
        target.undoTouch(id, number)
    }
  }

  #push(kind: UndoKind, id: number, number: number): void {
    const at = this.#length++
    this.#kinds[at] = kind
    this.#ids[at] = id
    this.#numbers[at] = number
  }
}

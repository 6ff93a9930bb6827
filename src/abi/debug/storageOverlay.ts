/**
 * The slots that an execution has written so far, over the state before it. Calls that fail undo their writes.
 * @module
 */

type Undo = Map<string, Uint8Array | undefined>

export class StorageOverlay {
  readonly #written = new Map<string, Uint8Array>()
  /** For each open call: the values before it. */
  readonly #undo: Undo[] = []

  begin(): void {
    this.#undo.push(new Map())
  }

  /** The end of the innermost call. @param isKept whether it succeeded */
  end(isKept: boolean): void {
    const undo = this.#undo.pop()
    const outer = this.#undo.at(-1)
    if (undo === undefined) return
    for (const [key, before] of undo) {
      if (isKept) {
        if (outer !== undefined && !outer.has(key)) outer.set(key, before)
      } else if (before === undefined) this.#written.delete(key)
      else this.#written.set(key, before)
    }
  }

  /** @param address hex @param slot 32 bytes, hex */
  write(address: string, slot: string, value: Uint8Array, isTransient: boolean): void {
    const key = keyOf(address, slot, isTransient)
    const undo = this.#undo.at(-1)
    if (undo !== undefined && !undo.has(key)) undo.set(key, this.#written.get(key))
    this.#written.set(key, value)
  }

  /** @returns undefined for a slot that has not been written */
  read(address: string, slot: string, isTransient: boolean): Uint8Array | undefined {
    return this.#written.get(keyOf(address, slot, isTransient))
  }
}

function keyOf(address: string, slot: string, isTransient: boolean): string {
  return `${isTransient ? 't' : 's'}${address}${slot}`
}

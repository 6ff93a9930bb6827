/**
 * Inputs of KECCAK256 that an execution has hashed. They tell which keys of mappings have been used, since a slot of a
 * mapping does not reveal its key.
 * @module
 */
import { bytesToBigInt } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { WORD } from './solidityType.ts'

export interface MappingEntry {
  /** A padded word, or the bytes of a text. */
  readonly key: Uint8Array
  /** Slot of the value. */
  readonly slot: bigint
}

const MAX_PREIMAGES = 16_384
/** Longer keys are left out. */
const MAX_KEY_BYTES = 256

export class Preimages {
  readonly #entries = new Map<bigint, MappingEntry[]>()
  /** The base and the key of each derived slot. */
  readonly #origins = new Map<bigint, { readonly base: bigint; readonly key: Uint8Array }>()
  /** Derived slots, ascending. */
  readonly #sorted: bigint[] = []

  /** @param input key and slot, or the slot of a dynamic array alone */
  add(input: Uint8Array): void {
    if (input.length < WORD || input.length > WORD + MAX_KEY_BYTES || this.#origins.size >= MAX_PREIMAGES) return
    const slot = bytesToBigInt(keccak256(input))
    if (this.#origins.has(slot)) return
    const key = input.slice(0, input.length - WORD)
    const base = bytesToBigInt(input.subarray(input.length - WORD))
    this.#origins.set(slot, { base, key })
    this.#sorted.splice(countNotAbove(this.#sorted, slot), 0, slot)
    if (key.length === 0) return
    const known = this.#entries.get(base)
    if (known === undefined) this.#entries.set(base, [{ key, slot }])
    else known.push({ key, slot })
  }

  /** Known keys of the mapping at a slot, in the order of their first use. */
  entries(slot: bigint): readonly MappingEntry[] {
    return this.#entries.get(slot) ?? []
  }

  /** The nearest derived slot that is not above a slot. */
  originOf(slot: bigint): { readonly base: bigint; readonly key: Uint8Array; readonly at: bigint } | undefined {
    const at = this.#sorted[countNotAbove(this.#sorted, slot) - 1]
    const origin = at === undefined ? undefined : this.#origins.get(at)
    return at === undefined || origin === undefined ? undefined : { ...origin, at }
  }
}

function countNotAbove(sorted: readonly bigint[], value: bigint): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as bigint) <= value) low = middle + 1
    else high = middle
  }
  return low
}

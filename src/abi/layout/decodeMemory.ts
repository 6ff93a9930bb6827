/**
 * Decodes variables in memory.
 * @see Solidity documentation, "Layout in Memory"
 * @module
 */
import { readUint } from '../../base/primitives/bytes.ts'
import { isValueType, type ReferenceType, type SolidityType, WORD } from './solidityType.ts'
import {
  abiVariable,
  bytesVariable,
  type DecodeBudget,
  listVariable,
  MAX_DECODE_DEPTH,
  MAX_DECODED_BYTES,
  MAX_DECODED_ITEMS,
  notKnown,
  type Variable,
} from './variable.ts'

/** Bytes of a number that is read; a larger one is not a position in memory. */
const NUMBER_BYTES = 4

export class MemoryDecoder {
  readonly #memory: Uint8Array
  readonly #budget: DecodeBudget

  constructor(memory: Uint8Array, budget: DecodeBudget) {
    this.#memory = memory
    this.#budget = budget
  }

  /** @param pointer 32 bytes */
  at(name: string, type: ReferenceType, pointer: Uint8Array, depth = 0): Variable {
    const start = numberOf(pointer)
    if (start === undefined || depth > MAX_DECODE_DEPTH) return notKnown(name, type.label)
    switch (type.kind) {
      case 'bytes':
      case 'string':
        return this.#bytes(name, type, start)
      case 'array':
        return this.#array(name, type, start, depth)
      case 'struct':
        return this.#struct(name, type, start, depth)
      default:
        return notKnown(name, type.label)
    }
  }

  #bytes(name: string, { kind, label }: ReferenceType, start: number): Variable {
    const length = numberOf(this.#word(start))
    if (length === undefined) return notKnown(name, label)
    if (length > MAX_DECODED_BYTES || length > this.#budget.bytes) return notKnown(name, label, `${length} bytes`)
    this.#budget.bytes -= length
    return bytesVariable(name, label, kind === 'string', this.#read(start + WORD, length))
  }

  #array(name: string, type: ReferenceType & { readonly kind: 'array' }, start: number, depth: number): Variable {
    const { item, label, length: fixed } = type
    const length = fixed ?? numberOf(this.#word(start))
    if (length === undefined) return notKnown(name, label)
    const first = fixed === undefined ? start + WORD : start
    const count = Math.min(Number(length), MAX_DECODED_ITEMS)
    const items: Variable[] = []
    for (let i = 0; i < count; i++) items.push(this.#item(`[${i}]`, item, first + i * WORD, depth))
    return listVariable(name, label, items, false, BigInt(length) - BigInt(count))
  }

  #struct(name: string, type: ReferenceType & { readonly kind: 'struct' }, start: number, depth: number): Variable {
    // Structs in memory have no mappings.
    const members = type.members().members.filter((member) => member.type.kind !== 'mapping')
    const items = members.map((member, i) => this.#item(member.name, member.type, start + i * WORD, depth))
    return listVariable(name, type.label, items, true)
  }

  #item(name: string, type: SolidityType, at: number, depth: number): Variable {
    if (--this.#budget.items < 0) return notKnown(name, type.label, 'too large')
    const word = this.#word(at)
    return isValueType(type) ? abiVariable(name, type, word) : this.at(name, type, word, depth + 1)
  }

  #word(at: number): Uint8Array {
    return this.#read(at, WORD)
  }

  /** Memory that has not been used yet is zero. */
  #read(at: number, length: number): Uint8Array {
    const present = this.#memory.subarray(at, at + length)
    if (present.length === length) return present
    const padded = new Uint8Array(length)
    padded.set(present)
    return padded
  }
}

/** @returns undefined for a number that is no position or length */
export function numberOf(word: Uint8Array): number | undefined {
  for (let i = 0; i < WORD - NUMBER_BYTES; i++) if (word[i] !== 0) return undefined
  return readUint(word, WORD - NUMBER_BYTES, NUMBER_BYTES)
}

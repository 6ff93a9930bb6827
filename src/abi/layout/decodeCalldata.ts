/**
 * Decodes variables in call data, which has the form of the ABI.
 * @module
 */

import { numberOf } from './decodeMemory.ts'
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

interface Item {
  readonly name: string
  readonly type: SolidityType
}

export class CalldataDecoder {
  readonly #data: Uint8Array
  readonly #budget: DecodeBudget
  /** Bytes of the heads of types; `dynamic` for those that have an offset there. */
  readonly #heads = new Map<SolidityType, number | 'dynamic'>()

  constructor(data: Uint8Array, budget: DecodeBudget) {
    this.#data = data
    this.#budget = budget
  }

  /**
   * A variable with the location `calldata`.
   * @param offset of its data @param length of a dynamic array
   */
  referenced(name: string, type: ReferenceType, offset: Uint8Array, length: Uint8Array | undefined): Variable {
    const start = numberOf(offset)
    const count = length && numberOf(length)
    if (start === undefined || (length !== undefined && count === undefined)) return notKnown(name, type.label)
    return count === undefined ? this.#value(name, type, start, 0) : this.#counted(name, type, start, count, 0)
  }

  /** Values in a row, such as the arguments of a function. @param base to which their offsets are relative */
  tuple(items: readonly Item[], base: number, depth = 0): Variable[] {
    let head = base
    return items.map(({ name, type }) => {
      const value = this.#member(name, type, base, head, depth)
      const own = this.#headOf(type, 0)
      head += own === 'dynamic' ? WORD : own
      return value
    })
  }

  #member(name: string, type: SolidityType, base: number, head: number, depth: number): Variable {
    if (--this.#budget.items < 0 || depth > MAX_DECODE_DEPTH) return notKnown(name, type.label, 'too large')
    if (this.#headOf(type, 0) !== 'dynamic') return this.#value(name, type, head, depth)
    const word = this.#word(head)
    const offset = word && numberOf(word)
    return offset === undefined ? notKnown(name, type.label) : this.#value(name, type, base + offset, depth)
  }

  #value(name: string, type: SolidityType, at: number, depth: number): Variable {
    if (isValueType(type)) {
      const word = this.#word(at)
      return word === undefined ? notKnown(name, type.label) : abiVariable(name, type, word)
    }
    switch (type.kind) {
      case 'struct':
        return listVariable(name, type.label, this.tuple(type.members().members, at, depth + 1), true)
      case 'array':
        if (type.length !== undefined) return this.#items(name, type, at, type.length, depth)
        break
      case 'mapping':
        return notKnown(name, type.label)
    }
    const word = this.#word(at)
    const length = word && numberOf(word)
    return length === undefined ? notKnown(name, type.label) : this.#counted(name, type, at + WORD, length, depth)
  }

  /** A dynamic array whose length has been read. */
  #counted(name: string, type: ReferenceType, at: number, length: number, depth: number): Variable {
    if (type.kind === 'array') return this.#items(name, type, at, BigInt(length), depth)
    if (type.kind !== 'bytes' && type.kind !== 'string') return notKnown(name, type.label)
    if (at + length > this.#data.length) return notKnown(name, type.label)
    if (length > MAX_DECODED_BYTES || length > this.#budget.bytes) return notKnown(name, type.label, `${length} bytes`)
    this.#budget.bytes -= length
    return bytesVariable(name, type.label, type.kind === 'string', this.#data.subarray(at, at + length))
  }

  #items(
    name: string,
    { item, label }: ReferenceType & { readonly kind: 'array' },
    at: number,
    length: bigint,
    depth: number,
  ): Variable {
    const count = length > MAX_DECODED_ITEMS ? MAX_DECODED_ITEMS : Number(length)
    const items = Array.from({ length: count }, (_, i) => ({ name: `[${i}]`, type: item }))
    return listVariable(name, label, this.tuple(items, at, depth + 1), false, length - BigInt(count))
  }

  /** Each type is measured once, since a struct may be in many others. */
  #headOf(type: SolidityType, depth: number): number | 'dynamic' {
    if (depth > MAX_DECODE_DEPTH) throw new RangeError('the type is nested too deeply')
    const known = this.#heads.get(type)
    if (known !== undefined) return known
    const head = this.#measured(type, depth)
    this.#heads.set(type, head)
    return head
  }

  #measured(type: SolidityType, depth: number): number | 'dynamic' {
    if (type.kind === 'bytes' || type.kind === 'string') return 'dynamic'
    if (type.kind === 'array') {
      const item = type.length === undefined ? 'dynamic' : this.#headOf(type.item, depth + 1)
      return item === 'dynamic' ? item : Number(type.length) * item
    }
    if (type.kind !== 'struct') return WORD
    let sum = 0
    for (const member of type.members().members) {
      const head = this.#headOf(member.type, depth + 1)
      if (head === 'dynamic') return head
      sum += head
    }
    return sum
  }

  #word(at: number): Uint8Array | undefined {
    const word = this.#data.subarray(at, at + WORD)
    return word.length === WORD ? word : undefined
  }
}

/**
 * Decodes ABI values and prints them. The input is untrusted: its offsets and lengths are checked, and long values are
 * read only as far as they are shown.
 * @module
 */
import { bytesToBigInt, bytesToHex, readUint } from '../base/primitives/bytes.ts'
import { checksumAddress } from '../types/address.ts'
import { type AbiType, headBytes, isDynamic } from './abiType.ts'
import { plainText } from './plainText.ts'

export type AbiValue =
  | { readonly kind: 'number'; readonly value: bigint }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'address' | 'bytes'; readonly value: Uint8Array }
  | { readonly kind: 'string'; readonly value: string }
  /** `hidden`: number of further items that were not read */
  | { readonly kind: 'list'; readonly isTuple: boolean; readonly items: readonly AbiValue[]; readonly hidden: number }

const WORD = 32
const SPARE_TAIL_BYTES = 65_536
const MAX_STRING_LENGTH = 256
const MAX_SHOWN_BYTES = 64

const utf8 = new TextDecoder()

export interface DecodeOptions {
  /** Whether the end of the data may be missing: text and bytes are then shortened. */
  readonly isCut?: boolean
  /** Items that are read of one array; further ones are counted only. */
  readonly maxItems?: number
  /** Items of all arrays and tuples together; data with more are refused. */
  readonly maxAllItems?: number
}

/** Limits for values that are printed in a line. */
const LINE = { isCut: false, maxItems: 16, maxAllItems: 256 }

/** @returns undefined when the data do not have these types */
export function decodeAbi(
  types: readonly AbiType[],
  data: Uint8Array,
  options: DecodeOptions = LINE,
): readonly AbiValue[] | undefined {
  try {
    return new AbiReader(data, { ...LINE, ...options }).tuple(types, 0)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

class AbiReader {
  readonly #data: Uint8Array
  readonly #options: Required<DecodeOptions>
  #items = 0
  /** Offsets may lead to the same bytes many times. */
  #tailBytes: number

  constructor(data: Uint8Array, options: Required<DecodeOptions>) {
    this.#data = data
    this.#options = options
    this.#tailBytes = 2 * data.length + SPARE_TAIL_BYTES
  }

  /** @param base start of the tuple, to which its offsets are relative */
  tuple(types: readonly AbiType[], base: number): AbiValue[] {
    const values: AbiValue[] = []
    let head = base
    for (const type of types) {
      values.push(this.#member(type, base, head))
      head += headBytes(type)
    }
    return values
  }

  #member(type: AbiType, base: number, head: number): AbiValue {
    if (++this.#items > this.#options.maxAllItems) throw new RangeError('too many items')
    return this.#value(type, isDynamic(type) ? base + this.#length(head) : head)
  }

  #value(type: AbiType, at: number): AbiValue {
    switch (type.kind) {
      case 'uint':
        return { kind: 'number', value: BigInt.asUintN(type.bits, this.#word(at)) }
      case 'int':
        return { kind: 'number', value: BigInt.asIntN(type.bits, this.#word(at)) }
      case 'bool':
        return { kind: 'bool', value: this.#word(at) !== 0n }
      case 'address':
        return { kind: 'address', value: this.#bytes(at, WORD).slice(12) }
      case 'fixedBytes':
        return { kind: 'bytes', value: this.#bytes(at, WORD).slice(0, type.length) }
      case 'bytes':
        return { kind: 'bytes', value: this.#tail(at) }
      case 'string':
        return { kind: 'string', value: utf8.decode(this.#tail(at)) }
      case 'array':
        return this.#array(type.item, type.length ?? this.#length(at), type.length === undefined ? at + WORD : at)
      case 'tuple':
        return { kind: 'list', isTuple: true, items: this.tuple(type.members, at), hidden: 0 }
    }
  }

  #array(item: AbiType, length: number, at: number): AbiValue {
    const count = Math.min(length, this.#options.maxItems)
    const items = this.tuple(new Array<AbiType>(count).fill(item), at)
    return { kind: 'list', isTuple: false, items, hidden: length - count }
  }

  #word(at: number): bigint {
    return bytesToBigInt(this.#bytes(at, WORD))
  }

  /** An offset or a length. */
  #length(at: number): number {
    const word = this.#bytes(at, WORD)
    for (let i = 0; i < WORD - 4; i++) if (word[i] !== 0) throw new RangeError('offset out of bounds')
    return readUint(word, WORD - 4, 4)
  }

  /** The bytes after their length. */
  #tail(at: number): Uint8Array {
    const length = this.#length(at)
    const available = this.#data.length - at - WORD
    const bytes = this.#bytes(at + WORD, this.#options.isCut ? Math.min(length, available) : length)
    this.#tailBytes -= bytes.length
    if (this.#tailBytes < 0) throw new RangeError('the same bytes are used too often')
    return bytes
  }

  #bytes(at: number, length: number): Uint8Array {
    if (at + length > this.#data.length) throw new RangeError('offset out of bounds')
    return this.#data.subarray(at, at + length)
  }
}

/** As in Solidity source: text in quotes, bytes in hex, lists in brackets, tuples in parentheses. */
export function abiText(value: AbiValue): string {
  switch (value.kind) {
    case 'string':
      return `"${plainText(value.value, MAX_STRING_LENGTH)}"`
    case 'list': {
      const items = value.items.map(abiText)
      if (value.hidden > 0) items.push(`… ${value.hidden} more`)
      return value.isTuple ? `(${items.join(', ')})` : `[${items.join(', ')}]`
    }
    default:
      return plainValue(value)
  }
}

/** A value other than text or a list. */
function plainValue(value: Exclude<AbiValue, { readonly kind: 'string' | 'list' }>): string {
  switch (value.kind) {
    case 'address':
      return checksumAddress(value.value)
    case 'bytes':
      return shortHex(value.value)
    default:
      return String(value.value)
  }
}

export function shortHex(bytes: Uint8Array, maxBytes: number = MAX_SHOWN_BYTES): string {
  if (bytes.length <= maxBytes) return bytesToHex(bytes)
  return `${bytesToHex(bytes.subarray(0, maxBytes))}… (${bytes.length} bytes)`
}

/**
 * Decodes state variables.
 * @module
 */
import { bigIntToBytesPadded, bytesToBigInt } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import type { MappingEntry } from './preimages.ts'
import {
  isValueType,
  itemsPerSlot,
  type ReferenceType,
  type SolidityType,
  storageSlots,
  valueBytes,
  WORD,
} from './solidityType.ts'
import {
  bytesVariable,
  type DecodeBudget,
  listVariable,
  MAX_DECODE_DEPTH,
  MAX_DECODED_BYTES,
  MAX_DECODED_ITEMS,
  notKnown,
  packedVariable,
  type Variable,
  wordVariable,
} from './variable.ts'

/** The known parts of a storage. */
export interface SlotSource {
  /** @returns 32 bytes; undefined when the value is not known */
  read(slot: bigint): Uint8Array | undefined
  /** Known keys of the mapping at a slot. */
  entries(slot: bigint): readonly MappingEntry[]
}

/** A place in a storage. */
export interface SlotPlace {
  readonly slot: bigint
  /** Bytes from the right end. */
  readonly offset: number
}

const LAST_SLOT = (1n << 256n) - 1n

/** The first slot of the data of a dynamic array at a slot. */
export function dataSlot(slot: bigint): bigint {
  return bytesToBigInt(keccak256(bigIntToBytesPadded(slot, WORD)))
}

/** The name of a value in a mapping. */
export function keyVariable(type: SolidityType, key: Uint8Array): Variable {
  if (type.kind === 'string' || type.kind === 'bytes') {
    return bytesVariable('', type.label, type.kind === 'string', key)
  }
  return isValueType(type) && key.length === WORD ? wordVariable('', type, key) : notKnown('', type.label)
}

export class StorageDecoder {
  readonly #source: SlotSource
  readonly #budget: DecodeBudget

  constructor(source: SlotSource, budget: DecodeBudget) {
    this.#source = source
    this.#budget = budget
  }

  /** @param place of a struct, an array or a mapping: its first slot, offset 0 */
  variable(name: string, type: SolidityType, { slot, offset }: SlotPlace, depth = 0): Variable {
    if (--this.#budget.items < 0 || depth > MAX_DECODE_DEPTH) return notKnown(name, type.label, 'too large')
    const place = { slot: `0x${slot.toString(16)}`, offset }
    try {
      return { ...this.#decoded(name, type, slot & LAST_SLOT, offset, depth), ...place }
    } catch (error) {
      // A type of a lying artifact that cannot be laid out.
      if (error instanceof RangeError) return { ...notKnown(name, type.label), ...place }
      throw error
    }
  }

  #decoded(name: string, type: SolidityType, slot: bigint, offset: number, depth: number): Variable {
    if (!isValueType(type)) return this.#reference(name, type, slot, depth)
    const word = this.#source.read(slot)
    return word === undefined ? notKnown(name, type.label) : packedVariable(name, type, word, offset)
  }

  #reference(name: string, type: ReferenceType, slot: bigint, depth: number): Variable {
    switch (type.kind) {
      case 'bytes':
      case 'string':
        return this.#bytes(name, type, slot)
      case 'array':
        return this.#array(name, type, slot, depth)
      case 'struct': {
        const { members } = type.members()
        const decoded = members.map((member) =>
          this.variable(member.name, member.type, { slot: slot + member.slot, offset: member.offset }, depth + 1),
        )
        return listVariable(name, type.label, decoded, true)
      }
      case 'mapping':
        return this.#mapping(name, type, slot, depth)
    }
  }

  #bytes(name: string, { kind, label }: ReferenceType, slot: bigint): Variable {
    const word = this.#source.read(slot)
    if (word === undefined) return notKnown(name, label)
    const last = word[WORD - 1] as number
    const isShort = (last & 1) === 0
    const length = isShort ? BigInt(last >>> 1) : bytesToBigInt(word) >> 1n
    // Solidity itself fails with the panic 0x22 here.
    if (isShort ? length >= WORD : length < WORD)
      return notKnown(name, label, 'its length is not encoded as in Solidity')
    if (length > MAX_DECODED_BYTES || Number(length) > this.#budget.bytes)
      return notKnown(name, label, `${length} bytes`)
    this.#budget.bytes -= Number(length)
    const bytes = isShort ? word.subarray(0, Number(length)) : this.#longBytes(dataSlot(slot), Number(length))
    return bytes === undefined ? notKnown(name, label) : bytesVariable(name, label, kind === 'string', bytes)
  }

  #longBytes(first: bigint, length: number): Uint8Array | undefined {
    const bytes = new Uint8Array(Math.ceil(length / WORD) * WORD)
    for (let at = 0; at < length; at += WORD) {
      const word = this.#source.read((first + BigInt(at / WORD)) & LAST_SLOT)
      if (word === undefined) return undefined
      bytes.set(word, at)
    }
    return bytes.subarray(0, length)
  }

  #array(name: string, type: ReferenceType & { readonly kind: 'array' }, slot: bigint, depth: number): Variable {
    const { item, length: fixed, label } = type
    const word = fixed === undefined ? this.#source.read(slot) : undefined
    const length = fixed ?? (word && bytesToBigInt(word))
    if (length === undefined) return notKnown(name, label)
    const first = fixed === undefined ? dataSlot(slot) : slot
    const count = length > MAX_DECODED_ITEMS ? MAX_DECODED_ITEMS : Number(length)
    const items: Variable[] = []
    for (let i = 0; i < count; i++)
      items.push(this.variable(`[${i}]`, item, itemPlace(item, first, BigInt(i)), depth + 1))
    return listVariable(name, label, items, false, length - BigInt(count))
  }

  #mapping(name: string, type: ReferenceType & { readonly kind: 'mapping' }, slot: bigint, depth: number): Variable {
    const entries = this.#source.entries(slot)
    const members = entries.slice(0, MAX_DECODED_ITEMS).map((entry) => {
      const key = keyVariable(type.key, entry.key)
      return this.variable(`[${key.text}]`, type.value, { slot: entry.slot, offset: 0 }, depth + 1)
    })
    const text = `${entries.length} known ${entries.length === 1 ? 'key' : 'keys'}`
    return { name, type: type.label, value: null, text, known: true, members }
  }
}

/** Where an item of an array is. */
export function itemPlace(item: SolidityType, first: bigint, index: bigint): SlotPlace {
  const perSlot = itemsPerSlot(item)
  if (!isValueType(item)) return { slot: first + index * storageSlots(item), offset: 0 }
  const slot = first + index / BigInt(perSlot)
  return { slot, offset: Number(index % BigInt(perSlot)) * valueBytes(item) }
}

/**
 * Names of slots: the way back from a slot to the state variable that it belongs to.
 * @module
 */
import { bytesToBigInt } from '../../base/primitives/bytes.ts'
import { dataSlot, itemPlace, keyVariable } from './decodeStorage.ts'
import type { Preimages } from './preimages.ts'
import { isValueType, itemsPerSlot, type SolidityType, type StructMember, storageSlots, WORD } from './solidityType.ts'
import type { StorageLayout } from './storageLayout.ts'
import { bytesVariable, packedVariable } from './variable.ts'

/** The variables of one slot; small ones share it. */
export interface SlotName {
  /** `owner`, `balances[0xAb…]`, or several names with commas. */
  readonly variable: string
  readonly type: string
  /** @param word 32 bytes; null for a slot that holds a part of a value, such as the data of a long text */
  text(word: Uint8Array): string | null
}

/** A part of the storage with a type. */
interface Region {
  readonly path: string
  readonly type: SolidityType
  readonly slot: bigint
  /** Bytes from the right end. */
  readonly offset: number
  /** Whether it is the data of a long text or of bytes, whose length is elsewhere. */
  readonly isData?: boolean
}

interface Origin {
  readonly base: bigint
  readonly key: Uint8Array
  readonly at: bigint
}

const MAX_DEPTH = 16
/** Parts of a layout that are looked at for one slot; a lying one may have any number at the same place. */
const MAX_PARTS = 16_384
/** The largest number of variables that fit in one slot. */
const MAX_NAMED = 32
/** Items that are assumed for the data of a dynamic array, whose length may be anything. */
const MAX_ITEMS = 1n << 64n

/**
 * @param preimages of KECCAK256 that were seen; without them, only slots outside mappings and dynamic arrays have names
 * @returns undefined for a slot that no known variable has
 */
export function nameSlot(layout: StorageLayout, slot: bigint, preimages: Preimages): SlotName | undefined {
  try {
    const regions = new SlotSearch(layout.variables, preimages).regionsAt(slot, 0)
    if (regions.length === 0) return undefined
    return {
      variable: regions.map(({ path, type }) => (isLengthOf(type) ? `${path}.length` : path)).join(', '),
      type: regions.map(({ type }) => (isLengthOf(type) ? 'uint256' : type.label)).join(', '),
      text: (word) => joined(regions.map((region) => textOf(region, word))),
    }
  } catch (error) {
    // A type of a lying artifact that cannot be laid out.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function isLengthOf(type: SolidityType): boolean {
  return type.kind === 'array'
}

function joined(texts: readonly (string | null)[]): string | null {
  return texts.includes(null) ? null : texts.join(', ')
}

function textOf({ type, offset, isData }: Region, word: Uint8Array): string | null {
  if (isValueType(type)) return packedVariable('', type, word, offset).text
  if (type.kind === 'array') return String(bytesToBigInt(word))
  if (type.kind === 'mapping' || isData === true) return null
  return bytesHeadText(type, word)
}

/** The slot of `bytes` or `string`: short ones are in it, of long ones it has the length. */
function bytesHeadText({ kind, label }: SolidityType, word: Uint8Array): string {
  const last = word[WORD - 1] as number
  if ((last & 1) === 1) return `${bytesToBigInt(word) >> 1n} bytes`
  return bytesVariable('', label, kind === 'string', word.subarray(0, Math.min(last >>> 1, WORD - 1))).text
}

class SlotSearch {
  readonly #variables: readonly StructMember[]
  readonly #preimages: Preimages
  #left = MAX_PARTS

  constructor(variables: readonly StructMember[], preimages: Preimages) {
    this.#variables = variables
    this.#preimages = preimages
  }

  /** The values, and the heads of mappings and dynamic values, that have a slot. */
  regionsAt(slot: bigint, depth: number): Region[] {
    const direct = this.#variables.flatMap(({ name, type, slot: at, offset }) =>
      at <= slot ? this.#partsAt({ path: name, type, slot: at, offset }, slot, 0) : [],
    )
    if (direct.length > 0) return direct.slice(0, MAX_NAMED)
    const origin = depth < MAX_DEPTH ? this.#preimages.originOf(slot) : undefined
    if (origin === undefined) return []
    const heads = this.regionsAt(origin.base, depth + 1)
    return heads.flatMap((head) => this.#partsAtHash(head, origin, slot)).slice(0, MAX_NAMED)
  }

  /** The parts of a head at the hash of its slot: the value of a key, or its data. */
  #partsAtHash({ path, type }: Region, { base, key, at }: Origin, slot: bigint): Region[] {
    if (type.kind === 'mapping' && key.length > 0) {
      const value = { path: `${path}[${keyVariable(type.key, key).text}]`, type: type.value, slot: at, offset: 0 }
      return this.#partsAt(value, slot, 0)
    }
    if (key.length > 0 || at !== dataSlot(base)) return []
    if (type.kind === 'bytes' || type.kind === 'string') return [{ path, type, slot, offset: 0, isData: true }]
    if (type.kind !== 'array') return []
    return this.#partsAt({ path, type: { ...type, length: MAX_ITEMS }, slot: at, offset: 0 }, slot, 0)
  }

  /** The parts of a region that have a slot. */
  #partsAt(region: Region, slot: bigint, depth: number): Region[] {
    if (--this.#left < 0) throw new RangeError('the layout has too many parts')
    const { path, type, slot: start } = region
    if (depth > MAX_DEPTH || slot >= start + storageSlots(type)) return []
    if (type.kind === 'struct') {
      return type.members().members.flatMap((member) => {
        const at = start + member.slot
        if (at > slot) return []
        const part = { path: `${path}.${member.name}`, type: member.type, slot: at, offset: member.offset }
        return this.#partsAt(part, slot, depth + 1)
      })
    }
    if (type.kind !== 'array' || type.length === undefined) return [region]
    return itemsAt(path, type.item, type.length, start, slot).flatMap((item) => this.#partsAt(item, slot, depth + 1))
  }
}

/** The items of an array that have a slot. */
function itemsAt(path: string, item: SolidityType, length: bigint, start: bigint, slot: bigint): Region[] {
  const perSlot = BigInt(itemsPerSlot(item))
  const size = isValueType(item) ? 1n : storageSlots(item)
  if (size === 0n) return []
  const first = ((slot - start) / size) * perSlot
  const found: Region[] = []
  for (let index = first; index < first + perSlot && index < length; index++) {
    found.push({ path: `${path}[${index}]`, type: item, ...itemPlace(item, start, index) })
  }
  return found
}

/**
 * Types of Solidity, and the room that their values take in storage and on the stack.
 * @see Solidity documentation, "Layout of State Variables in Storage and Transient Storage"
 * @module
 */

interface Labelled {
  /** The name in a source, such as `mapping(address => uint256)`. */
  readonly label: string
}

/** A type whose values fit one word. */
export type ValueType = Labelled &
  (
    | { readonly kind: 'uint' | 'int'; readonly bits: number }
    | { readonly kind: 'bool' | 'address' }
    | { readonly kind: 'fixedBytes'; readonly length: number }
    /** `names` is empty where they are not known. */
    | { readonly kind: 'enum'; readonly size: number; readonly names: readonly string[] }
    /** `external`: address and selector. `internal`: a position in the code. */
    | { readonly kind: 'function'; readonly isExternal: boolean }
    /** A type whose definition is not known: its bytes. */
    | { readonly kind: 'opaque'; readonly size: number }
  )

export type ReferenceType = Labelled &
  (
    | { readonly kind: 'bytes' | 'string' }
    /** `length` undefined: dynamic */
    | { readonly kind: 'array'; readonly item: SolidityType; readonly length: bigint | undefined }
    /** Its members may contain the struct again, through arrays and mappings. */
    | { readonly kind: 'struct'; readonly members: () => StructShape }
    | { readonly kind: 'mapping'; readonly key: SolidityType; readonly value: SolidityType }
  )

export type SolidityType = ValueType | ReferenceType

export interface StructMember {
  readonly name: string
  readonly type: SolidityType
  /** From the first slot of the struct. */
  readonly slot: bigint
  /** Bytes from the right end of the slot. */
  readonly offset: number
}

export interface StructShape {
  readonly members: readonly StructMember[]
  readonly slots: bigint
}

export const WORD = 32
const ADDRESS_BYTES = 20
const EXTERNAL_FUNCTION_BYTES = 24
const INTERNAL_FUNCTION_BYTES = 8
/** Deeper types are refused; the compiler's own limit is lower in practice. */
const MAX_DEPTH = 32
const MAX_SLOTS = 1n << 256n

export function isValueType(type: SolidityType): type is ValueType {
  switch (type.kind) {
    case 'bytes':
    case 'string':
    case 'array':
    case 'struct':
    case 'mapping':
      return false
    default:
      return true
  }
}

/** Bytes of a value in a packed slot. */
export function valueBytes(type: ValueType): number {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return type.bits / 8
    case 'bool':
      return 1
    case 'address':
      return ADDRESS_BYTES
    case 'fixedBytes':
      return type.length
    case 'function':
      return type.isExternal ? EXTERNAL_FUNCTION_BYTES : INTERNAL_FUNCTION_BYTES
    default:
      return type.size
  }
}

/** @throws {RangeError} for a type that contains itself or is larger than the storage */
export function storageSlots(type: SolidityType, depth = 0): bigint {
  if (depth > MAX_DEPTH) throw new RangeError('the type is nested too deeply')
  let slots = 1n
  if (type.kind === 'struct') slots = type.members().slots
  else if (type.kind === 'array' && type.length !== undefined) slots = arraySlots(type.item, type.length, depth)
  if (slots > MAX_SLOTS) throw new RangeError('the type is larger than the storage')
  return slots
}

function arraySlots(item: SolidityType, length: bigint, depth: number): bigint {
  const perSlot = BigInt(itemsPerSlot(item))
  if (perSlot > 1n) return (length + perSlot - 1n) / perSlot
  return length * storageSlots(item, depth + 1)
}

/** Items of an array that share a slot. */
export function itemsPerSlot(item: SolidityType): number {
  return isValueType(item) ? Math.max(1, Math.floor(WORD / valueBytes(item))) : 1
}

/** Places members one after the other, as the compiler does for structs and state variables. */
export function placeMembers(
  members: readonly { readonly name: string; readonly type: SolidityType }[],
  firstSlot = 0n,
): StructShape {
  let slot = firstSlot
  let offset = 0
  const placed: StructMember[] = []
  for (const { name, type } of members) {
    const size = isValueType(type) ? valueBytes(type) : WORD
    if (offset > 0 && offset + size > WORD) {
      slot++
      offset = 0
    }
    placed.push({ name, type, slot, offset })
    offset += size
    if (isValueType(type)) continue
    // Structs and arrays begin a slot, and what follows them begins another.
    slot += storageSlots(type)
    offset = 0
  }
  if (offset > 0) slot++
  return { members: placed, slots: slot - firstSlot }
}

/** @throws {RangeError} in the returned function, when the struct contains itself */
export function lazyShape(make: () => StructShape): () => StructShape {
  let shape: StructShape | undefined
  let isOpen = false
  return () => {
    if (shape !== undefined) return shape
    if (isOpen) throw new RangeError('the struct contains itself')
    isOpen = true
    try {
      shape = make()
      return shape
    } finally {
      isOpen = false
    }
  }
}

export type DataLocation = 'default' | 'storage' | 'memory' | 'calldata'

/** Words of a variable on the stack of the legacy code generator. */
export function stackWords(type: SolidityType, location: DataLocation): number {
  if (type.kind === 'function') return type.isExternal ? 2 : 1
  if (location !== 'calldata') return 1
  return type.kind === 'bytes' || type.kind === 'string' || (type.kind === 'array' && type.length === undefined) ? 2 : 1
}

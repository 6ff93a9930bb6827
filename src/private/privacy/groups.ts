/**
 * Privacy groups: ids, addresses of their contracts, and the addresses that select them.
 * @module
 */
import { toBase64 } from '../../base/primitives/base64.ts'
import { bigIntToBytes, equalBytes } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { rlpEncode } from '../../base/primitives/rlp.ts'

export interface PrivacyGroup {
  /** Base64 */
  readonly privacyGroupId: string
  readonly name: string
  readonly description: string
  /** `PANTHEON`: created by the enclave, which writes its type so; `LEGACY`: derived from keys; `FLEXIBLE`: in a contract. */
  readonly type: string
  /** Base64 */
  readonly members: readonly string[]
}

const lastByte = (value: number): Uint8Array => {
  const address = new Uint8Array(20)
  address[19] = value
  return address
}

/** Target of the markers of legacy groups and of groups of the enclave. */
export const PRIVACY_PRECOMPILE: Uint8Array = lastByte(0x7e)
/** Target of the markers of flexible groups. */
export const FLEXIBLE_PRECOMPILE: Uint8Array = lastByte(0x7d)
/** In the private state of a flexible group: the contract that is called. */
export const GROUP_PROXY: Uint8Array = lastByte(0x7c)
/** In the private state of a flexible group: the first implementation. */
export const GROUP_MANAGEMENT: Uint8Array = lastByte(0x7b)

/** java.util.Arrays.hashCode of signed bytes: the order of the keys in the id of a legacy group. */
function arrayHash(bytes: Uint8Array): number {
  let hash = 1
  for (const byte of bytes) hash = (Math.imul(31, hash) + ((byte << 24) >> 24)) | 0
  return hash
}

/**
 * The id of the group of some keys, 32 bytes.
 * @param keys in any order, also repeated
 */
export function legacyGroupId(keys: readonly Uint8Array[]): Uint8Array {
  return keccak256(rlpEncode(inArrayOrder(keys)))
}

/**
 * The id of a group that an enclave creates, 32 bytes.
 * @param members in any order, also repeated
 * @param seed random bytes
 */
export function seededGroupId(members: readonly Uint8Array[], seed: Uint8Array): Uint8Array {
  return keccak256(rlpEncode([...inArrayOrder(members), seed]))
}

function inArrayOrder(keys: readonly Uint8Array[]): Uint8Array[] {
  const distinct = new Map(keys.map((key) => [toBase64(key), key]))
  const sorted = [...distinct.values()].map((key) => ({ key, hash: arrayHash(key) }))
  sorted.sort((a, b) => a.hash - b.hash)
  return sorted.map(({ key }) => key)
}

/**
 * Address of a contract that a private transaction creates.
 * @param sender 20 bytes
 * @param nonce the sender's nonce in the group before the creation
 * @param groupId 32 bytes
 */
export function privateContractAddress(sender: Uint8Array, nonce: bigint, groupId: Uint8Array): Uint8Array {
  return keccak256(rlpEncode([sender, bigIntToBytes(nonce), groupId])).slice(12)
}

/** The address to which markers are sent. */
export function markerTarget(isFlexible: boolean): Uint8Array {
  return isFlexible ? FLEXIBLE_PRECOMPILE : PRIVACY_PRECOMPILE
}

const KEY_BYTES = 32
const GROUP_ID_BYTES = 32

export function isGroupId(bytes: Uint8Array): boolean {
  return bytes.length === GROUP_ID_BYTES
}

/** @returns the enclave's key of the payload that a marker refers to; undefined for another transaction */
export function markerPayloadKey(
  { to, data }: { readonly to: Uint8Array | undefined; readonly data: Uint8Array },
  isFlexible: boolean,
): Uint8Array | undefined {
  if (to === undefined || !equalBytes(to, markerTarget(isFlexible))) return undefined
  if (data.length === KEY_BYTES || (isFlexible && data.length === 2 * KEY_BYTES)) return data.subarray(0, KEY_BYTES)
  return undefined
}

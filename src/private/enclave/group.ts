/**
 * Privacy groups of enclaves, in the binary form of Tessera.
 * @module
 */
import { MAX_ENCLAVE_RECIPIENTS } from '../../base/limits/limits.ts'
import { toBase64 } from '../../base/primitives/base64.ts'
import { concatBytes, EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { legacyGroupId, type PrivacyGroup, seededGroupId } from '../privacy/groups.ts'
import { KEY_BYTES } from './boxes.ts'
import { FieldReader, fieldOf, fieldsOf, malformed } from './fields.ts'

export interface EnclaveGroup {
  readonly type: 'LEGACY' | 'PANTHEON'
  readonly name: string
  readonly description: string
  /** Public keys. */
  readonly members: readonly Uint8Array[]
  /** Part of the id, known to the members only; empty for the type LEGACY. */
  readonly seed: Uint8Array
  readonly isDeleted: boolean
}

const LEGACY_NAME = 'legacy'
const LEGACY_DESCRIPTION = 'Privacy groups to support the creation of groups by privateFor and privateFrom'

/** The group of keys that a transaction names. */
export function legacyGroup(members: readonly Uint8Array[]): EnclaveGroup {
  const [name, description] = [LEGACY_NAME, LEGACY_DESCRIPTION]
  return { type: 'LEGACY', name, description, members, seed: EMPTY_BYTES, isDeleted: false }
}

/** 32 bytes, which the members and the seed determine. */
export function groupIdOf({ type, members, seed }: EnclaveGroup): Uint8Array {
  return type === 'LEGACY' ? legacyGroupId(members) : seededGroupId(members, seed)
}

/** As the node sees it. */
export function groupObject(group: EnclaveGroup): PrivacyGroup {
  const { name, description, type, members } = group
  return { privacyGroupId: toBase64(groupIdOf(group)), name, description, type, members: members.map(toBase64) }
}

const text = new TextEncoder()

export function encodeGroup({ name, description, members, seed, type, isDeleted }: EnclaveGroup): Uint8Array {
  return concatBytes(
    fieldOf(text.encode(name)),
    fieldOf(text.encode(description)),
    fieldsOf(members),
    fieldOf(seed),
    fieldOf(text.encode(type)),
    fieldOf(text.encode(isDeleted ? 'DELETED' : 'ACTIVE')),
  )
}

/**
 * @param bytes of any origin
 * @throws {NodeError} ENCLAVE_REFUSAL with status 400
 */
export function decodeGroup(bytes: Uint8Array): EnclaveGroup {
  const reader = new FieldReader(bytes)
  const [name, description] = [reader.text(), reader.text()]
  const members = reader.list(MAX_ENCLAVE_RECIPIENTS, () => reader.fixed(KEY_BYTES))
  const seed = reader.field()
  const [type, state] = [reader.text(), reader.text()]
  if (type !== 'LEGACY' && type !== 'PANTHEON') throw malformed('a privacy group has an unknown type')
  if (state !== 'ACTIVE' && state !== 'DELETED') throw malformed('a privacy group has an unknown state')
  if (members.length === 0) throw malformed('a privacy group has no members')
  if (!reader.isAtEnd) throw malformed('bytes follow the message')
  return { type, name, description, members, seed, isDeleted: state === 'DELETED' }
}

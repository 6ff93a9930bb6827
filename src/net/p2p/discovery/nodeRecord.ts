/**
 * Ethereum Node Records: signed contact data of a node.
 * @see EIP-778, EIP-868
 * @module
 */
import type { Signer } from '../../../base/ports/signer.ts'
import { fromBase64Url, toBase64Url } from '../../../base/primitives/baseEncoding.ts'
import { bigIntToBytes, bytesToBigInt, compareBytes, EMPTY_BYTES } from '../../../base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../../base/primitives/errors.ts'
import { keccak256 } from '../../../base/primitives/keccak.ts'
import { type DecodedItem, type RlpItem, rlpDecodeList, rlpEncode } from '../../../base/primitives/rlp.ts'
import { compressedKey, signerOf } from '../../../base/primitives/secp256k1.ts'

/** Values by key. Keys are byte strings, written with one character per byte. */
export type RecordEntries = ReadonlyMap<string, RlpItem>

/** A record whose signature has been verified. */
export interface NodeRecord {
  /** Grows with each change, 64 bits. */
  readonly seq: bigint
  /** 64 bytes x ‖ y */
  readonly publicKey: Uint8Array
  readonly entries: RecordEntries
  /** Its encoding, at most 300 bytes. */
  readonly bytes: Uint8Array
}

export const MAX_RECORD_BYTES = 300
const SIGNATURE_BYTES = 64
const COMPRESSED_KEY_BYTES = 33
const MAX_SEQ_BYTES = 8
const PREFIX = 'enr:'
const SCHEME = 'v4'

const keyText = (key: Uint8Array): string => String.fromCharCode(...key)
const keyBytes = (key: string): Uint8Array => Uint8Array.from(key, (character) => character.charCodeAt(0))
const ascii = keyBytes

function invalid(reason: string): NodeError<{ code: 'INVALID_RECORD' }> {
  return new NodeError({ code: 'INVALID_RECORD' }, `invalid node record: ${reason}`)
}

/**
 * Signs a record under the identity scheme v4.
 * @param entries without `id` and `secp256k1`, which are added
 * @throws {NodeError} INVALID_RECORD when the record exceeds 300 bytes
 */
export function createRecord(signer: Signer, seq: bigint, entries: RecordEntries): NodeRecord {
  const complete = new Map([...entries, ['id', ascii(SCHEME)], ['secp256k1', compressedKey(signer.publicKey)]])
  const sortedPairs = new Map([...complete].sort(([a], [b]) => compareBytes(keyBytes(a), keyBytes(b))))
  const content: RlpItem[] = [bigIntToBytes(seq), ...[...sortedPairs].flatMap(([key, value]) => [keyBytes(key), value])]
  const { signature } = signer.sign(keccak256(rlpEncode(content)))
  const bytes = rlpEncode([signature, ...content])
  if (bytes.length > MAX_RECORD_BYTES) throw invalid(`${bytes.length} bytes, at most ${MAX_RECORD_BYTES} are allowed`)
  return { seq, publicKey: signer.publicKey, entries: sortedPairs, bytes }
}

/**
 * Returns the record that announces the entries: the previous one if they are equal, else a new one with the next
 * sequence number.
 * @throws {NodeError} INVALID_RECORD when the record exceeds 300 bytes
 */
export function renewRecord(signer: Signer, previous: NodeRecord | undefined, entries: RecordEntries): NodeRecord {
  if (previous === undefined) return createRecord(signer, 1n, entries)
  const renewed = createRecord(signer, previous.seq, entries)
  // Signatures are deterministic, so equal contents have equal encodings.
  if (compareBytes(renewed.bytes, previous.bytes) === 0) return previous
  return createRecord(signer, previous.seq + 1n, entries)
}

/**
 * Decodes and verifies a record.
 * @throws {NodeError} INVALID_RECORD with the reason
 */
export function decodeRecord(input: Uint8Array): NodeRecord {
  if (input.length > MAX_RECORD_BYTES) throw invalid(`${input.length} bytes, at most ${MAX_RECORD_BYTES} are allowed`)
  const bytes = input.slice()
  const items = itemsOf(bytes)
  const [signature, seq, ...pairs] = items
  if (!(signature instanceof Uint8Array) || signature.length !== SIGNATURE_BYTES)
    throw invalid('no signature of 64 bytes')
  if (!(seq instanceof Uint8Array) || seq.length > MAX_SEQ_BYTES || seq[0] === 0) throw invalid('no sequence number')
  const entries = entriesOf(pairs)
  const scheme = entries.get('id')
  if (!(scheme instanceof Uint8Array) || keyText(scheme) !== SCHEME) throw invalid('the identity scheme is not v4')
  const key = entries.get('secp256k1')
  if (!(key instanceof Uint8Array) || key.length !== COMPRESSED_KEY_BYTES) throw invalid('no public key of 33 bytes')
  const publicKey = signerOf(keccak256(rlpEncode(items.slice(1))), signature, key)
  if (publicKey === undefined) throw invalid('the signature does not match the public key')
  return { seq: bytesToBigInt(seq), publicKey, entries, bytes }
}

function itemsOf(bytes: Uint8Array): DecodedItem[] {
  try {
    return rlpDecodeList(bytes)
  } catch (error) {
    if (isNodeError(error, 'INVALID_RLP')) throw invalid(error.message)
    throw error
  }
}

function entriesOf(pairs: readonly DecodedItem[]): RecordEntries {
  if (pairs.length % 2 !== 0) throw invalid('a key without a value')
  const entries = new Map<string, RlpItem>()
  let previous: Uint8Array | undefined
  for (let i = 0; i < pairs.length; i += 2) {
    const key = pairs[i]
    if (!(key instanceof Uint8Array)) throw invalid('a key is a list')
    if (previous !== undefined && compareBytes(previous, key) >= 0)
      throw invalid('the keys are not sorted or not unique')
    previous = key
    entries.set(keyText(key), pairs[i + 1] as DecodedItem)
  }
  return entries
}

/** Text form: `enr:` and base64url. */
export function recordText(record: NodeRecord): string {
  return PREFIX + toBase64Url(record.bytes)
}

/** @throws {NodeError} INVALID_RECORD with the reason */
export function parseRecord(text: string): NodeRecord {
  if (!text.startsWith(PREFIX)) throw invalid('the text does not start with enr:')
  if (text.length > PREFIX.length + 2 * MAX_RECORD_BYTES) throw invalid('the text is too long')
  const bytes = fromBase64Url(text.slice(PREFIX.length))
  if (bytes === undefined) throw invalid('the text is not base64url')
  return decodeRecord(bytes)
}

/** For untrusted input. @returns undefined for an invalid record */
export function tryDecodeRecord(bytes: Uint8Array): NodeRecord | undefined {
  try {
    return decodeRecord(bytes)
  } catch (error) {
    if (isNodeError(error, 'INVALID_RECORD')) return undefined
    throw error
  }
}

/** @returns empty when the value is a list */
export function bytesEntry(record: NodeRecord, key: string): Uint8Array {
  const value = record.entries.get(key)
  return value instanceof Uint8Array ? value : EMPTY_BYTES
}

/** Identity in the tables: keccak256 of the public key, 32 bytes. */
export function nodeHash(publicKey: Uint8Array): Uint8Array {
  return keccak256(publicKey)
}

/**
 * Manifests: the numbered chain of signed states of a mirror.
 *
 * A manifest is `"IMM1" ‖ length of the segment inside (4) ‖ segment inside ‖ record (RLP) ‖ signature (65)`. The signature is of
 * SHA-256 of all bytes before it.
 * @module
 */
import {
  MAX_INLINE_SEGMENT_BYTES,
  MAX_MANIFEST_BYTES,
  MAX_MANIFEST_FILTER_BYTES,
  MAX_RECENT_SEGMENTS,
} from '../../base/limits/limits.ts'
import { bytesToHex, concatBytes, EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'
import type { MaybePromise } from '../../base/primitives/maybePromise.ts'
import { type RlpItem, rlpEncode } from '../../base/primitives/rlp.ts'
import { type RecoverableSignature, recoverAddress } from '../../base/primitives/secp256k1.ts'
import { sha256 } from '../../base/primitives/sha256.ts'
import type { FieldReader } from '../../types/fieldReader.ts'
import { mirrorDamaged, mirrorFormat, mirrorUnsigned } from '../errors.ts'
import { manifestName } from './names.ts'
import { HASH_BYTES, numberField, readList, readNumber, readRecord } from './record.ts'
import { requireHash } from './segmentIndex.ts'
import { type RecentSegment, readSegmentInfo, segmentFields } from './segmentInfo.ts'

/** Version of the format of all objects. */
export const MIRROR_FORMAT_VERSION = 1

export interface BlockName {
  readonly number: number
  /** 32 bytes */
  readonly hash: Uint8Array
}

/** The state of a mirror after one commit of its publisher. */
export interface Manifest {
  /** From 1, without gaps. */
  readonly number: number
  /** SHA-256 of the manifest before; zeros for the first one. */
  readonly previous: Uint8Array
  /** SHA-256 of `mirror.json` */
  readonly identity: Uint8Array
  /** Grows whenever a publisher starts. */
  readonly epoch: number
  readonly head: BlockName
  readonly safe: BlockName | undefined
  readonly finalized: BlockName | undefined
  /** Of the newest state. */
  readonly stateVersion: number
  /** Wall clock of the publisher, ms. */
  readonly timeMs: number
  /** SHA-256 of the list of merged segments; undefined: there are none */
  readonly list: Uint8Array | undefined
  /** Segments since the last merge, oldest first. A newer one replaces entries of an older one. */
  readonly recent: readonly RecentSegment[]
  /** The last ones of `recent` that the manifest before did not have, though they may replace some of its segments. */
  readonly added: number
  /** The last segment of `recent`, if it lies inside this manifest. */
  readonly inline: Uint8Array | undefined
}

/** A manifest that was read and whose signature was checked. */
export interface SignedManifest extends Manifest {
  /** SHA-256 of the whole object */
  readonly hash: Uint8Array
  /** 20 bytes */
  readonly publisher: Uint8Array
}

/** Signs a hash of 32 bytes. */
export type SignManifest = (hash: Uint8Array) => MaybePromise<RecoverableSignature>

const MAGIC: Uint8Array = new TextEncoder().encode('IMM')
const VERSION_AT = 3
const VERSION_CHARACTER = 0x30 + MIRROR_FORMAT_VERSION
/** Offset of the segment inside. */
export const INLINE_OFFSET = 8
const SIGNATURE_BYTES = 65

/** @throws {RangeError} when it would be longer than readers accept */
export async function encodeManifest(manifest: Manifest, sign: SignManifest): Promise<Uint8Array> {
  const inline = manifest.inline ?? EMPTY_BYTES
  if (inline.length > MAX_INLINE_SEGMENT_BYTES)
    throw new RangeError(`a segment of ${inline.length} bytes in a manifest`)
  const start = new Uint8Array(INLINE_OFFSET)
  start.set(MAGIC)
  start[VERSION_AT] = VERSION_CHARACTER
  new DataView(start.buffer).setUint32(4, inline.length)
  const signed = concatBytes(start, inline, rlpEncode(manifestFields(manifest)))
  if (signed.length + SIGNATURE_BYTES > MAX_MANIFEST_BYTES) {
    throw new RangeError(`a manifest of ${signed.length + SIGNATURE_BYTES} bytes`)
  }
  const { signature, yParity } = await sign(sha256(signed))
  return concatBytes(signed, signature, Uint8Array.of(yParity))
}

/**
 * @param number that the object is named after
 * @param publisher whose signature counts, 20 bytes
 * @throws {NodeError} MIRROR_UNSIGNED, MIRROR_FORMAT, MIRROR_DAMAGED
 */
export function decodeManifest(bytes: Uint8Array, number: number, publisher: Uint8Array): SignedManifest {
  const object = manifestName(number)
  if (bytes.length > MAX_MANIFEST_BYTES) throw mirrorDamaged(object, `it is longer than ${MAX_MANIFEST_BYTES} bytes`)
  requireStart(object, bytes)
  const signedLength = bytes.length - SIGNATURE_BYTES
  const inlineEnd = INLINE_OFFSET + new DataView(bytes.buffer, bytes.byteOffset).getUint32(4)
  if (inlineEnd > signedLength) throw mirrorDamaged(object, 'it is cut off')
  requireSignature(object, bytes.subarray(0, signedLength), bytes.subarray(signedLength), publisher)
  const inline = inlineEnd > INLINE_OFFSET ? bytes.subarray(INLINE_OFFSET, inlineEnd) : undefined
  const manifest = readRecord(object, bytes.subarray(inlineEnd, signedLength), readManifestFields)
  if (manifest.number !== number) throw mirrorDamaged(object, `it has the number ${manifest.number}`)
  requireInline(object, manifest, inline)
  return { ...manifest, inline, hash: sha256(bytes), publisher }
}

function requireStart(object: string, bytes: Uint8Array): void {
  if (bytes.length < INLINE_OFFSET + SIGNATURE_BYTES) throw mirrorDamaged(object, `it has ${bytes.length} bytes`)
  if (!equalBytes(bytes.subarray(0, VERSION_AT), MAGIC)) throw mirrorDamaged(object, 'it is not a manifest')
  const version = bytes[VERSION_AT] as number
  if (version !== VERSION_CHARACTER) {
    throw mirrorFormat(object, `it has format ${String.fromCharCode(version)}, newer than ${MIRROR_FORMAT_VERSION}`)
  }
}

function requireSignature(object: string, signed: Uint8Array, signature: Uint8Array, publisher: Uint8Array): void {
  const yParity = signature[SIGNATURE_BYTES - 1]
  const address =
    yParity === 0 || yParity === 1 ? recoverAddress(sha256(signed), signature.subarray(0, 64), yParity) : undefined
  if (address === undefined) throw mirrorUnsigned(object, 'its signature is invalid')
  if (!equalBytes(address, publisher)) {
    throw mirrorUnsigned(object, `${bytesToHex(address)} signed it, not ${bytesToHex(publisher)}`)
  }
}

function requireInline(object: string, manifest: Manifest, inline: Uint8Array | undefined): void {
  const last = manifest.recent.at(-1)
  const isNamed = last?.manifest === manifest.number
  if (isNamed !== (inline !== undefined)) throw mirrorDamaged(object, 'it does not name the segment that lies inside')
  if (last === undefined || inline === undefined) return
  requireHash(object, 'the segment inside', inline, last.hash)
}

function manifestFields(manifest: Manifest): RlpItem {
  return [
    numberField(manifest.number),
    manifest.previous,
    manifest.identity,
    numberField(manifest.epoch),
    blockName(manifest.head),
    blockName(manifest.safe),
    blockName(manifest.finalized),
    numberField(manifest.stateVersion),
    numberField(manifest.timeMs),
    manifest.list ?? EMPTY_BYTES,
    manifest.recent.map((segment) => [...segmentFields(segment), numberField(segment.manifest), segment.filter]),
    numberField(manifest.added),
  ]
}

function readManifestFields(fields: FieldReader): Omit<Manifest, 'inline'> & { inline: undefined } {
  const manifest = {
    number: readNumber(fields, 'number'),
    previous: fields.fixed('hash of the manifest before', HASH_BYTES),
    identity: fields.fixed('hash of the identity', HASH_BYTES),
    epoch: readNumber(fields, 'epoch'),
    head: readHead(fields),
    safe: readBlockName(fields, 'safe'),
    finalized: readBlockName(fields, 'finalized'),
    stateVersion: readNumber(fields, 'state version'),
    timeMs: readNumber(fields, 'time'),
    list: fields.optionalFixed('hash of the list', HASH_BYTES),
    recent: readList(fields, 'segments', MAX_RECENT_SEGMENTS, readRecent),
    added: readNumber(fields, 'number of new segments'),
    inline: undefined,
  }
  if (manifest.added > manifest.recent.length) throw fields.invalid('more segments are new than there are')
  if (manifest.recent.some(({ manifest: of }) => of > manifest.number)) {
    throw fields.invalid('a segment lies in a later manifest')
  }
  return manifest
}

function readRecent(fields: FieldReader): RecentSegment {
  const segment = {
    ...readSegmentInfo(fields),
    manifest: readNumber(fields, 'manifest of a segment'),
    filter: fields.bytes('filter'),
  }
  if (segment.filter.length > MAX_MANIFEST_FILTER_BYTES) throw fields.invalid('a filter is too long')
  return segment
}

function blockName(block: BlockName | undefined): RlpItem {
  return block === undefined ? [] : [numberField(block.number), block.hash]
}

function readHead(fields: FieldReader): BlockName {
  const head = readBlockName(fields, 'head')
  if (head === undefined) throw fields.invalid('head is missing')
  return head
}

function readBlockName(fields: FieldReader, name: string): BlockName | undefined {
  const block = fields.nested(name)
  if (block.count === 0) return undefined
  const result = { number: readNumber(block, `number of ${name}`), hash: block.fixed(`hash of ${name}`, HASH_BYTES) }
  block.end()
  return result
}

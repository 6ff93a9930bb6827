/**
 * The file form of a pack: what the runs of a fork have read, to run again without a network.
 *
 * Signature, version (1 byte), chain id (32), number (8) and hash (32) of the fork block, length of the entries (8), the
 * entries, and the XXH32 of all that (4). Integers are big-endian. An entry is three lengths, key and value: the length of the
 * beginning that its key shares with the key before, of the rest of the key, and of the value, each in groups of 7 bits, the
 * lowest first. Entries are sorted by key, so that equal runs write equal bytes. Nothing is compressed: implementations of gzip
 * differ in their output.
 * @module
 */
import { MAX_FORK_PACK_BYTES } from '../base/limits/limits.ts'
import {
  bigIntToBytesPadded,
  bytesToBigInt,
  bytesToHex,
  compareBytes,
  concatBytes,
  equalBytes,
  readUint,
  uintBytes,
} from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { xxh32 } from '../storage/checksum.ts'

export interface ForkPackHeader {
  readonly chainId: bigint
  readonly forkBlock: {
    readonly number: number
    /** 32 bytes */
    readonly hash: Uint8Array
  }
}

export type PackEntry = readonly [key: Uint8Array, value: Uint8Array]

export interface ForkPack {
  readonly header: ForkPackHeader
  /** Sorted by key. Values are views of the file. */
  readonly entries: readonly PackEntry[]
}

/** A program that changes the ends of lines in text files breaks it; the zero tells git that the file is not text. */
const SIGNATURE = Uint8Array.of(0x89, 0x49, 0x53, 0x4f, 0x46, 0x4f, 0x52, 0x4b, 0x0d, 0x0a, 0x1a, 0x0a, 0)
const VERSION = 1
const CHAIN_ID_AT = SIGNATURE.length + 1
const NUMBER_AT = CHAIN_ID_AT + 32
const HASH_AT = NUMBER_AT + 8
const LENGTH_AT = HASH_AT + 32
const HEADER_BYTES = LENGTH_AT + 8
const CHECKSUM_BYTES = 4
/** Numbers of 8 bytes are below 2^48. */
const WIDE_BYTES = 8
const USED_BYTES = 6
/** The lengths of an entry. */
const MAX_LENGTHS_BYTES = 15

/** Size of a pack with these entries, at most. */
export function packSize(entryCount: number, entryBytes: number): number {
  return HEADER_BYTES + CHECKSUM_BYTES + entryCount * MAX_LENGTHS_BYTES + entryBytes
}

/** @param entries in any order; each key once */
export function encodeForkPack({ chainId, forkBlock }: ForkPackHeader, entries: readonly PackEntry[]): Uint8Array {
  const parts = [...entries].sort(([a], [b]) => compareBytes(a, b)).flatMap(partsOfEntry)
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const header = concatBytes(
    SIGNATURE,
    Uint8Array.of(VERSION),
    bigIntToBytesPadded(chainId, 32),
    uintBytes(forkBlock.number, WIDE_BYTES),
    forkBlock.hash,
    uintBytes(length, WIDE_BYTES),
  )
  const whole = new Uint8Array(header.length + length + CHECKSUM_BYTES)
  let at = 0
  for (const part of [header, ...parts]) {
    whole.set(part, at)
    at += part.length
  }
  whole.set(checksumOf(whole, at), at)
  return whole
}

function partsOfEntry([key, value]: PackEntry, i: number, sorted: readonly PackEntry[]): Uint8Array[] {
  const shared = i === 0 ? 0 : sharedLength((sorted[i - 1] as PackEntry)[0], key)
  const lengths = [shared, key.length - shared, value.length].flatMap(groupsOf)
  return [Uint8Array.from(lengths), key.subarray(shared), value]
}

/**
 * @param bytes must not change afterwards
 * @throws {NodeError} FORK_PACK_INVALID
 */
export function decodeForkPack(bytes: Uint8Array): ForkPack {
  if (!equalBytes(bytes.subarray(0, SIGNATURE.length), SIGNATURE)) {
    throw invalidPack(bytes.length < SIGNATURE.length ? 'is cut off' : 'is not a pack of isonode')
  }
  const version = bytes[SIGNATURE.length]
  if (version !== undefined && version !== VERSION) throw invalidPack(`has version ${version}, which is not known`)
  if (bytes.length < HEADER_BYTES) throw invalidPack('is cut off')
  const end = HEADER_BYTES + readUint(bytes, LENGTH_AT + WIDE_BYTES - USED_BYTES, USED_BYTES)
  const total = end + CHECKSUM_BYTES
  if (bytes.length < total) throw invalidPack(`is cut off: it has ${bytes.length} of ${total} bytes`)
  if (bytes.length > total || total > MAX_FORK_PACK_BYTES) {
    throw invalidPack(`has ${bytes.length} bytes instead of ${total}, of at most ${MAX_FORK_PACK_BYTES}`)
  }
  if (!equalBytes(checksumOf(bytes, end), bytes.subarray(end))) throw invalidPack('is damaged: its checksum is wrong')
  return {
    header: {
      chainId: bytesToBigInt(bytes.subarray(CHAIN_ID_AT, NUMBER_AT)),
      forkBlock: {
        number: readUint(bytes, NUMBER_AT + WIDE_BYTES - USED_BYTES, USED_BYTES),
        hash: bytes.slice(HASH_AT, LENGTH_AT),
      },
    },
    entries: readEntries(bytes, end),
  }
}

/**
 * @param found of the pack
 * @throws {NodeError} FORK_PACK_INVALID unless the pack is of this chain and block
 */
export function requireSameFork(found: ForkPackHeader, expected: ForkPackHeader): void {
  if (found.chainId !== expected.chainId) {
    throw invalidPack(`is of chain ${found.chainId}, not of chain ${expected.chainId}`)
  }
  if (equalBytes(found.forkBlock.hash, expected.forkBlock.hash)) return
  throw invalidPack(`is of ${blockText(found)}, not of ${blockText(expected)}`)
}

/** @param problem predicate of which the pack is the subject, such as `is cut off` */
export function invalidPack(problem: string, options?: ErrorOptions): NodeError {
  return new NodeError({ code: 'FORK_PACK_INVALID' }, `the pack of the fork ${problem}`, options)
}

function blockText({ forkBlock: { number, hash } }: ForkPackHeader): string {
  return `block ${number} (${bytesToHex(hash)})`
}

function readEntries(bytes: Uint8Array, end: number): PackEntry[] {
  const entries: PackEntry[] = []
  const reader = new LengthReader(bytes, end)
  let previous = new Uint8Array(0)
  while (reader.at < end) {
    const shared = reader.next()
    const rest = reader.next()
    const valueLength = reader.next()
    const keyEnd = reader.at + rest
    const valueEnd = keyEnd + valueLength
    if (shared > previous.length || valueEnd > end) throw invalidPack('is damaged: an entry has a wrong length')
    const key = new Uint8Array(shared + rest)
    key.set(previous.subarray(0, shared))
    key.set(bytes.subarray(reader.at, keyEnd), shared)
    if (compareBytes(previous, key) >= 0) throw invalidPack('is damaged: its entries are not in order')
    entries.push([key, bytes.subarray(keyEnd, valueEnd)])
    reader.at = valueEnd
    previous = key
  }
  return entries
}

class LengthReader {
  at = HEADER_BYTES
  readonly #bytes: Uint8Array
  readonly #end: number

  constructor(bytes: Uint8Array, end: number) {
    this.#bytes = bytes
    this.#end = end
  }

  next(): number {
    let value = 0
    for (let factor = 1; this.at < this.#end && factor < 2 ** 35; factor *= 128) {
      const group = this.#bytes[this.at++] as number
      value += (group & 0x7f) * factor
      if (group < 0x80) return value
    }
    throw invalidPack('is damaged: an entry has a wrong length')
  }
}

/** Groups of 7 bits, the lowest first; all but the last have bit 7 set. */
function groupsOf(length: number): number[] {
  const groups: number[] = []
  let rest = length
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) groups.push((rest % 0x80) | 0x80)
  return [...groups, rest]
}

function sharedLength(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length)
  let length = 0
  while (length < most && a[length] === b[length]) length++
  return length
}

function checksumOf(bytes: Uint8Array, length: number): Uint8Array {
  return uintBytes(xxh32(bytes, length, 0) >>> 0, CHECKSUM_BYTES)
}

/**
 * Blocks of a remote as a fork keeps them.
 * @module
 */
import { bigIntToBytes, bytesToBigInt, bytesToNumber, numberToBytes } from '../base/primitives/bytes.ts'
import { rlpDecode, rlpEncode } from '../base/primitives/rlp.ts'
import { encodeBlockRecord } from '../chain/blockRecord.ts'
import type { Header } from '../types/block.ts'
import { decodeHeader, encodeHeader } from '../types/headerCodec.ts'
import { readHeader } from './blockJson.ts'
import { malformedAnswer } from './errors.ts'
import { encodableHeader, hasHash } from './headerForms.ts'
import { RemoteObject } from './remoteObject.ts'

/** A header with what a remote says of its block. */
export interface ForkHeader {
  readonly number: number
  /** 32 bytes */
  readonly hash: Uint8Array
  readonly header: Header
  /** Whether the hash is that of the header. */
  readonly isVerified: boolean
  /** Length of the block's RLP; not proven */
  readonly size: number
  /** Not proven; 0 where the remote does not say it, or where only proofs count */
  readonly totalDifficulty: bigint
}

/**
 * @param value a block with the hashes of its transactions, or with whole ones
 * @param isStrict whether only what a hash proves counts
 */
export function readForkHeader(value: unknown, method: string, isStrict = false): ForkHeader {
  const json = new RemoteObject(value, method)
  const hash = json.bytes('hash', 32)
  const header = readHeader(json)
  const isVerified = hasHash(header, hash)
  const size = json.has('size') ? json.number('size') : 0
  if (size > 0xffff_ffff) throw malformedAnswer(json.datum('size'), 'below 2^32', json.raw('size'))
  return {
    number: Number(header.number),
    hash,
    header: isVerified ? header : encodableHeader(header),
    isVerified,
    size,
    totalDifficulty: !isStrict && json.has('totalDifficulty') ? json.uint('totalDifficulty', 256) : 0n,
  }
}

/** The block record of the database. The state of the block is that of the remote. */
export function recordOf({ size, totalDifficulty }: ForkHeader): Uint8Array {
  return encodeBlockRecord({ size, totalDifficulty, stateVersion: 0, isAmended: false, isBaseState: true })
}

/** Value of `plainBlock` in a cache: with the header, unless its hash proves it. */
export function encodePlainBlock({ size, totalDifficulty, header, isVerified }: ForkHeader): Uint8Array {
  const fields = [numberToBytes(size), bigIntToBytes(totalDifficulty)]
  return rlpEncode(isVerified ? fields : [...fields, encodeHeader(header)])
}

/**
 * @param plain value of `plainBlock`
 * @param proven RLP of the header that the hash proves
 * @returns undefined when a header is missing
 */
export function decodePlainBlock(
  hash: Uint8Array,
  plain: Uint8Array,
  proven: Uint8Array | undefined,
): ForkHeader | undefined {
  const [size, totalDifficulty, own] = rlpDecode(plain) as Uint8Array[]
  const rlp = own ?? proven
  if (rlp === undefined || size === undefined || totalDifficulty === undefined) return undefined
  const header = decodeHeader(rlp)
  return {
    number: Number(header.number),
    hash,
    header,
    isVerified: own === undefined,
    size: bytesToNumber(size),
    totalDifficulty: bytesToBigInt(totalDifficulty),
  }
}

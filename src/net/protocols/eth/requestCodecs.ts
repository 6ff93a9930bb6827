/**
 * Requests.
 * @see devp2p caps/eth.md
 * @module
 */
import { bytesToBigInt } from '../../../base/primitives/bytes.ts'
import { rlpEncode, rlpListOfEncoded } from '../../../base/primitives/rlp.ts'
import type { WireReader } from '../../../types/wireReader.ts'
import { type BodyCodec, encodeScalar, encodeStrings } from './bodyCodec.ts'

const HASH_BYTES = 32
const NUMBER_BYTES = 8

/** [start, limit, skip, reverse] */
export const getBlockHeadersCodec: BodyCodec<'getBlockHeaders'> = {
  encode({ start, limit, skip, isReverse }) {
    const first = start instanceof Uint8Array ? rlpEncode(start) : encodeScalar(start)
    return rlpListOfEncoded([first, encodeScalar(limit), encodeScalar(skip), encodeScalar(isReverse ? 1n : 0n)])
  },
  decode(fields) {
    const start = readStart(fields)
    const limit = fields.scalar('limit')
    const skip = fields.scalar('skip')
    const reverse = fields.scalar('reverse')
    if (reverse > 1n) throw fields.invalid(`reverse is ${reverse}`)
    return { start, limit, skip, isReverse: reverse === 1n }
  },
}

/** 32 bytes are a hash, up to 8 a number. */
function readStart(fields: WireReader): bigint | Uint8Array {
  const bytes = fields.bytes('start')
  if (bytes.length === HASH_BYTES) return bytes
  if (bytes.length > NUMBER_BYTES) throw fields.invalid(`start has ${bytes.length} bytes`)
  if (bytes[0] === 0) throw fields.invalid('start has leading zeros')
  return bytesToBigInt(bytes)
}

/** [hash…] */
const hashesCodec = {
  encode: ({ hashes }: { readonly hashes: readonly Uint8Array[] }): Uint8Array => encodeStrings(hashes),
  decode: (fields: WireReader): { readonly hashes: Uint8Array[] } => ({ hashes: fields.hashes('hash') }),
}

export const getBlockBodiesCodec: BodyCodec<'getBlockBodies'> = hashesCodec
export const getPooledTransactionsCodec: BodyCodec<'getPooledTransactions'> = hashesCodec
export const getNodeDataCodec: BodyCodec<'getNodeData'> = hashesCodec
export const getReceiptsCodec: BodyCodec<'getReceipts'> = hashesCodec

/**
 * Messages of Node Discovery v5.1.
 * @see devp2p, discv5-wire.md, "Protocol Messages"
 * @module
 */
import {
  bigIntToBytes,
  bytesToBigInt,
  bytesToNumber,
  concatBytes,
  EMPTY_BYTES,
  numberToBytes,
} from '../../../../base/primitives/bytes.ts'
import { isNodeError } from '../../../../base/primitives/errors.ts'
import { ipText, parseIp } from '../../../../base/primitives/ipAddress.ts'
import { type DecodedItem, rlpDecodeList, rlpEncode, rlpListOfEncoded } from '../../../../base/primitives/rlp.ts'

interface Base {
  /** At most 8 bytes. */
  readonly requestId: Uint8Array
}

export type MessageV5 = Base &
  (
    | { readonly type: 'ping'; readonly enrSeq: bigint }
    | { readonly type: 'pong'; readonly enrSeq: bigint; readonly host: string; readonly port: number }
    | { readonly type: 'findNode'; readonly distances: readonly number[] }
    /** Encoded records, not verified; `total` counts the messages of the answer. */
    | { readonly type: 'nodes'; readonly total: number; readonly records: readonly Uint8Array[] }
    | { readonly type: 'talkRequest'; readonly protocol: Uint8Array; readonly data: Uint8Array }
    | { readonly type: 'talkResponse'; readonly data: Uint8Array }
  )

const TYPES = ['ping', 'pong', 'findNode', 'nodes', 'talkRequest', 'talkResponse'] as const
const MAX_REQUEST_ID_BYTES = 8
const MAX_SEQ_BYTES = 8
const MAX_DISTANCE = 256
/** Distances of one request that are read. */
const MAX_DISTANCES = 257

export function encodeMessageV5(message: MessageV5): Uint8Array {
  return concatBytes(Uint8Array.of(TYPES.indexOf(message.type) + 1), dataOf(message))
}

function dataOf(message: MessageV5): Uint8Array {
  const { requestId } = message
  switch (message.type) {
    case 'ping':
      return rlpEncode([requestId, bigIntToBytes(message.enrSeq)])
    case 'pong': {
      const ip = parseIp(message.host) ?? EMPTY_BYTES
      return rlpEncode([requestId, bigIntToBytes(message.enrSeq), ip, numberToBytes(message.port)])
    }
    case 'findNode':
      return rlpEncode([requestId, message.distances.map(numberToBytes)])
    case 'nodes': {
      const records = rlpListOfEncoded(message.records)
      return rlpListOfEncoded([rlpEncode(requestId), rlpEncode(numberToBytes(message.total)), records])
    }
    case 'talkRequest':
      return rlpEncode([requestId, message.protocol, message.data])
    case 'talkResponse':
      return rlpEncode([requestId, message.data])
  }
}

/** @returns undefined for an unknown type or an invalid message */
export function decodeMessageV5(bytes: Uint8Array): MessageV5 | undefined {
  const name = TYPES[(bytes[0] ?? 0) - 1]
  if (name === undefined) return undefined
  try {
    const [requestId, ...fields] = rlpDecodeList(bytes.subarray(1))
    if (!(requestId instanceof Uint8Array) || requestId.length > MAX_REQUEST_ID_BYTES) return undefined
    return DECODERS[name](requestId, fields)
  } catch (error) {
    if (isNodeError(error, 'INVALID_RLP')) return undefined
    throw error
  }
}

type Decoder = (requestId: Uint8Array, fields: readonly DecodedItem[]) => MessageV5 | undefined

const DECODERS: Readonly<Record<(typeof TYPES)[number], Decoder>> = {
  ping: (requestId, [seq]) => {
    const enrSeq = decodeSeq(seq)
    return enrSeq === undefined ? undefined : { type: 'ping', requestId, enrSeq }
  },
  pong: (requestId, [seq, ip, portBytes]) => {
    const [enrSeq, port] = [decodeSeq(seq), decodeNumber(portBytes, 65_535)]
    const host = ip instanceof Uint8Array ? ipText(ip) : undefined
    if (enrSeq === undefined || host === undefined || port === undefined) return undefined
    return { type: 'pong', requestId, enrSeq, host, port }
  },
  findNode: (requestId, [list]) => {
    if (!Array.isArray(list) || list.length > MAX_DISTANCES) return undefined
    const distances = list.map((item) => decodeNumber(item, MAX_DISTANCE)).filter((distance) => distance !== undefined)
    return distances.length === list.length ? { type: 'findNode', requestId, distances } : undefined
  },
  nodes: (requestId, [count, list]) => {
    const total = decodeNumber(count, 255)
    if (total === undefined || !Array.isArray(list)) return undefined
    return { type: 'nodes', requestId, total, records: list.map((item) => rlpEncode(item)) }
  },
  talkRequest: (requestId, [protocol, data]) => {
    if (!(protocol instanceof Uint8Array) || !(data instanceof Uint8Array)) return undefined
    return { type: 'talkRequest', requestId, protocol, data }
  },
  talkResponse: (requestId, [data]) =>
    data instanceof Uint8Array ? { type: 'talkResponse', requestId, data } : undefined,
}

function decodeSeq(item: DecodedItem | undefined): bigint | undefined {
  return item instanceof Uint8Array && item.length <= MAX_SEQ_BYTES ? bytesToBigInt(item) : undefined
}

function decodeNumber(item: DecodedItem | undefined, most: number): number | undefined {
  if (!(item instanceof Uint8Array) || item.length > 2) return undefined
  const value = bytesToNumber(item)
  return value > most ? undefined : value
}

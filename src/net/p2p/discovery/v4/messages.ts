/**
 * Messages of Node Discovery v4. Further list elements and bytes after the list are ignored.
 * @see devp2p, discv4.md; EIP-8; EIP-868
 * @module
 */
import {
  bigIntToBytes,
  bytesToBigInt,
  bytesToNumber,
  EMPTY_BYTES,
  numberToBytes,
} from '../../../../base/primitives/bytes.ts'
import { isNodeError } from '../../../../base/primitives/errors.ts'
import { ipText, parseIp } from '../../../../base/primitives/ipAddress.ts'
import {
  type DecodedItem,
  type RlpItem,
  rlpDecodeList,
  rlpEncode,
  rlpListOfEncoded,
  rlpSpan,
} from '../../../../base/primitives/rlp.ts'

export interface Endpoint {
  /** IPv4 or IPv6; undefined when the sender gave no address. */
  readonly host: string | undefined
  readonly udpPort: number
  readonly tcpPort: number
}

/** A node in a Neighbors message. */
export interface Neighbor {
  readonly host: string
  readonly udpPort: number
  readonly tcpPort: number
  /** Public key, 64 bytes */
  readonly id: Uint8Array
}

/** Expirations are seconds since 1970. */
export type Message =
  | {
      readonly type: 'ping'
      readonly from: Endpoint
      readonly to: Endpoint
      readonly expiration: number
      readonly enrSeq: bigint | undefined
    }
  | {
      readonly type: 'pong'
      readonly to: Endpoint
      readonly pingHash: Uint8Array
      readonly expiration: number
      readonly enrSeq: bigint | undefined
    }
  | { readonly type: 'findNode'; readonly target: Uint8Array; readonly expiration: number }
  | { readonly type: 'neighbors'; readonly nodes: readonly Neighbor[]; readonly expiration: number }
  | { readonly type: 'enrRequest'; readonly expiration: number }
  /** `record` is the encoding of a node record; not verified. */
  | { readonly type: 'enrResponse'; readonly requestHash: Uint8Array; readonly record: Uint8Array }

/** Besu and geth since EIP-868 announce 5 and 4; versions are never compared. */
const PING_VERSION = 5
const ID_BYTES = 64
const HASH_BYTES = 32
const MAX_PORT = 65_535
const MAX_SEQ_BYTES = 8
const MAX_EXPIRATION_BYTES = 6

const TYPES = ['ping', 'pong', 'findNode', 'neighbors', 'enrRequest', 'enrResponse'] as const

/** @returns the type byte and the encoded list */
export function encodeMessage(message: Message): { readonly type: number; readonly data: Uint8Array } {
  return { type: TYPES.indexOf(message.type) + 1, data: dataOf(message) }
}

function dataOf(message: Message): Uint8Array {
  switch (message.type) {
    case 'ping': {
      const { from, to, expiration, enrSeq } = message
      return rlpEncode([
        numberToBytes(PING_VERSION),
        endpointItem(from),
        endpointItem(to),
        numberToBytes(expiration),
        ...seqItem(enrSeq),
      ])
    }
    case 'pong': {
      const { to, pingHash, expiration, enrSeq } = message
      return rlpEncode([endpointItem(to), pingHash, numberToBytes(expiration), ...seqItem(enrSeq)])
    }
    case 'findNode':
      return rlpEncode([message.target, numberToBytes(message.expiration)])
    case 'neighbors':
      return rlpEncode([message.nodes.map(neighborItem), numberToBytes(message.expiration)])
    case 'enrRequest':
      return rlpEncode([numberToBytes(message.expiration)])
    case 'enrResponse':
      return rlpListOfEncoded([rlpEncode(message.requestHash), message.record])
  }
}

const seqItem = (enrSeq: bigint | undefined): RlpItem[] => (enrSeq === undefined ? [] : [bigIntToBytes(enrSeq)])

function endpointItem({ host, udpPort, tcpPort }: Endpoint): RlpItem {
  const ip = host === undefined ? EMPTY_BYTES : (parseIp(host) ?? EMPTY_BYTES)
  return [ip, numberToBytes(udpPort), numberToBytes(tcpPort)]
}

function neighborItem({ host, udpPort, tcpPort, id }: Neighbor): RlpItem {
  return [parseIp(host) ?? EMPTY_BYTES, numberToBytes(udpPort), numberToBytes(tcpPort), id]
}

/** Size of a node within a Neighbors message. */
export function neighborLength(node: Neighbor): number {
  return rlpEncode(neighborItem(node)).length
}

/** @returns undefined for an unknown type or an invalid message */
export function decodeMessage(type: number, data: Uint8Array): Message | undefined {
  const name = TYPES[type - 1]
  if (name === undefined) return undefined
  try {
    const { end } = rlpSpan(data, 0)
    if (end > data.length) return undefined
    if (name === 'enrResponse') return decodeRecordResponse(data, end)
    return DECODERS[name](rlpDecodeList(data.subarray(0, end)))
  } catch (error) {
    if (isNodeError(error, 'INVALID_RLP')) return undefined
    throw error
  }
}

const DECODERS = {
  ping: ([, from, to, expires, seq]: readonly DecodedItem[]): Message | undefined => {
    const [sender, recipient, expiration] = [decodeEndpoint(from), decodeEndpoint(to), decodeExpiration(expires)]
    if (sender === undefined || recipient === undefined || expiration === undefined) return undefined
    return { type: 'ping', from: sender, to: recipient, expiration, enrSeq: decodeSeq(seq) }
  },
  pong: ([to, hash, expires, seq]: readonly DecodedItem[]): Message | undefined => {
    const [recipient, pingHash, expiration] = [decodeEndpoint(to), bytesOf(hash, HASH_BYTES), decodeExpiration(expires)]
    if (recipient === undefined || pingHash === undefined || expiration === undefined) return undefined
    return { type: 'pong', to: recipient, pingHash, expiration, enrSeq: decodeSeq(seq) }
  },
  findNode: ([id, expires]: readonly DecodedItem[]): Message | undefined => {
    const [target, expiration] = [bytesOf(id, ID_BYTES), decodeExpiration(expires)]
    return target === undefined || expiration === undefined ? undefined : { type: 'findNode', target, expiration }
  },
  neighbors: ([list, expires]: readonly DecodedItem[]): Message | undefined => {
    const expiration = decodeExpiration(expires)
    if (!Array.isArray(list) || expiration === undefined) return undefined
    return { type: 'neighbors', nodes: list.map(decodeNeighbor).filter((node) => node !== undefined), expiration }
  },
  enrRequest: ([expires]: readonly DecodedItem[]): Message | undefined => {
    const expiration = decodeExpiration(expires)
    return expiration === undefined ? undefined : { type: 'enrRequest', expiration }
  },
} as const

/** The record is returned undecoded: it is verified only when it was requested. */
function decodeRecordResponse(data: Uint8Array, end: number): Message | undefined {
  const list = rlpSpan(data, 0)
  if (!list.isList || list.payload >= end) return undefined
  const hash = rlpSpan(data, list.payload)
  const requestHash = data.subarray(hash.payload, hash.end)
  if (hash.isList || requestHash.length !== HASH_BYTES || hash.end >= end) return undefined
  const record = rlpSpan(data, hash.end)
  if (!record.isList || record.end > end) return undefined
  return { type: 'enrResponse', requestHash, record: data.subarray(hash.end, record.end) }
}

/** An address of another length than 4 or 16 bytes does not invalidate a Ping, whose endpoints are hints. */
function decodeEndpoint(item: DecodedItem | undefined): Endpoint | undefined {
  if (!Array.isArray(item)) return undefined
  const [ip, udp, tcp] = item
  const [udpPort, tcpPort] = [decodePort(udp), tcp === undefined ? 0 : decodePort(tcp)]
  if (!(ip instanceof Uint8Array) || udpPort === undefined || tcpPort === undefined) return undefined
  return { host: ipText(ip), udpPort, tcpPort }
}

function decodeNeighbor(item: DecodedItem): Neighbor | undefined {
  if (!Array.isArray(item)) return undefined
  const endpoint = decodeEndpoint(item)
  const id = bytesOf(item[3], ID_BYTES)
  if (endpoint?.host === undefined || id === undefined) return undefined
  return { host: endpoint.host, udpPort: endpoint.udpPort, tcpPort: endpoint.tcpPort, id }
}

function bytesOf(item: DecodedItem | undefined, length: number): Uint8Array | undefined {
  return item instanceof Uint8Array && item.length === length ? item : undefined
}

function decodePort(item: DecodedItem | undefined): number | undefined {
  if (!(item instanceof Uint8Array) || item.length > 2) return undefined
  const port = bytesToNumber(item)
  return port > MAX_PORT ? undefined : port
}

/** Times after the year 8,900,000 are refused. */
function decodeExpiration(item: DecodedItem | undefined): number | undefined {
  return item instanceof Uint8Array && item.length <= MAX_EXPIRATION_BYTES ? bytesToNumber(item) : undefined
}

/** In packets of older versions, other data may follow the expiration. */
function decodeSeq(item: DecodedItem | undefined): bigint | undefined {
  return item instanceof Uint8Array && item.length <= MAX_SEQ_BYTES ? bytesToBigInt(item) : undefined
}

/**
 * Encodes and decodes messages of every eth version.
 * @module
 */
import { rlpListOfEncoded } from '../../../base/primitives/rlp.ts'
import { encodingError } from '../../../types/fieldReader.ts'
import { readMessage, type WireReader } from '../../../types/wireReader.ts'
import { type BodyCodec, ETH_MESSAGE, encodeScalar } from './bodyCodec.ts'
import {
  newBlockCodec,
  newBlockHashesCodec,
  newPooledTransactionHashesCodec,
  transactionsCodec,
} from './gossipCodecs.ts'
import type { EthMessage } from './messages.ts'
import {
  getBlockBodiesCodec,
  getBlockHeadersCodec,
  getNodeDataCodec,
  getPooledTransactionsCodec,
  getReceiptsCodec,
} from './requestCodecs.ts'
import {
  blockBodiesCodec,
  blockHeadersCodec,
  nodeDataCodec,
  pooledTransactionsCodec,
  receiptsCodec,
} from './responseCodecs.ts'
import { blockRangeCodec, statusCodec } from './statusCodec.ts'
import { ETH_MESSAGES, type EthMessageKind, type EthVersion, hasRequestId, kindOfCode } from './versions.ts'

/** A message of a capability; the code is relative to its first. */
export interface WireMessage {
  readonly code: number
  readonly payload: Uint8Array
}

const CODECS: { readonly [K in EthMessageKind]: BodyCodec<K> } = {
  status: statusCodec,
  newBlockHashes: newBlockHashesCodec,
  transactions: transactionsCodec,
  getBlockHeaders: getBlockHeadersCodec,
  blockHeaders: blockHeadersCodec,
  getBlockBodies: getBlockBodiesCodec,
  blockBodies: blockBodiesCodec,
  newBlock: newBlockCodec,
  newPooledTransactionHashes: newPooledTransactionHashesCodec,
  getPooledTransactions: getPooledTransactionsCodec,
  pooledTransactions: pooledTransactionsCodec,
  getNodeData: getNodeDataCodec,
  nodeData: nodeDataCodec,
  getReceipts: getReceiptsCodec,
  receipts: receiptsCodec,
  blockRangeUpdate: blockRangeCodec,
}

/** The codec of a kind that is known only at run time. */
interface AnyCodec {
  encode(message: EthMessage, version: EthVersion): Uint8Array
  decode(fields: WireReader, version: EthVersion, maxItems?: number): object
}

/** @throws {TypeError} when the message lacks what the version needs, or the version has no such message */
export function encodeEthMessage(version: EthVersion, message: EthMessage): WireMessage {
  const { kind } = message
  const { code } = ETH_MESSAGES[kind]
  if (kindOfCode(version, code) !== kind) throw new TypeError(`eth/${version.number} has no message ${kind}`)
  const codec = CODECS[kind] as unknown as AnyCodec
  const body = codec.encode(message, version)
  if (!hasRequestId(version, kind)) return { code, payload: body }
  return { code, payload: withRequestId((message as { readonly requestId?: bigint }).requestId, body) }
}

/** [requestId, body] */
function withRequestId(requestId: bigint | undefined, body: Uint8Array): Uint8Array {
  if (requestId === undefined) throw new TypeError('requestId: eth/66 needs it')
  return rlpListOfEncoded([encodeScalar(requestId), body])
}

/** A message whose content is not decoded. */
export interface EthEnvelope {
  readonly kind: EthMessageKind
  /** Of requests and responses since eth/66. */
  readonly requestId: bigint | undefined
  readonly body: WireReader
}

/**
 * Reads kind and request id of a message that a peer has sent. Each error is a breach of the protocol.
 * @throws {NodeError} INVALID_PROTOCOL_MESSAGE
 */
export function openEthMessage(version: EthVersion, { code, payload }: WireMessage): EthEnvelope {
  const kind = kindOfCode(version, code)
  if (kind === undefined) throw encodingError(ETH_MESSAGE, `eth/${version.number} has no code ${code}`)
  const message = readMessage(payload, ETH_MESSAGE)
  if (!hasRequestId(version, kind)) return { kind, requestId: undefined, body: message }
  const requestId = message.scalar('requestId')
  const body = message.list('body')
  message.end()
  return { kind, requestId, body }
}

/**
 * Decodes the content of a message.
 * @param maxItems of a response: as many as were requested
 * @throws {NodeError} INVALID_PROTOCOL_MESSAGE, or the code of a malformed part
 */
export function readEthMessage(
  version: EthVersion,
  { kind, requestId, body: fields }: EthEnvelope,
  maxItems?: number,
): EthMessage {
  const body = (CODECS[kind] as unknown as AnyCodec).decode(fields, version, maxItems)
  fields.end()
  const isIdentified = ETH_MESSAGES[kind].hasRequestId === true
  return { kind, ...(isIdentified ? { requestId } : {}), ...body } as EthMessage
}

/**
 * Decodes a message that a peer has sent.
 * @throws {NodeError} INVALID_PROTOCOL_MESSAGE, or the code of a malformed part
 */
export function decodeEthMessage(version: EthVersion, message: WireMessage): EthMessage {
  return readEthMessage(version, openEthMessage(version, message))
}

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
  decode(fields: WireReader, version: EthVersion): object
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

/**
 * Decodes a message that a peer has sent. Each error is a breach of the protocol.
 * @throws {NodeError} INVALID_PROTOCOL_MESSAGE, or the code of a malformed header or transaction
 */
export function decodeEthMessage(version: EthVersion, { code, payload }: WireMessage): EthMessage {
  const kind = kindOfCode(version, code)
  if (kind === undefined) throw encodingError(ETH_MESSAGE, `eth/${version.number} has no code ${code}`)
  const codec = CODECS[kind] as unknown as AnyCodec
  const message = readMessage(payload, ETH_MESSAGE)
  if (!hasRequestId(version, kind)) return finish({ kind, requestId: undefined }, codec, message, version)
  const requestId = message.scalar('requestId')
  const body = message.list('body')
  message.end()
  return finish({ kind, requestId }, codec, body, version)
}

function finish(
  { kind, requestId }: { readonly kind: EthMessageKind; readonly requestId: bigint | undefined },
  codec: AnyCodec,
  fields: WireReader,
  version: EthVersion,
): EthMessage {
  const body = codec.decode(fields, version)
  fields.end()
  const isIdentified = ETH_MESSAGES[kind].hasRequestId === true
  return { kind, ...(isIdentified ? { requestId } : {}), ...body } as EthMessage
}

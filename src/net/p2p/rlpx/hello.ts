/**
 * The first message of each side: its identity and capabilities.
 * @see devp2p, rlpx.md, "Hello (0x00)"; EIP-8
 * @module
 */
import { bytesToNumber, equalBytes, numberToBytes } from '../../../base/primitives/bytes.ts'
import { printable } from '../../../base/primitives/printable.ts'
import { type DecodedItem, rlpDecodeList, rlpEncode } from '../../../base/primitives/rlp.ts'
import type { Capability } from './capabilities.ts'
import type { DisconnectReason } from './disconnect.ts'
import { invalidMessage } from './errors.ts'

/** From this version on, messages after the Hello are compressed. */
export const P2P_VERSION = 5

export interface Hello {
  readonly version: number
  /** Without control characters. */
  readonly clientId: string
  readonly capabilities: readonly Capability[]
  /** TCP port on which the peer listens; 0: unknown. */
  readonly port: number
  /** 64 bytes */
  readonly nodeId: Uint8Array
}

const NODE_ID_BYTES = 64
const MAX_NUMBER_BYTES = 6
const MAX_PORT = 65_535
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function encodeHello({ version, clientId, capabilities, port, nodeId }: Hello): Uint8Array {
  return rlpEncode([
    numberToBytes(version),
    encoder.encode(clientId),
    capabilities.map((capability) => [encoder.encode(capability.name), numberToBytes(capability.version)]),
    numberToBytes(port),
    nodeId,
  ])
}

/**
 * EIP-8: further items are ignored, in the message and in each capability.
 * @throws {NodeError} INVALID_P2P_MESSAGE
 */
export function decodeHello(payload: Uint8Array): Hello {
  const [version, clientId, capabilities, port, nodeId] = listOf(payload)
  const listenPort = numberOf(port, 'port')
  if (listenPort > MAX_PORT) throw invalidMessage(`Hello: port ${listenPort}`)
  const id = bytesOf(nodeId, 'node id')
  if (id.length !== NODE_ID_BYTES) throw invalidMessage(`Hello: node id of ${id.length} bytes`)
  if (!Array.isArray(capabilities)) throw invalidMessage('Hello: the capabilities are not a list')
  return {
    version: numberOf(version, 'version'),
    clientId: printable(decoder.decode(bytesOf(clientId, 'client id'))),
    capabilities: capabilities.map(capabilityOf),
    port: listenPort,
    nodeId: id.slice(),
  }
}

/**
 * Checks the identity that a Hello claims.
 * @param ownId node id of this side
 * @param remoteId node id that the peer has proved in the handshake
 * @returns the reason to disconnect; undefined when the identity is right
 */
export function wrongIdentity(hello: Hello, ownId: Uint8Array, remoteId: Uint8Array): DisconnectReason | undefined {
  if (equalBytes(remoteId, ownId) || equalBytes(hello.nodeId, ownId)) return 'localIdentity'
  return equalBytes(hello.nodeId, remoteId) ? undefined : 'unexpectedIdentity'
}

function listOf(payload: Uint8Array): DecodedItem[] {
  try {
    return rlpDecodeList(payload)
  } catch (error) {
    throw invalidMessage('Hello: not an RLP list', error)
  }
}

function capabilityOf(item: DecodedItem): Capability {
  if (!Array.isArray(item)) throw invalidMessage('Hello: a capability is not a list')
  const [name, version] = item
  return {
    name: printable(decoder.decode(bytesOf(name, 'name of a capability'))),
    version: numberOf(version, 'version of a capability'),
  }
}

function bytesOf(item: DecodedItem | undefined, name: string): Uint8Array {
  if (item instanceof Uint8Array) return item
  throw invalidMessage(`Hello: ${name} is ${item === undefined ? 'missing' : 'a list'}`)
}

function numberOf(item: DecodedItem | undefined, name: string): number {
  const bytes = bytesOf(item, name)
  if (bytes.length > MAX_NUMBER_BYTES) throw invalidMessage(`Hello: ${name} of ${bytes.length} bytes`)
  return bytesToNumber(bytes)
}

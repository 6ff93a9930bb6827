/** The receivers of hostile bytes below the protocols: RLPx and discovery. */
import { loadNodeFrameCiphers } from '../../../../adapters/server/crypto/frameCiphers.ts'
import type { TcpConnection, TcpHandlers } from '../../../../src/base/ports/tcpSockets.ts'
import { concatBytes } from '../../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../../src/base/primitives/errors.ts'
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import { rlpEncode } from '../../../../src/base/primitives/rlp.ts'
import { createRecord, tryDecodeRecord } from '../../../../src/net/p2p/discovery/nodeRecord.ts'
import { contactEntries } from '../../../../src/net/p2p/discovery/recordEntries.ts'
import { encodeMessage, type Message } from '../../../../src/net/p2p/discovery/v4/messages.ts'
import { decodeMessageV5, encodeMessageV5, type MessageV5 } from '../../../../src/net/p2p/discovery/v5/messages.ts'
import { encodeDisconnect } from '../../../../src/net/p2p/rlpx/disconnect.ts'
import { eciesEncrypt } from '../../../../src/net/p2p/rlpx/ecies.ts'
import { encodeHello } from '../../../../src/net/p2p/rlpx/hello.ts'
import type { SessionHost } from '../../../../src/net/p2p/rlpx/sessionContract.ts'
import { snappyDecompress } from '../../../../src/net/p2p/rlpx/snappy.ts'
import { RlpxTransport } from '../../../../src/net/p2p/rlpx/transport.ts'
import { Peer as DiscoveryPeer, Machine } from '../p2p/discovery/machine.ts'
import { hostOf } from '../p2p/rlpx/handshakes.ts'
import { ETH, openPeer, type Peer } from '../p2p/rlpx/peers.ts'
import { LARGEST_MESSAGE, type Target } from './hostileTable.ts'

const ADDRESS = { host: '10.0.0.2', port: 30303 }
const HASH = new Uint8Array(32).fill(0xab)
const HANDSHAKE_BYTES = 3900
const HELLO_BYTES = 2000
const DATAGRAM_BYTES = 1180

/** A connection whose bytes a test hands over. */
class FedConnection implements TcpConnection {
  readonly remoteAddress = ADDRESS
  readonly localAddress = ADDRESS
  readonly backlog = 0
  written: Uint8Array[] = []
  handlers!: TcpHandlers

  open(handlers: TcpHandlers): void {
    this.handlers = handlers
  }

  write(bytes: Uint8Array): boolean {
    this.written.push(bytes)
    return true
  }

  pause(): void {}
  resume(): void {}
  end(): void {}
  destroy(): void {}
}

/** As a node has them. */
const ciphers = await loadNodeFrameCiphers()

const sessionHost = (seed: number): SessionHost => ({
  ...hostOf(seed, ciphers),
  clock: { now: () => 0, monotonic: () => performance.now() },
  timers: { schedule: () => ({ cancel() {} }) },
})

const outcomeOf = ({ session, ends }: Peer): string => {
  if (session.isOpen) return 'open'
  return ends[0]?.reason ?? 'closing or waiting'
}

/** A session and the other end of its connection, after the handshake. */
function shaken(): { readonly victim: Peer; readonly connection: FedConnection; readonly attacker: RlpxTransport } {
  const [victimHost, attackerHost] = [sessionHost(1), sessionHost(2)]
  const connection = new FedConnection()
  const victim = openPeer(victimHost, connection)
  const attacker = new RlpxTransport(attackerHost, victimHost.signer.publicKey)
  connection.handlers.onData(attacker.opening as Uint8Array)
  attacker.receive(concatBytes(...connection.written))
  attacker.finishHandshake()
  attacker.read()
  return { victim, connection, attacker }
}

const HELLO = encodeHello({
  version: 5,
  clientId: 'attacker',
  capabilities: [ETH],
  port: 30303,
  nodeId: sessionHost(2).signer.publicKey,
})

function helloTarget(): Target {
  return {
    protocol: 'p2p',
    message: 'Hello',
    example: HELLO,
    maxBytes: HELLO_BYTES,
    open: async (payload) => {
      const { victim, connection, attacker } = shaken()
      const frame = attacker.write({ code: 0, payload })
      return () => {
        connection.handlers.onData(frame)
        return outcomeOf(victim)
      }
    },
  }
}

/** A message of the base protocol after the Hello, compressed. */
function baseTarget(message: string, code: number, example: Uint8Array): Target {
  return {
    protocol: 'p2p',
    message,
    example,
    maxBytes: LARGEST_MESSAGE - 64,
    open: async (payload) => {
      const { victim, connection, attacker } = shaken()
      connection.handlers.onData(attacker.write({ code: 0, payload: HELLO }))
      attacker.finishHello(true)
      const frame = attacker.write({ code, payload })
      return () => {
        connection.handlers.onData(frame)
        return outcomeOf(victim)
      }
    },
  }
}

/** The body of a handshake packet, encrypted for the receiver. @param step bytes of each piece */
function handshakeTarget(message: 'auth' | 'ack', step: number): Target {
  const fields = message === 'auth' ? [65, 64, 32] : [64, 32]
  return {
    protocol: 'RLPx',
    message: step === 1 ? `${message} in single bytes` : message,
    example: rlpEncode([...fields.map((length) => new Uint8Array(length).fill(7)), Uint8Array.of(4)]),
    maxBytes: HANDSHAKE_BYTES,
    open: async (payload) => {
      const [victimHost, attackerHost] = [sessionHost(1), sessionHost(2)]
      const connection = new FedConnection()
      const victim = openPeer(victimHost, connection, message === 'auth' ? undefined : attackerHost.signer.publicKey)
      const length = payload.length + 113
      const size = Uint8Array.of(length >>> 8, length & 255)
      const packet = concatBytes(size, eciesEncrypt(attackerHost, victimHost.signer.publicKey, payload, size))
      const pieces: Uint8Array[] = []
      for (let at = 0; at < packet.length; at += step) pieces.push(packet.slice(at, at + step))
      return () => {
        for (const piece of pieces) connection.handlers.onData(piece)
        return outcomeOf(victim)
      }
    },
  }
}

/** A datagram of discovery v4 with a valid hash and signature, from a node with an endpoint proof. */
function discoveryTarget(message: Message): Target {
  const { type, data } = encodeMessage(message)
  return {
    protocol: 'discv4',
    message: message.type,
    example: data,
    maxBytes: DATAGRAM_BYTES,
    open: async (payload) => {
      const machine = new Machine()
      const peer = new DiscoveryPeer(machine, '10.0.0.7')
      peer.bond()
      const typeAndData = concatBytes(Uint8Array.of(type), payload)
      const { signature, yParity } = peer.signer.sign(keccak256(typeAndData))
      const signed = concatBytes(signature, Uint8Array.of(yParity), typeAndData)
      const bytes = concatBytes(keccak256(signed), signed)
      return () => {
        const sent = machine.handle({ kind: 'packet', bytes, from: peer.address })
        return sent.length === 0 ? 'no answer' : 'answered'
      }
    },
  }
}

function decoderTarget(
  [protocol, message]: readonly [string, string],
  { example, maxBytes }: Pick<Target, 'example' | 'maxBytes'>,
  decode: (payload: Uint8Array) => unknown,
): Target {
  const run = (payload: Uint8Array): string => {
    try {
      return decode(payload) === undefined ? 'refused' : 'read'
    } catch (error) {
      if (!isNodeError(error)) throw error
      return 'refused'
    }
  }
  return { protocol, message, example, maxBytes, open: async (payload) => () => run(payload) }
}

function discoveryV5Target(message: MessageV5): Target {
  const encoded = encodeMessageV5(message)
  const type = encoded.subarray(0, 1)
  const sizes = { example: encoded.subarray(1), maxBytes: DATAGRAM_BYTES }
  return decoderTarget(['discv5', message.type], sizes, (payload) => decodeMessageV5(concatBytes(type, payload)))
}

/** Blocks of snappy with the longest messages of eth and snap. */
export function snappyTargets(): { readonly target: Target; readonly shape: string; readonly payload: Uint8Array }[] {
  const length = 10 * 1_048_576
  const varintOf = (bytes: number): Uint8Array =>
    Uint8Array.of((bytes & 127) | 128, ((bytes >>> 7) & 127) | 128, ((bytes >>> 14) & 127) | 128, bytes >>> 21)
  const literal = Uint8Array.of(4, 1, 1)
  const repeated = (count: number, element: readonly number[]): Uint8Array => {
    const bytes = new Uint8Array(count * element.length)
    for (let i = 0; i < count; i++) bytes.set(element, i * element.length)
    return bytes
  }
  const target = decoderTarget(['RLPx', 'snappy'], { example: literal, maxBytes: LARGEST_MESSAGE }, (payload) =>
    snappyDecompress(payload),
  )
  const of = (shape: string, elements: Uint8Array, announced = length) => ({
    target,
    shape,
    payload: concatBytes(varintOf(announced), literal, elements),
  })
  return [
    of('long copies', repeated(Math.floor((length - 1) / 64), [(63 << 2) | 2, 1, 0])),
    of('overlapping copies', repeated(Math.floor((length - 1) / 64), [(63 << 2) | 2, 2, 0])),
    of('short copies', repeated(Math.floor((length - 1) / 4), [1, 1])),
    of('single bytes', repeated(Math.floor(length / 2) - 8, [0, 1]), Math.floor(length / 2) - 7),
    of('nothing', new Uint8Array(0)),
    of('zeros', new Uint8Array(length - 8)),
  ]
}

export function connectionTargets(): Target[] {
  const record = createRecord(sessionHost(3).signer, 1n, contactEntries({ host: '10.0.0.1', udpPort: 1, tcpPort: 2 }))
  const endpoint = { host: '10.0.0.7', udpPort: 30303, tcpPort: 30303 }
  const expiration = new Machine().expiration
  const id = new Uint8Array(64).fill(9)
  const requestId = Uint8Array.of(1)
  const v4: Message[] = [
    { type: 'ping', from: endpoint, to: endpoint, expiration, enrSeq: 1n },
    { type: 'pong', to: endpoint, pingHash: HASH, expiration, enrSeq: 1n },
    { type: 'findNode', target: id, expiration },
    { type: 'neighbors', nodes: [{ ...endpoint, id }], expiration },
    { type: 'enrRequest', expiration },
    { type: 'enrResponse', requestHash: HASH, record: record.bytes },
  ]
  const v5: MessageV5[] = [
    { type: 'ping', requestId, enrSeq: 1n },
    { type: 'pong', requestId, enrSeq: 1n, host: '10.0.0.1', port: 9000 },
    { type: 'findNode', requestId, distances: [1, 2] },
    { type: 'nodes', requestId, total: 1, records: [record.bytes] },
    { type: 'talkRequest', requestId, protocol: HASH, data: HASH },
    { type: 'talkResponse', requestId, data: HASH },
  ]
  return [
    ...(['auth', 'ack'] as const).flatMap((name) => [handshakeTarget(name, 4096), handshakeTarget(name, 1)]),
    helloTarget(),
    baseTarget('Disconnect', 1, encodeDisconnect('requested')),
    baseTarget('Ping', 2, Uint8Array.of(0xc0)),
    baseTarget('Pong', 3, Uint8Array.of(0xc0)),
    ...v4.map(discoveryTarget),
    ...v5.map(discoveryV5Target),
    decoderTarget(['discovery', 'record'], { example: record.bytes, maxBytes: 300 }, tryDecodeRecord),
  ]
}

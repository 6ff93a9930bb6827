/**
 * Metrics of peers and of the messages exchanged with them, under Besu's names where it has them. All labels have few
 * values, whatever the peers send.
 * @module
 */

import type { Counter, Gauge, Metrics } from '../base/ports/metrics.ts'
import type { PeerMeter } from '../net/p2p/peers/peerMeter.ts'
import type { AgreedCapability } from '../net/p2p/rlpx/capabilities.ts'
import type { DisconnectReason } from '../net/p2p/rlpx/disconnect.ts'
import { BFT_CAPABILITIES } from '../net/protocols/bftWire.ts'
import { ethVersion, kindOfCode } from '../net/protocols/eth/versions.ts'
import { SNAP_CODES } from '../net/protocols/snap/messages.ts'
import { kindOf, PROTOCOLS } from '../sealing/bft/protocols.ts'

/** Besu's names of the reasons. */
const REASONS: Readonly<Record<DisconnectReason, string>> = {
  requested: 'REQUESTED',
  tcpError: 'TCP_SUBSYSTEM_ERROR',
  breachOfProtocol: 'BREACH_OF_PROTOCOL',
  uselessPeer: 'USELESS_PEER',
  tooManyPeers: 'TOO_MANY_PEERS',
  alreadyConnected: 'ALREADY_CONNECTED',
  incompatibleVersion: 'INCOMPATIBLE_P2P_PROTOCOL_VERSION',
  nullIdentity: 'NULL_NODE_ID',
  quitting: 'CLIENT_QUITTING',
  unexpectedIdentity: 'UNEXPECTED_ID',
  localIdentity: 'LOCAL_IDENTITY',
  timeout: 'TIMEOUT',
  subprotocol: 'SUBPROTOCOL_TRIGGERED',
  unknown: 'UNKNOWN',
}

/** Clients that are told apart; the first word of their ids, in lower case. */
const CLIENTS: ReadonlySet<string> = new Set([
  'besu',
  'core-geth',
  'erigon',
  'ethereumjs',
  'ethrex',
  'geth',
  'isonode',
  'nethermind',
  'nimbus',
  'reth',
])

export function createPeerMeter(metrics: Metrics): PeerMeter {
  const dials = (outcome: string): Counter =>
    metrics.counter(
      { category: 'PEERS', name: 'dials_total', help: 'Connections to peers that were tried.' },
      { outcome },
    )
  const [reached, failed] = [dials('connected'), dials('failed')]
  const connected = metrics.counter({
    category: 'PEERS',
    name: 'connected_total',
    help: 'Total number of peers connected.',
  })
  const received = new MessageCounters(metrics, 'inbound', 'received from')
  const sent = new MessageCounters(metrics, 'outbound', 'sent to')
  return {
    dialled: (isConnected) => (isConnected ? reached : failed).add(),
    admitted: () => connected.add(),
    ended: ({ reason, by }, wasAdmitted) => {
      const name = wasAdmitted ? 'disconnected_total' : 'refused_total'
      const help = wasAdmitted
        ? 'Total number of peers disconnected.'
        : 'Connections that ended before their admission.'
      metrics.counter({ category: 'PEERS', name, help }, { initiator: by, disconnectReason: REASONS[reason] }).add()
    },
    received: (capability, code, bytes) => received.count(capability, code, bytes),
    sent: (capability, code, bytes) => sent.count(capability, code, bytes),
  }
}

/** Peers by direction and client, counted when the metrics are read. */
export function measurePeers(
  metrics: Metrics,
  peers: () => readonly { readonly isInbound: boolean; readonly clientId: string }[],
): void {
  const gauges = new Map<string, Gauge>()
  metrics.onRead(() => {
    const counts = new Map([...gauges.keys()].map((key) => [key, 0]))
    for (const { isInbound, clientId } of peers()) {
      const key = `${isInbound ? 'inbound' : 'outbound'} ${clientOf(clientId)}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    for (const [key, count] of counts) {
      const [direction = '', client = ''] = key.split(' ')
      const options = { category: 'PEERS', name: 'connected', help: 'Connected peers.' } as const
      const gauge = gauges.get(key) ?? metrics.gauge(options, { direction, client })
      gauges.set(key, gauge)
      gauge.set(count)
    }
  })
}

/** Messages and their bytes by protocol and code. */
class MessageCounters {
  readonly #metrics: Metrics
  readonly #direction: string
  readonly #verb: string
  /** By name of the capability, then by code. */
  readonly #series = new Map<string, { readonly messages: Counter; readonly bytes: Counter }[]>()

  constructor(metrics: Metrics, direction: 'inbound' | 'outbound', verb: string) {
    this.#metrics = metrics
    this.#direction = direction
    this.#verb = verb
  }

  count(capability: AgreedCapability, code: number, bytes: number): void {
    let list = this.#series.get(capability.name)
    if (list === undefined) {
      list = []
      this.#series.set(capability.name, list)
    }
    let series = list[code]
    if (series === undefined) {
      series = this.#create(capability, code)
      list[code] = series
    }
    series.messages.add()
    series.bytes.add(bytes)
  }

  #create(capability: AgreedCapability, code: number) {
    const labels = { protocol: capability.name, name: messageName(capability, code), code: String(code) }
    const counter = (unit: string, help: string): Counter =>
      this.#metrics.counter({ category: 'NETWORK', name: `p2p_${unit}_${this.#direction}_total`, help }, labels)
    return {
      messages: counter('messages', `Messages ${this.#verb} peers.`),
      bytes: counter('bytes', `Bytes of messages ${this.#verb} peers, without compression.`),
    }
  }
}

/** As in the specifications: `GetBlockHeaders`. */
function messageName({ name, version }: AgreedCapability, code: number): string {
  const kind = kindOfMessage(name, version, code) ?? 'invalid'
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
}

function kindOfMessage(name: string, version: number, code: number): string | undefined {
  const eth = name === 'eth' ? ethVersion(version) : undefined
  if (eth !== undefined) return kindOfCode(eth, code)
  if (name === 'snap') return Object.keys(SNAP_CODES)[code]
  const protocol = (['ibft2', 'qbft'] as const).find((one) => BFT_CAPABILITIES[one].name === name)
  return protocol && kindOf(code, PROTOCOLS[protocol])
}

function clientOf(clientId: string): string {
  const [first = ''] = clientId.toLowerCase().split('/', 1)
  return CLIENTS.has(first) ? first : 'other'
}

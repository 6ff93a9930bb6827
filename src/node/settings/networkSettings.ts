/**
 * Options of the peer-to-peer network as settings of its parts.
 * @module
 */

import type { SocketAddress } from '../../base/ports/tcpSockets.ts'
import { hexToBytes } from '../../base/primitives/bytes.ts'
import { PUBLIC_NODES } from '../../config/networks/publicNodes.ts'
import type { NodeOptions } from '../../config/options.ts'
import type { RequiredBlock } from '../../net/eth/requiredHeaders.ts'
import { type Enode, parseEnode } from '../../net/p2p/enode.ts'
import type { PeerLimits } from '../../net/p2p/peers/policy.ts'

export interface NetworkSettings {
  readonly listen: SocketAddress
  readonly limits: PeerLimits
  /** Node ids, 64 bytes each. */
  readonly bannedIds: readonly Uint8Array[]
  readonly requiredBlocks: readonly RequiredBlock[]
  /** undefined: peers are not discovered. */
  readonly discovery: DiscoveryOptions | undefined
}

export interface DiscoveryOptions {
  readonly bootnodes: readonly Enode[]
  /** DNS node lists, `enrtree://<key>@<domain>` */
  readonly lists: readonly string[]
}

/** The values have been checked (cli/networkRules.ts). */
export function networkSettings(options: NodeOptions): NetworkSettings {
  const maxPeers = options['max-peers']
  return {
    listen: { host: options['p2p-interface'], port: options['p2p-port'] },
    limits: {
      maxPeers,
      wantedPeers: Math.min(options['p2p-peer-lower-bound'], maxPeers),
      maxInboundPercent: options['remote-connections-limit-enabled']
        ? options['remote-connections-max-percentage']
        : 100,
      hasRandomPriority: options['random-peer-priority-enabled'],
    },
    bannedIds: options['banned-node-ids'].map(bytesOf),
    requiredBlocks: options['required-blocks'].map(requiredBlock),
    discovery: options['discovery-enabled'] ? discoveryOptions(options) : undefined,
  }
}

/** Without options, the nodes of the named network; an empty list of boot nodes is none. */
function discoveryOptions(options: NodeOptions): DiscoveryOptions {
  const { network } = options
  const isNamed = network !== undefined && options['genesis-file'] === undefined
  const { bootnodes: publicBootnodes = [], list: publicList } = (isNamed ? PUBLIC_NODES[network] : undefined) ?? {}
  const list = options['discovery-dns-url'] ?? (options.bootnodes === undefined ? publicList : undefined)
  return { bootnodes: (options.bootnodes ?? publicBootnodes).map(parseEnode), lists: list === undefined ? [] : [list] }
}

/** `number=hash` */
function requiredBlock(text: string): RequiredBlock {
  const [number = '', hash = ''] = text.split('=')
  return { number: BigInt(number), hash: bytesOf(hash) }
}

/** With or without 0x. */
function bytesOf(hex: string): Uint8Array {
  return hexToBytes(hex.startsWith('0x') || hex.startsWith('0X') ? `0x${hex.slice(2)}` : `0x${hex}`)
}

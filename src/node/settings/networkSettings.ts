/**
 * Options of the peer-to-peer network as settings of its parts.
 * @module
 */

import type { SocketAddress } from '../../base/ports/tcpSockets.ts'
import { hexToBytes } from '../../base/primitives/bytes.ts'
import type { NodeOptions } from '../../config/options.ts'
import type { RequiredBlock } from '../../net/eth/requiredHeaders.ts'
import type { PeerLimits } from '../../net/p2p/peers/policy.ts'
import { type DiscoveryOptions, discoveryOptions } from './discoveryOptions.ts'

export interface NetworkSettings {
  readonly listen: SocketAddress
  readonly limits: PeerLimits
  /** Node ids, 64 bytes each. */
  readonly bannedIds: readonly Uint8Array[]
  readonly requiredBlocks: readonly RequiredBlock[]
  /** undefined: peers are not discovered. */
  readonly discovery: DiscoveryOptions | undefined
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
    discovery: discoveryOptions(options),
  }
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

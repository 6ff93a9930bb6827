/**
 * Whether this node may be connected to a peer: by the list in the file, by the contract, or by both.
 * @see docs/reference/permissioning.md sections 4 and 7
 * @module
 */

import { bytesToHexUnprefixed, equalBytes } from '../base/primitives/bytes.ts'
import type { Enode } from '../net/p2p/enode.ts'
import type { ConnectionDirection, NetworkView, NodePermissions, PeerEndpoint } from './contract.ts'
import { endpointKey, hostKey } from './endpointKey.ts'
import type { NodeList } from './nodeList.ts'

export interface NodeRulesOptions {
  /** undefined: there is no list */
  readonly list: Pick<NodeList, 'allows' | 'allowsHost'> | undefined
  /** undefined: no contract is asked */
  readonly contract: { allows(source: PeerEndpoint, destination: PeerEndpoint): boolean } | undefined
  readonly bootnodes: readonly Enode[]
  readonly staticNodes: readonly Enode[]
}

export class NodeRules implements NodePermissions {
  readonly #options: NodeRulesOptions
  readonly #fixed: ReadonlySet<string>
  readonly #fixedHosts: ReadonlySet<string>
  readonly #boot: ReadonlySet<string>
  readonly #bootIds: ReadonlySet<string>
  readonly #listeners = new Set<() => void>()
  /** Set by the network; nothing is allowed without one. */
  network: NetworkView | undefined

  constructor(options: NodeRulesOptions) {
    const { bootnodes, staticNodes } = options
    this.#options = options
    this.#boot = new Set(bootnodes.map(endpointKey))
    this.#bootIds = new Set(bootnodes.map(({ id }) => bytesToHexUnprefixed(id)))
    this.#fixed = new Set([...this.#boot, ...staticNodes.map(endpointKey)])
    // With a list alone, it includes these nodes.
    this.#fixedHosts = new Set(options.contract === undefined ? [] : [...bootnodes, ...staticNodes].map(hostKey))
  }

  allows(peer: PeerEndpoint, direction: ConnectionDirection): boolean {
    const { list, contract } = this.#options
    const { network } = this
    if (network === undefined) return false
    const { self } = network
    if (equalBytes(peer.id, self.id)) return true
    if (direction === 'discovery')
      return list === undefined || list.allowsHost(peer) || this.#fixedHosts.has(hostKey(peer))
    if (contract === undefined) return list === undefined || list.allows(peer)
    const [source, destination] = direction === 'outbound' ? [self, peer] : [peer, self]
    // Rules on the chain are not known yet.
    if (!network.hasSynced && this.#fixed.has(endpointKey(destination))) return true
    if (this.#boot.has(endpointKey(peer)) && !this.#hasOtherPeers(network)) return true
    if (!network.hasSynced || list?.allows(peer) === false) return false
    return contract.allows(source, destination)
  }

  onChange(listener: () => void): () => void {
    const own = (): void => listener()
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** Reports that the list, the answers of the contract or the state of the network may have changed. */
  changed(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Whether the node is connected to a peer that is not a boot node. */
  #hasOtherPeers({ connected }: NetworkView): boolean {
    for (const id of connected) if (!this.#bootIds.has(id)) return true
    return false
  }
}

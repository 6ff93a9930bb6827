/**
 * Whether this node may be connected to a peer: by the list in the file, by the contract, or by both.
 * @see permissioning.md sections 4 and 7
 * @module
 */
import type { Enode } from '../p2p/enode.ts'
import { bytesToHexUnprefixed, equalBytes } from '../primitives/bytes.ts'
import type { ConnectionDirection, NetworkView, NodePermissions, PeerEndpoint } from './contract.ts'
import { endpointKey } from './endpointKey.ts'

export interface NodeRulesOptions {
  /** undefined: there is no list */
  readonly list: { allows(peer: PeerEndpoint): boolean } | undefined
  /** undefined: no contract is asked */
  readonly contract: { allows(source: PeerEndpoint, destination: PeerEndpoint): boolean } | undefined
  readonly bootnodes: readonly Enode[]
  readonly staticNodes: readonly Enode[]
  /** This node; undefined: it has no identity, so nothing is permitted */
  readonly self: () => PeerEndpoint | undefined
}

/** A node without a network is in sync and has no peers. */
const NO_NETWORK: NetworkView = { hasSynced: true, connected: [] }

export class NodeRules implements NodePermissions {
  readonly #options: NodeRulesOptions
  readonly #fixed: ReadonlySet<string>
  readonly #boot: ReadonlySet<string>
  readonly #bootIds: ReadonlySet<string>
  readonly #listeners = new Set<() => void>()
  /** Set by the network. */
  network: NetworkView = NO_NETWORK

  constructor(options: NodeRulesOptions) {
    const { bootnodes, staticNodes } = options
    this.#options = options
    this.#boot = new Set(bootnodes.map(endpointKey))
    this.#bootIds = new Set(bootnodes.map(({ id }) => bytesToHexUnprefixed(id)))
    this.#fixed = new Set([...this.#boot, ...staticNodes.map(endpointKey)])
  }

  allows(peer: PeerEndpoint, direction: ConnectionDirection): boolean {
    const { list, contract } = this.#options
    const self = this.#options.self()
    if (self === undefined) return false
    if (equalBytes(peer.id, self.id)) return true
    if (contract === undefined) return list === undefined || list.allows(peer)
    const { hasSynced } = this.network
    const key = endpointKey(peer)
    if (!hasSynced && direction === 'outbound' && this.#fixed.has(key)) return true
    if (this.#boot.has(key) && !this.#hasOtherPeers()) return true
    if (!hasSynced || list?.allows(peer) === false) return false
    return direction === 'outbound' ? contract.allows(self, peer) : contract.allows(peer, self)
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

  /** Whether the node is connected to a peer that is no boot node. */
  #hasOtherPeers(): boolean {
    for (const id of this.network.connected) if (!this.#bootIds.has(id)) return true
    return false
  }
}

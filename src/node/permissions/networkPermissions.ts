/**
 * Permissioning of the connections of an open network.
 * @module
 */
import type { ChainHeader } from '../../chain/contract.ts'
import type { PeerSession } from '../../net/eth/sessionDeps.ts'
import type { PeerServer, PeerServerOptions } from '../../net/p2p/peers/peerServer.ts'
import type { NetworkView, NodePermissions, PeerEndpoint } from '../../permissioning/contract.ts'

/** The rules as the peers layer asks for them; undefined: there are none */
export function connectionRule(nodes: NodePermissions | undefined): PeerServerOptions['permits'] {
  return nodes && (({ id, host, tcpPort }, direction) => nodes.allows({ id, host, port: tcpPort }, direction))
}

/** Disconnects peers that are no longer allowed, and dials those that have become allowed. */
export function followRules(nodes: NodePermissions | undefined, server: PeerServer): () => void {
  if (nodes === undefined) return () => {}
  return nodes.onChange(() => {
    server.checkPermissions()
    server.noteContact()
  })
}

export interface NetworkViewDeps {
  readonly peers: () => readonly Pick<PeerSession, 'connection' | 'head'>[]
  readonly chain: { readonly head: ChainHeader }
  readonly self: () => PeerEndpoint
  readonly isSyncing: () => boolean
  /** Whether the node has boot nodes or static nodes, from which it expects blocks. */
  readonly expectsPeers: boolean
}

/** Once in sync, the node counts as in sync for ever, because it then knows the rules on the chain. */
export class PermissionView implements NetworkView {
  readonly #deps: NetworkViewDeps
  readonly #firstHead: ChainHeader
  #hasSynced: boolean

  constructor(deps: NetworkViewDeps) {
    this.#deps = deps
    this.#hasSynced = !deps.expectsPeers
    this.#firstHead = deps.chain.head
  }

  get self(): PeerEndpoint {
    return this.#deps.self()
  }

  get hasSynced(): boolean {
    this.#hasSynced ||= this.#isInSync()
    return this.#hasSynced
  }

  get connected(): Iterable<string> {
    return this.#deps.peers().map(({ connection }) => connection.key)
  }

  /** No peer has a better chain; without peers, the node has produced a block itself. */
  #isInSync(): boolean {
    const { peers, chain, isSyncing } = this.#deps
    if (isSyncing()) return false
    const { header, totalDifficulty } = chain.head
    const connected = peers()
    if (connected.length === 0) return header.number > this.#firstHead.header.number
    return connected.every(({ head }) =>
      head.totalDifficulty === undefined ? head.number <= header.number : head.totalDifficulty <= totalDifficulty,
    )
  }
}

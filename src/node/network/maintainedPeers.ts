import type { ConnectedPeer, NamedPeerControl, PeerConnections, PeerControl } from '../../api/peers.ts'
import { MAX_MAINTAINED_PEERS } from '../../base/limits/limits.ts'
import type { Signer } from '../../base/ports/signer.ts'
import { bytesToHexUnprefixed, equalBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { Enode } from '../../net/p2p/enode.ts'

type Identity = Pick<Signer, 'publicKey'>

/** The list behind admin_addPeer and admin_removePeer. Entries that differ in any part are different. */
export class MaintainedPeers implements PeerControl {
  readonly #self: Identity | undefined
  readonly #connections: PeerConnections | undefined
  readonly #peers = new Map<string, Enode>()
  named: NamedPeerControl | undefined

  /**
   * @param self the identity of this node, read when a peer is added
   * @param connections undefined: the node has no network, so no peer is ever connected
   * @param initial peers of the list from the start
   */
  constructor(self: Identity | undefined, connections?: PeerConnections, initial: readonly Enode[] = []) {
    this.#self = self
    this.#connections = connections
    for (const peer of initial) this.add(peer)
  }

  get connected(): readonly ConnectedPeer[] {
    return this.#connections?.peers ?? []
  }

  add(peer: Enode): boolean {
    const key = keyOf(peer)
    if (this.#peers.has(key) || (this.#self !== undefined && equalBytes(peer.id, this.#self.publicKey))) return false
    if (this.#peers.size >= MAX_MAINTAINED_PEERS) {
      throw new NodeError({ code: 'TOO_MANY_PEERS' }, `the list has ${MAX_MAINTAINED_PEERS} peers; remove some first`)
    }
    this.#peers.set(key, peer)
    this.#connections?.maintain(peer)
    return true
  }

  /** Replaces the address of a peer. */
  move(from: Enode, to: Enode): void {
    if (!this.#peers.delete(keyOf(from))) return
    this.#peers.set(keyOf(to), to)
    this.#connections?.move(from, to)
  }

  remove(peer: Enode): boolean {
    const wasKnown = this.#peers.delete(keyOf(peer))
    this.#connections?.release(peer)
    return wasKnown
  }
}

/** Equal for entries that are equal in all parts. */
function keyOf({ id, host, port, discoveryPort }: Enode): string {
  return [bytesToHexUnprefixed(id), host, port, discoveryPort].join()
}

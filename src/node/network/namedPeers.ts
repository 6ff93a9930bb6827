/**
 * Static peers whose enode URLs have host names.
 * @see docs/reference/admin-net-miner-perm-of-node.md section 3
 * @module
 */

import type { Logger } from '../../base/ports/host.ts'
import type { HostNames } from '../../base/ports/hostNames.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'
import { isNodeError, NodeError } from '../../base/primitives/errors.ts'
import { type Enode, enodeText, parseEnode } from '../../net/p2p/enode.ts'
import { DIAL_RULES } from '../../net/p2p/peers/policy.ts'
import type { Lifecycle } from '../lifecycle.ts'
import type { MaintainedPeers } from './maintainedPeers.ts'

export interface NamedPeersDeps {
  readonly names: HostNames
  readonly peers: MaintainedPeers
  readonly timers: Timers
  readonly logger: Logger
}

/** Resolves names once, or again before each redial. */
export class NamedPeers implements Lifecycle {
  readonly name = 'host names of peers'
  readonly #deps: NamedPeersDeps
  /** By URL, if names are resolved again; undefined: the name has no address yet. */
  readonly #addresses = new Map<string, Enode | undefined>()
  /** URLs whose names had no address at the last attempt. */
  readonly #unknown = new Set<string>()
  #timer: Timer | undefined
  #isStopped = false

  constructor(deps: NamedPeersDeps) {
    this.#deps = deps
    for (const url of deps.names.staticNodes) this.#addresses.set(url, undefined)
  }

  /** Does not wait for the look-ups. */
  async start(): Promise<void> {
    void this.#update()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  /**
   * @returns false when the peer is in the list already or is this node
   * @throws {NodeError} TOO_MANY_PEERS, INVALID_ENODE_URL
   */
  async add(url: string): Promise<boolean> {
    const { names, peers } = this.#deps
    if (this.#addresses.has(url)) return false
    const peer = await this.#resolved(url)
    const isAdded = peers.add(peer)
    if (isAdded && names.areUpdated) {
      this.#addresses.set(url, peer)
      this.#schedule()
    }
    return isAdded
  }

  /** @throws {NodeError} INVALID_ENODE_URL */
  async remove(url: string): Promise<boolean> {
    const { peers } = this.#deps
    const enode = this.#addresses.get(url)
    this.#addresses.delete(url)
    return peers.remove(enode ?? (await this.#resolved(url)))
  }

  /** The URL is a parameter of a request: a name without an address makes it invalid. */
  async #resolved(url: string): Promise<Enode> {
    try {
      return parseEnode(await this.#deps.names.resolve(url))
    } catch (error) {
      if (!isNodeError(error, 'UNKNOWN_HOST')) throw error
      throw new NodeError({ code: 'INVALID_ENODE_URL' }, `parse error: ${error.message}`, { cause: error })
    }
  }

  #schedule(): void {
    if (this.#isStopped || this.#timer !== undefined || this.#addresses.size === 0) return
    this.#timer = this.#deps.timers.schedule(DIAL_RULES.maintainedMs, () => {
      this.#timer = undefined
      void this.#update()
    })
  }

  async #update(): Promise<void> {
    await Promise.all([...this.#addresses.keys()].map((url) => this.#updateOne(url)))
    this.#schedule()
  }

  async #updateOne(url: string): Promise<void> {
    const { names, peers, logger } = this.#deps
    try {
      const peer = parseEnode(await names.resolve(url))
      const before = this.#addresses.get(url)
      if (this.#isStopped || !this.#addresses.has(url)) return
      this.#unknown.delete(url)
      if (before !== undefined && enodeText(before) === enodeText(peer)) return
      this.#addresses.set(url, peer)
      if (before === undefined) peers.add(peer)
      else peers.move(before, peer)
    } catch (error) {
      if (this.#isStopped || this.#unknown.has(url)) return
      this.#unknown.add(url)
      logger.warn('a peer cannot be found', { enode: url, error })
    }
  }
}

/**
 * Chooses the peer whose chain is followed.
 * @see docs/reference/p2p.md section 9
 * @module
 */

import { SYNC_TOLERANCE_BLOCKS } from '../../base/limits/networkLimits.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import type { Finality } from '../../chain/engine.ts'
import { needsConsensusClient } from '../../chain/nextBlock.ts'
import type { EthPeer, PeerHead } from '../eth/contract.ts'
import type { SyncChain } from './contract.ts'
import type { SyncPeers } from './syncPeers.ts'

/** Minimum lead over the current target at which another peer is followed instead. */
const SWITCH_BLOCKS = 200n
const SWITCH_DIFFICULTY = 10n ** 18n

/** How the head of a peer compares with that of this chain. */
export class Targets {
  readonly #chain: Pick<SyncChain, 'head' | 'consensus'>
  readonly #peers: SyncPeers

  constructor(chain: Pick<SyncChain, 'head' | 'consensus'>, peers: SyncPeers) {
    this.#chain = chain
    this.#peers = peers
  }

  /** Whether blocks of this chain are never replaced. */
  get isFinal(): boolean {
    return this.#finality === 'immediate'
  }

  /** Whether no peer can show which blocks follow the head. */
  get needsConsensusClient(): boolean {
    return needsConsensusClient(this.#chain.head, this.#chain.consensus)
  }

  /**
   * Whether the peer claims a better chain: by total difficulty if it decides and is known, else by height, which does
   * not decide between blocks of proof of stake.
   */
  isBetter({ head }: EthPeer): boolean {
    const ownHead: ChainHeader = this.#chain.head
    const claimedDifficulty = this.#comparableDifficulty(head)
    if (claimedDifficulty !== undefined) return claimedDifficulty > ownHead.totalDifficulty
    return head.number > ownHead.header.number && !this.needsConsensusClient
  }

  /** Whether the peer claims a better chain that gossip does not catch up with. */
  isFar(peer: EthPeer): boolean {
    const tolerated = this.#chain.head.header.number + BigInt(SYNC_TOLERANCE_BLOCKS)
    return peer.head.number > tolerated && this.isBetter(peer)
  }

  /** Whether this node is behind a peer whose claims are credible. */
  isBehind(peers: readonly EthPeer[]): boolean {
    return peers.some((peer) => peer.isOpen && this.#peers.isCredible(peer) && this.isFar(peer))
  }

  /**
   * The peer to follow: one without recent failures, then the one with fewer passes, then the best head.
   * @param withNear whether to follow a peer that is only a few blocks ahead
   */
  choose(peers: readonly EthPeer[], withNear: (peer: EthPeer) => boolean): EthPeer | undefined {
    let best: EthPeer | undefined
    for (const peer of peers) {
      const isEligible = peer.isOpen && !this.#peers.isPaused(peer) && !this.#peers.isLighter(peer)
      if (!isEligible || !this.isBetter(peer) || !(this.isFar(peer) || withNear(peer))) continue
      if (best === undefined || this.#precedes(peer, best)) best = peer
    }
    return best
  }

  /** Whether another peer has a much better chain than the current target. */
  isOutdated(target: EthPeer, peers: readonly EthPeer[]): boolean {
    return peers.some((peer) => {
      if (peer === target || !peer.isOpen || this.#peers.isDoubtful(peer) || this.#peers.isPaused(peer)) return false
      if (this.#peers.passes(peer) > this.#peers.passes(target)) return false
      const [theirs, current] = [peer.head, target.head].map((head) => this.#comparableDifficulty(head))
      if (theirs === undefined || current === undefined) return peer.head.number > target.head.number + SWITCH_BLOCKS
      const isLonger = peer.head.number > target.head.number + SWITCH_BLOCKS && theirs > current
      return isLonger || theirs > current + SWITCH_DIFFICULTY
    })
  }

  #precedes(peer: EthPeer, other: EthPeer): boolean {
    const doubts = Number(this.#peers.isDoubtful(peer)) - Number(this.#peers.isDoubtful(other))
    if (doubts !== 0) return doubts < 0
    const passes = this.#peers.passes(peer) - this.#peers.passes(other)
    if (passes !== 0) return passes < 0
    const [ours, theirs] = [peer.head, other.head].map((head) => this.#comparableDifficulty(head))
    return ours === undefined || theirs === undefined || ours === theirs
      ? peer.head.number > other.head.number
      : ours > theirs
  }

  /** undefined: the height decides */
  #comparableDifficulty({ totalDifficulty }: PeerHead): bigint | undefined {
    return this.#finality === 'difficulty' ? totalDifficulty : undefined
  }

  get #finality(): Finality {
    return this.#chain.consensus.claimedBy(this.#chain.head.header).finality
  }
}

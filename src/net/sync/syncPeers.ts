/**
 * The record of each peer in synchronisation: speed, failures and passes.
 * @module
 */
import {
  MAX_SYNC_FAILURES,
  SYNC_HEDGE_MS,
  SYNC_PEER_PAUSE_MS,
  SYNC_REQUESTS_PER_PEER,
} from '../../base/limits/networkLimits.ts'
import type { Clock, Logger } from '../../base/ports/host.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'
import type { EthPeer, EthPeers } from '../eth/contract.ts'
import { Signal } from './inOrder.ts'

export interface SyncPeersDeps {
  readonly peers: EthPeers
  readonly clock: Clock
  readonly timers: Timers
  readonly logger: Logger
}

interface PeerNotes {
  /** Requests of synchronisation that wait for their answer. */
  inFlight: number
  /** Moving average of the time for an answer. */
  answerMs: number
  /** Monotonic time until which nothing is asked. */
  pausedUntilMs: number
  /** Failures in a row while this peer's chain was followed. */
  failures: number
  /** Rounds in a row in which its chain ended far below its head. */
  shortfalls: number
  /** Whether another peer was last preferred to waiting for this one. */
  isSlow: boolean
  /** Whether a part of its chain has been imported from it. */
  hasDelivered: boolean
  /** Rounds that followed this peer and ended before its head. */
  passes: number
  /** Monotonic time at which the peer first claimed a better chain. */
  betterSinceMs: number | undefined
  /** Number of a head whose branch was not heavier than this chain. */
  lighterHead: bigint | undefined
}

/** Assumed for a peer that has not answered yet, so that new peers are tried. */
const FIRST_ANSWER_MS = 300
const AVERAGE_WEIGHT = 0.2
const MAX_NAME_LENGTH = 60
const SHORT_ID_LENGTH = 16

export class SyncPeers {
  readonly #deps: SyncPeersDeps
  readonly #notes = new WeakMap<EthPeer, PeerNotes>()
  readonly #signal = new Signal()

  constructor(deps: SyncPeersDeps) {
    this.#deps = deps
  }

  /** Resolves when a peer may have become available, at the latest after the given time. */
  changed(maxMs: number): Promise<void> {
    return this.within(this.#signal.changed, maxMs)
  }

  notify(): void {
    this.#signal.notify()
  }

  /** Resolves with the promise, or after the given time. */
  within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
    let timer: Timer | undefined
    const timeout = new Promise<undefined>((resolve) => {
      timer = this.#deps.timers.schedule(ms, () => resolve(undefined))
    })
    return Promise.race([promise, timeout]).finally(() => timer?.cancel())
  }

  /** Peers that may have a block, whether or not they can be asked now. */
  withBlock(number: number): EthPeer[] {
    return this.#deps.peers.all.filter((peer) => peer.isOpen && peer.head.number >= number)
  }

  /** Whether the peer can be asked now. */
  canAsk(peer: EthPeer): boolean {
    const { inFlight, pausedUntilMs } = this.#of(peer)
    return (
      peer.isOpen &&
      peer.hasCapacity &&
      inFlight < SYNC_REQUESTS_PER_PEER &&
      pausedUntilMs <= this.#deps.clock.monotonic()
    )
  }

  isPaused(peer: EthPeer): boolean {
    return this.#of(peer).pausedUntilMs > this.#deps.clock.monotonic()
  }

  /** Expected time for one more answer, milliseconds. */
  expectedMs(peer: EthPeer): number {
    const { inFlight, answerMs } = this.#of(peer)
    return answerMs * (inFlight + 1)
  }

  passes(peer: EthPeer): number {
    return this.#of(peer).passes
  }

  /** Whether the head that the peer claims is known not to be better. */
  isLighter(peer: EthPeer): boolean {
    const { lighterHead } = this.#of(peer)
    return lighterHead !== undefined && peer.head.number <= lighterHead
  }

  /** Whether the peer recently failed to prove its claims. */
  isDoubtful(peer: EthPeer): boolean {
    const { failures, shortfalls, isSlow } = this.#of(peer)
    return failures > 0 || shortfalls > 0 || isSlow || this.isLighter(peer)
  }

  /** Whether this node counts as behind the head that the peer claims. */
  isCredible(peer: EthPeer): boolean {
    const { failures, shortfalls, isSlow, hasDelivered } = this.#of(peer)
    return ((failures === 0 && !isSlow) || hasDelivered) && shortfalls === 0 && !this.isLighter(peer)
  }

  /** Whether the peer currently claims a better chain. */
  setBetter(peer: EthPeer, isBetter: boolean): void {
    const notes = this.#of(peer)
    notes.betterSinceMs = isBetter ? (notes.betterSinceMs ?? this.#deps.clock.monotonic()) : undefined
  }

  /** Monotonic time since which the peer has claimed a better chain without a break. */
  betterSince(peer: EthPeer): number {
    return this.#of(peer).betterSinceMs ?? this.#deps.clock.monotonic()
  }

  /** @returns a function to call when the answer has arrived; it returns the time that it took */
  began(peer: EthPeer): () => number {
    const notes = this.#of(peer)
    const startedMs = this.#deps.clock.monotonic()
    notes.inFlight++
    return () => {
      notes.inFlight--
      const elapsedMs = this.#deps.clock.monotonic() - startedMs
      notes.answerMs += AVERAGE_WEIGHT * (elapsedMs - notes.answerMs)
      this.notify()
      return elapsedMs
    }
  }

  /** A request has waited for long: faster peers are preferred. */
  slow(peer: EthPeer): void {
    const notes = this.#of(peer)
    notes.answerMs = Math.max(notes.answerMs, SYNC_HEDGE_MS)
  }

  /** Asks nothing for a while. */
  pause(peer: EthPeer, ms: number = SYNC_PEER_PAUSE_MS): void {
    this.#of(peer).pausedUntilMs = this.#deps.clock.monotonic() + ms
  }

  /** The round that followed the peer made no progress; after several of them, the peer is dropped. */
  failed(peer: EthPeer, reason: string): void {
    const notes = this.#of(peer)
    notes.failures++
    this.pause(peer)
    if (!peer.isOpen) return
    this.#deps.logger.debug('synchronisation made no progress', { peer: nameOf(peer), reason })
    if (notes.failures < MAX_SYNC_FAILURES) return
    this.#deps.logger.warn('dropped a peer that does not deliver its chain', { peer: nameOf(peer), reason })
    peer.disconnect('uselessPeer', reason)
  }

  /** The round that followed the peer made progress. */
  progressed(peer: EthPeer, hasReachedHead: boolean): void {
    const notes = this.#of(peer)
    notes.failures = 0
    notes.isSlow = false
    notes.hasDelivered = true
    if (hasReachedHead) notes.shortfalls = 0
    else notes.passes++
  }

  /**
   * Another peer gets its turn, because this one takes long to answer. Only a request that later times out, or is answered by
   * nothing, is a failure: an honest peer may be slow.
   */
  lostPatience(peer: EthPeer): void {
    const notes = this.#of(peer)
    notes.isSlow = true
    notes.passes++
    this.pause(peer)
  }

  /**
   * The chain of the peer ended far below the head that it claims. Its blocks were imported, but a peer that goes on like
   * this is dropped: it would keep this node occupied with a claim that it never proves.
   */
  fellShort(peer: EthPeer): void {
    const notes = this.#of(peer)
    notes.shortfalls++
    notes.passes++
    if (notes.shortfalls < MAX_SYNC_FAILURES || !peer.isOpen) return
    const reason = 'its chain ends far below its head'
    this.#deps.logger.warn('dropped a peer that does not deliver its chain', { peer: nameOf(peer), reason })
    peer.disconnect('uselessPeer', reason)
  }

  /** The branch of the peer up to a block would not become the canonical chain. */
  setLighter(peer: EthPeer, number: bigint): void {
    this.#of(peer).lighterHead = number
  }

  /** Drops a peer that has sent something wrong. */
  breach(peer: EthPeer, reason: string): void {
    if (!peer.isOpen) return
    this.#deps.logger.warn('dropped a peer with a wrong answer', { peer: nameOf(peer), reason })
    peer.disconnect('breachOfProtocol', reason)
  }

  #of(peer: EthPeer): PeerNotes {
    const storedNotes = this.#notes.get(peer)
    if (storedNotes !== undefined) return storedNotes
    const notes: PeerNotes = {
      inFlight: 0,
      answerMs: FIRST_ANSWER_MS,
      pausedUntilMs: 0,
      failures: 0,
      shortfalls: 0,
      isSlow: false,
      hasDelivered: false,
      passes: 0,
      betterSinceMs: undefined,
      lighterHead: undefined,
    }
    this.#notes.set(peer, notes)
    return notes
  }
}

/** Start of the node id and name of the client, for the log. */
export function nameOf({ connection }: EthPeer): string {
  return `${connection.key.slice(0, SHORT_ID_LENGTH)} ${connection.hello.clientId.slice(0, MAX_NAME_LENGTH)}`
}

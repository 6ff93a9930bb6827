/**
 * Keeps the chain up to the best of its peers: chooses a peer, runs a round, and judges the peer by its result.
 * @see docs/reference/p2p.md section 9
 * @module
 */

import {
  MAX_TRAILING_PEERS_PERCENT,
  SYNC_GOSSIP_GRACE_MS,
  SYNC_PEER_PAUSE_MS,
  SYNC_TOLERANCE_BLOCKS,
} from '../../base/limits/networkLimits.ts'
import { Emitter, type Unsubscribe } from '../../base/primitives/events.ts'
import type { ImportProgress } from '../../chain/importReport.ts'
import type { EthPeer } from '../eth/contract.ts'
import type { SyncDeps, SyncPosition } from './contract.ts'
import { Signal } from './inOrder.ts'
import { Lag } from './lag.ts'
import { ProgressReport } from './progressReport.ts'
import { type RoundReport, SyncPass } from './syncPass.ts'
import { nameOf, SyncPeers } from './syncPeers.ts'
import { Targets } from './targets.ts'

export interface SynchroniserEvents {
  /** Synchronisation has begun or ended (undefined). */
  sync: SyncPosition | undefined
  /** Whether this node is behind its peers has changed. */
  behind: boolean
}

interface Shown {
  readonly startingBlock: bigint
  readonly report: ProgressReport
}

/** No event reports the end of a peer's pause. */
const RECHECK_MS = 1000
const MAX_FUTURE_PAUSE_MS = 30_000
const SECOND_MS = 1000

export class Synchroniser {
  readonly name = 'synchronisation'
  readonly events: Emitter<SynchroniserEvents>
  readonly #deps: SyncDeps
  readonly #peers: SyncPeers
  readonly #targets: Targets
  readonly #signal = new Signal()
  #unsubscribe: Unsubscribe = () => {}
  #loop: Promise<void> = Promise.resolve()
  #isStopped = false
  readonly #stopping: Promise<void>
  #announceStop: () => void = () => {}
  readonly #lag: Lag
  #round: SyncPass | undefined
  #target: EthPeer | undefined
  /** Set while synchronisation is visible to users. */
  #shown: Shown | undefined
  /** Monotonic time of the end of the last round that imported blocks. */
  #importedMs = Number.NEGATIVE_INFINITY
  #hasExplainedEnd = false

  constructor(deps: SyncDeps) {
    const { logger } = deps
    this.#deps = deps
    this.#peers = new SyncPeers(deps)
    this.#targets = new Targets(deps.chain, this.#peers)
    this.#stopping = new Promise((resolve) => {
      this.#announceStop = resolve
    })
    this.events = new Emitter((error) => logger.error('a sync-event listener threw', { error }))
    this.#lag = new Lag({
      ...deps,
      trustsClaims: () => !this.#targets.isFinal,
      onChange: (isBehind) => this.events.emit('behind', isBehind),
    })
  }

  /** Whether peers are ahead by more than gossip closes: block production and gossip pause. */
  get isBehind(): boolean {
    return this.#lag.isBehind
  }

  /** undefined: in sync, or no peer is known to be ahead. */
  get position(): SyncPosition | undefined {
    if (this.#shown === undefined) return undefined
    const currentBlock = this.#deps.chain.head.header.number
    const claimedHeight = this.#target?.head.number ?? currentBlock
    const highestBlock = claimedHeight > currentBlock ? claimedHeight : currentBlock
    return { startingBlock: this.#shown.startingBlock, currentBlock, highestBlock }
  }

  start(): void {
    const { peers, chain } = this.#deps
    const wake = (): void => this.#wake()
    const stops = [
      peers.events.on('joined', wake),
      peers.events.on('head', wake),
      peers.events.on('left', wake),
      chain.events.on('head', wake),
    ]
    this.#unsubscribe = () => {
      for (const stop of stops) stop()
    }
    this.#loop = this.#run()
  }

  /** Ends the current round; executed blocks are committed. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#announceStop()
    this.#unsubscribe()
    this.#round?.stop()
    this.#wake()
    await this.#loop
    this.#lag.close()
  }

  #wake(): void {
    this.#signal.notify()
    this.#peers.notify()
  }

  async #run(): Promise<void> {
    const { peers } = this.#deps
    while (!this.#isStopped) {
      const { all } = peers
      const isClaimed = this.#targets.isBehind(all)
      this.#lag.setClaimed(isClaimed)
      if (!isClaimed) this.#hide()
      for (const peer of all) this.#peers.setBetter(peer, this.#targets.isBetter(peer))
      const target = this.#targets.choose(all, (peer) => this.#isGraceOver(peer))
      if (this.#targets.needsConsensusClient) this.#explainEnd(all)
      if (target === undefined) {
        const isAnyBetter = all.some((peer) => this.#targets.isBetter(peer))
        const { changed } = this.#signal
        await (isAnyBetter ? this.#peers.within(changed, RECHECK_MS) : changed)
      } else await this.#follow(target)
    }
    this.#hide()
  }

  /** Says once why a node does not follow peers that claim to be ahead. */
  #explainEnd(peers: readonly EthPeer[]): void {
    const { chain, logger } = this.#deps
    const { number } = chain.head.header
    if (this.#hasExplainedEnd || peers.every(({ head }) => head.number <= number)) return
    this.#hasExplainedEnd = true
    logger.warn(
      'synchronisation ends here: the next blocks are of proof of stake, and need a consensus client, which this node cannot use yet',
      { block: number },
    )
  }

  /** Whether gossip has had its time to close a small gap to the peer. */
  #isGraceOver(peer: EthPeer): boolean {
    const sinceMs = Math.max(this.#peers.betterSince(peer), this.#importedMs)
    return this.#deps.clock.monotonic() - sinceMs >= SYNC_GOSSIP_GRACE_MS
  }

  async #follow(target: EthPeer): Promise<void> {
    const { chain, clock, logger, peers } = this.#deps
    const isFar = this.#targets.isFar(target)
    const isCredible = this.#peers.isCredible(target)
    this.#target = target
    const round = new SyncPass({
      ...this.#deps,
      syncPeers: this.#peers,
      target,
      isOutdated: () => this.#targets.isOutdated(target, peers.all),
      hasAlternative: () => {
        const others = peers.all.filter((peer) => peer !== target && !this.#peers.isDoubtful(peer))
        return this.#targets.choose(others, () => true) !== undefined
      },
      onStart: (ancestor) => {
        this.#shown?.report.nextRound()
        if (isFar && isCredible) this.#show(target, BigInt(ancestor))
      },
      onProgress: (progress) => this.#progressed(target, progress),
    })
    this.#round = round
    try {
      const report = await round.run()
      if (report.imported > 0) this.#importedMs = clock.monotonic()
      this.#judge(target, report)
    } catch (error) {
      if (this.#isStopped) return
      logger.error('the synchronisation was interrupted', { block: chain.head.header.number, error })
      this.#peers.pause(target)
      await this.#peers.within(this.#stopping, SYNC_PEER_PAUSE_MS)
    } finally {
      this.#round = undefined
    }
  }

  #judge(target: EthPeer, { end, imported }: RoundReport): void {
    const { chain, clock } = this.#deps
    switch (end.kind) {
      case 'halted':
        return
      case 'yielded':
      case 'reached':
        if (imported === 0 && this.#targets.isBetter(target))
          this.#peers.failed(target, 'its chain ends below its head')
        else this.#peers.progressed(target, end.kind === 'reached')
        return
      case 'short':
        this.#peers.fellShort(target)
        return
      case 'slow':
        this.#peers.lostPatience(target)
        return
      case 'failed':
        if (imported === 0) {
          this.#peers.failed(target, end.reason)
          return
        }
        this.#peers.progressed(target, false)
        this.#peers.pause(target)
        return
      case 'breach':
        this.#peers.breach(end.peer, end.reason)
        if (end.peer.isOpen) this.#peers.failed(end.peer, end.reason)
        return
      case 'lighter': {
        const { totalDifficulty } = target.head
        this.#peers.setLighter(target, end.number)
        if (totalDifficulty !== undefined && totalDifficulty > chain.head.totalDifficulty)
          this.#peers.failed(target, end.reason)
        return
      }
      case 'future': {
        const aheadMs = Number(end.timestamp) * SECOND_MS - clock.now()
        this.#peers.pause(target, Math.min(Math.max(aheadMs, RECHECK_MS), MAX_FUTURE_PAUSE_MS))
      }
    }
  }

  #progressed(target: EthPeer, progress: ImportProgress): void {
    const { chain, peers } = this.#deps
    const isFar = progress.imported > 0 && this.#targets.isFar(target)
    if (this.#shown === undefined && isFar) this.#show(target, chain.head.header.number)
    if (progress.imported > 0 && this.#provenLead > SYNC_TOLERANCE_BLOCKS) this.#lag.progressed()
    if (this.#shown === undefined) return
    this.#shown.report.add(progress, this.#range(), peers.all.length)
    this.#dropTrailing()
  }

  /** Blocks between the head of this chain and the newest validated header of the round: a claim proves nothing. */
  get #provenLead(): number {
    return (this.#round?.validatedNumber ?? 0) - Number(this.#deps.chain.head.header.number)
  }

  #range() {
    const { startingBlock, currentBlock, highestBlock } = this.position as SyncPosition
    return { first: startingBlock, current: currentBlock, highest: highestBlock }
  }

  #show(target: EthPeer, startingBlock: bigint): void {
    const { chain } = this.#deps
    const isFirst = this.#shown === undefined
    const current = chain.head.header.number
    const report =
      this.#shown?.report ??
      new ProgressReport(this.#deps, { first: startingBlock, current, highest: target.head.number }, nameOf(target))
    this.#shown = { startingBlock, report }
    if (isFirst) this.events.emit('sync', this.position)
  }

  #hide(): void {
    const lastReport = this.#shown
    if (lastReport === undefined) return
    this.#shown = undefined
    if (!this.#isStopped) lastReport.report.end(this.#deps.chain.head.header.number)
    this.events.emit('sync', undefined)
  }

  /** Drops peers far below the head of this chain, the lowest first, until few enough are left. */
  #dropTrailing(): void {
    const { peers, chain, maxPeers } = this.#deps
    const least = chain.head.header.number - BigInt(SYNC_TOLERANCE_BLOCKS)
    const trailing = peers.all.filter(
      (peer) => peer.isOpen && peer.head.number < least && !this.#targets.isBetter(peer),
    )
    const limit = Math.max(1, Math.floor((maxPeers * MAX_TRAILING_PEERS_PERCENT) / 100))
    if (trailing.length <= limit) return
    const lowestFirst = trailing.sort((a, b) => Number(a.head.number - b.head.number))
    for (const peer of lowestFirst.slice(0, trailing.length - limit)) {
      if (!peer.connection.isMaintained) peer.disconnect('requested', 'trailing peer during the synchronisation')
    }
  }
}

/**
 * Produces the blocks of a Clique signer: in turn when a block is due, out of turn after an additional random delay.
 * @see docs/reference/consensus-clique.md section 8
 * @module
 */

import { MAX_BLOCK_BUILD_MS } from '../base/limits/limits.ts'
import type { Clock, Logger } from '../base/ports/host.ts'
import type { Residency } from '../base/ports/keyValueStore.ts'
import { type Random, randomUint32 } from '../base/ports/random.ts'
import type { Signer } from '../base/ports/signer.ts'
import type { Timer, Timers } from '../base/ports/timers.ts'
import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { Candidate } from '../chain/candidates.ts'
import type { Chain } from '../chain/chain.ts'
import type { ChainHeader } from '../chain/contract.ts'
import { CliqueEngine } from '../consensus/clique/clique.ts'
import { replaceSeal } from '../consensus/clique/extraData.ts'
import { signCliqueHeader } from '../consensus/clique/seal.ts'
import {
  type CliqueSnapshot,
  hasSignedRecently,
  includesAddress,
  isInTurn,
  isUsefulVote,
} from '../consensus/clique/snapshot.ts'
import type { SnapshotReads } from '../consensus/clique/snapshots.ts'
import { ADD_NONCE, DROP_NONCE } from '../consensus/signedHeader.ts'
import type { VoteIntent, VoteIntents } from '../consensus/voteIntents.ts'
import type { StateSource } from '../state/contract.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { TransactionPool } from '../txpool/transactionPool.ts'
import { BuildSignal } from './buildSignal.ts'
import type { CliqueTemplate } from './cliqueTemplate.ts'
import type { BlockProducer, ProducerStatus } from './contract.ts'
import { poolQueueOn } from './poolQueue.ts'
import { PoolRefusals } from './poolRefusals.ts'
import { PoolSource } from './poolSource.ts'

export interface CliqueProducerOptions {
  readonly chain: Pick<Chain, 'head' | 'config' | 'consensus' | 'events' | 'build' | 'commit' | 'discard'>
  readonly reads: SnapshotReads
  readonly pool: Pick<TransactionPool, 'best' | 'remove'>
  readonly states: Pick<StateSource, 'at'>
  readonly template: CliqueTemplate
  readonly signer: Signer
  readonly proposals: VoteIntents
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly logger: Logger
  readonly residency?: Residency | undefined
}

/** The next block of this signer. */
interface Work {
  readonly parent: ChainHeader
  readonly engine: CliqueEngine
  readonly snapshot: CliqueSnapshot
  readonly inTurn: boolean
  /** Wall clock, milliseconds since 1970: the earliest timestamp of the block. */
  readonly earliestMs: number
  /** Additional delay of a signer out of turn. */
  readonly delayMs: number
}

/** An out-of-turn signer waits up to this time for each signer beyond half of them, and once more. */
const WIGGLE_MS = 500
/** A block without transactions that may not be empty, or one that failed, is tried again after this time. */
const RETRY_MS = 1000
/** Longest wait without reading the clock, which may be set meanwhile. */
const MAX_WAIT_MS = 60_000
const IN_TURN_DIFFICULTY = 2n
/** Time for the transactions of a block of a chain with a short period. */
const MIN_BUILD_MS = 500

export class CliqueProducer implements BlockProducer {
  readonly canProduce = true
  readonly hashrate = 0n
  readonly template: CliqueTemplate
  readonly coinbase: Uint8Array
  readonly #options: CliqueProducerOptions
  readonly #refusals: PoolRefusals
  #unsubscribe: (() => void) | undefined
  #isStarted = true
  #isSynchronising = false
  #isSigner: boolean | undefined
  /** Incremented when the work in progress becomes obsolete. */
  #generation = 0
  #work: Work | undefined
  /** Of the build in progress. */
  #signal: BuildSignal | undefined
  #timer: Timer | undefined

  constructor(options: CliqueProducerOptions) {
    this.#options = options
    this.#refusals = new PoolRefusals(options.pool, options.logger)
    this.template = options.template
    this.coinbase = options.signer.address
  }

  get status(): ProducerStatus {
    return this.#isStarted ? 'producing' : 'stopped'
  }

  get targetGasLimit(): bigint | undefined {
    return this.template.common.targetGasLimit
  }

  async open(): Promise<void> {
    this.#unsubscribe ??= this.#options.chain.events.on('head', ({ head }) => this.#onHead(head))
    this.#restart()
  }

  start(): void {
    this.#isStarted = true
    this.#restart()
  }

  stop(): boolean {
    this.#isStarted = false
    this.#abort()
    return true
  }

  setSynchronising(isSynchronising: boolean): void {
    if (isSynchronising === this.#isSynchronising) return
    this.#isSynchronising = isSynchronising
    this.#restart()
  }

  /** @throws {NodeError} INVALID_REQUEST: the signer's account receives the fees */
  setCoinbase(): never {
    throw new NodeError({ code: 'INVALID_REQUEST' }, 'the account of a Clique signer is that of the node key')
  }

  setTargetGasLimit(gasLimit: bigint): void {
    this.template.common.targetGasLimit = gasLimit
  }

  close(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    this.#abort()
  }

  #onHead(head: ChainHeader): void {
    const work = this.#work
    if (work !== undefined && this.#prevails(work, head)) return
    this.#restart()
  }

  /** Whether a block in turn replaces the new head: it is heavier than one out of turn on the same parent. */
  #prevails({ parent, inTurn }: Work, head: ChainHeader): boolean {
    if (equalBytes(head.hash, parent.hash)) return true
    const isSameHeight = head.header.number === parent.header.number + 1n
    return inTurn && isSameHeight && head.totalDifficulty < parent.totalDifficulty + IN_TURN_DIFFICULTY
  }

  #abort(): void {
    this.#generation++
    this.#signal?.abort('another block is due')
    this.#timer?.cancel()
    this.#timer = undefined
    this.#work = undefined
  }

  #restart(): void {
    this.#abort()
    if (this.#unsubscribe === undefined || !this.#isStarted || this.#isSynchronising) return
    const generation = this.#generation
    this.#attempt(generation, async () => {
      const work = await retryMisses(() => this.#nextWork(), this.#options.residency)
      if (work === undefined || generation !== this.#generation) return
      this.#work = work
      this.#wait(work, generation, Math.max(work.earliestMs - this.#options.clock.now(), 0) + work.delayMs)
    })
  }

  /** @returns undefined when this node may not sign the block after the head */
  #nextWork(): Work | undefined {
    const { chain, reads, signer } = this.#options
    const parent = chain.head
    const { number, timestamp } = parent.header
    const next = { number: number + 1n, timestamp: timestamp + 1n }
    const { engine } = chain.consensus.nextBlock(next, parent.totalDifficulty)
    if (!(engine instanceof CliqueEngine)) return undefined
    const snapshot = engine.snapshotAfter(parent.hash, reads)
    const isSigner = includesAddress(snapshot.signers, signer.address)
    if (isSigner !== this.#isSigner) this.#report(isSigner)
    if (!isSigner || hasSignedRecently(snapshot, signer.address)) return undefined
    const inTurn = isInTurn(snapshot, next.number, signer.address)
    return {
      parent,
      engine,
      snapshot,
      inTurn,
      earliestMs: (Number(timestamp) + engine.settings.periodSeconds) * 1000,
      delayMs: inTurn ? 0 : this.#wiggleMs(snapshot),
    }
  }

  #report(isSigner: boolean): void {
    const { logger, signer } = this.#options
    this.#isSigner = isSigner
    const message = isSigner
      ? 'this node is a signer: it seals blocks'
      : 'the node key is not that of a signer: this node seals no blocks'
    logger.info(message, { address: bytesToHex(signer.address) })
  }

  #wiggleMs({ signers }: CliqueSnapshot): number {
    const most = Math.trunc((signers.length / 2 + 1) * WIGGLE_MS)
    return 1 + (randomUint32(this.#options.random) % most)
  }

  #wait(work: Work, generation: number, delayMs: number): void {
    const { timers, clock } = this.#options
    this.#timer = timers.schedule(Math.min(Math.ceil(delayMs), MAX_WAIT_MS), () => {
      // The wait was cut, or the clock was set back.
      const leftMs = work.earliestMs + work.delayMs - clock.now()
      if (leftMs > 0) this.#wait(work, generation, leftMs)
      else this.#attempt(generation, () => this.#make(work, generation))
    })
  }

  /** Errors are logged; the work is tried again. */
  #attempt(generation: number, run: () => Promise<void>): void {
    run().catch((error: unknown) => {
      if (generation !== this.#generation) return
      this.#options.logger.error('failed to seal a block', { error })
      this.#timer = this.#options.timers.schedule(RETRY_MS, () => this.#restart())
    })
  }

  async #make(work: Work, generation: number): Promise<void> {
    const { chain, proposals, signer, residency } = this.#options
    const { parent, engine, snapshot } = work
    const number = parent.header.number + 1n
    const vote = engine.isEpochBlock(number)
      ? undefined
      : proposals.next((vote) => isUsefulVote(snapshot, vote, signer.address))
    const transactions = await retryMisses(() => this.#transactionsOn(parent), residency)
    const content = { transactions, isEmptyAllowed: engine.settings.createsEmptyBlocks }
    const signal = new BuildSignal()
    this.#signal = signal
    const plan = { ...this.template.plan(parent, content, vote), deadlineMs: buildMs(engine), signal }
    const candidate = await chain.build(plan, parent)
    if (generation !== this.#generation) {
      if (candidate !== undefined) chain.discard(candidate)
      return
    }
    if (candidate === undefined) this.#wait(work, generation, RETRY_MS)
    else await this.#seal(candidate, vote, work)
    // The head has not changed, for example because another block was preferred.
    if (candidate !== undefined && generation === this.#generation) this.#restart()
  }

  async #seal(candidate: Candidate, vote: VoteIntent | undefined, { inTurn }: Work): Promise<void> {
    const { chain, signer, logger } = this.#options
    const nonce = vote?.isAdd === true ? ADD_NONCE : DROP_NONCE
    const header = { ...candidate.block.header, nonce }
    const extraData = replaceSeal(header.extraData, signCliqueHeader(header, signer))
    const outcome = await chain.commit(candidate, { nonce, extraData })
    if (outcome.kind !== 'imported') return
    const { hash } = outcome.block
    const transactions = candidate.block.transactions.length
    logger.info('sealed a block', { number: Number(header.number), hash: bytesToHex(hash), transactions, inTurn })
  }

  #transactionsOn(parent: ChainHeader): PoolSource {
    return new PoolSource({
      queue: poolQueueOn(parent, this.#options),
      limit: Number.POSITIVE_INFINITY,
      slow: this.#refusals.slow,
      onRefused: (pooled, rejection) => this.#refusals.refuse(pooled, rejection),
    })
  }
}

/** The block is late while it is built, so it takes at most half of the period. */
function buildMs({ settings }: CliqueEngine): number {
  return Math.min(Math.max(settings.periodSeconds * 500, MIN_BUILD_MS), MAX_BLOCK_BUILD_MS)
}

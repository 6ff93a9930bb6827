/**
 * Mines blocks: keeps work for the newest head, searches for its seal on the host's threads, and gives the same work to
 * miners outside the node.
 * @module
 */

import { WORK_REFRESH_MS } from '../../base/limits/limits.ts'
import type { Clock, Logger } from '../../base/ports/host.ts'
import type { Random } from '../../base/ports/random.ts'
import type { SealSearch } from '../../base/ports/sealSearch.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'
import { bytesToBigInt, bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { Emitter, type Listener, type Unsubscribe } from '../../base/primitives/events.ts'
import type { Candidate } from '../../chain/candidates.ts'
import type { Chain } from '../../chain/chain.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import { type PowEngine, sealTarget } from '../../consensus/pow/pow.ts'
import type { TransactionPool } from '../../txpool/transactionPool.ts'
import type { BlockTemplate } from '../blockTemplate.ts'
import { BuildSignal } from '../buildSignal.ts'
import type { BlockProducer, ProducerStatus, RemoteSealing, SealingWork, ShareOutcome } from '../contract.ts'
import { type RemoteHashrateLimits, RemoteHashrates } from '../remoteHashrates.ts'
import { type PowJob, type PowJobLimits, PowJobs } from './powJobs.ts'
import type { WorkBuilder } from './workBuilder.ts'

export interface PowProducerOptions {
  readonly chain: Pick<Chain, 'head' | 'events' | 'commit' | 'discard'>
  readonly pool: Pick<TransactionPool, 'events'>
  readonly engine: Pick<PowEngine, 'caches'>
  readonly builder: WorkBuilder
  readonly template: BlockTemplate
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly logger: Logger
  /** undefined: only miners outside the node search */
  readonly search: SealSearch | undefined
  readonly limits: { readonly job: PowJobLimits; readonly hashrates: RemoteHashrateLimits }
}

interface WorkEvents {
  work: SealingWork
}

/** Time until the next attempt after a block could not be built. */
const RETRY_MS = 1000

export class PowProducer implements BlockProducer, RemoteSealing {
  readonly canProduce = true
  readonly template: BlockTemplate
  readonly #options: PowProducerOptions
  readonly #jobs: PowJobs
  readonly #hashrates: RemoteHashrates
  readonly #events: Emitter<WorkEvents>
  #subscriptions: readonly Unsubscribe[] = []
  /** Set even by a start without coinbase: the next start then does not fail, as in Besu. */
  #isAsked = false
  #isRunning = false
  #isSynchronising = false
  #isBuilding = false
  /** Whether the work that is being built is outdated. */
  #isOutdated = false
  /** Of the build in progress. */
  #signal: BuildSignal | undefined
  #timer: Timer | undefined

  constructor(options: PowProducerOptions) {
    this.#options = options
    this.template = options.template
    this.#jobs = new PowJobs(options.limits.job, (candidate) => options.chain.discard(candidate))
    this.#hashrates = new RemoteHashrates(options.limits.hashrates, options.clock)
    this.#events = new Emitter((error) => options.logger.error('a work listener threw', { error }))
  }

  get status(): ProducerStatus {
    return this.#isActive ? 'producing' : 'stopped'
  }

  get hashrate(): bigint {
    return this.#hashrates.total ?? BigInt(Math.round(this.#options.search?.hashrate ?? 0))
  }

  get coinbase(): Uint8Array | undefined {
    return this.template.coinbase
  }

  get targetGasLimit(): bigint | undefined {
    return this.template.targetGasLimit
  }

  get remote(): RemoteSealing {
    return this
  }

  start(): void {
    if (this.#isRunning || (this.#isAsked && this.template.coinbase === undefined)) return
    this.#isAsked = true
    this.template.requireCoinbase()
    this.#isRunning = true
    this.#resume()
  }

  stop(): boolean {
    this.#isAsked = false
    this.#isRunning = false
    this.#pause()
    return true
  }

  close(): void {
    this.stop()
    void this.#options.search?.close()
  }

  setSynchronising(isSynchronising: boolean): void {
    if (isSynchronising === this.#isSynchronising) return
    this.#isSynchronising = isSynchronising
    if (!this.#isRunning) return
    this.#options.logger.info(isSynchronising ? 'mining is paused during the synchronisation' : 'mining continues')
    if (isSynchronising) this.#pause()
    else this.#resume()
  }

  setCoinbase(address: Uint8Array): void {
    this.template.coinbase = address
  }

  setTargetGasLimit(gasLimit: bigint): void {
    this.template.targetGasLimit = gasLimit
  }

  work(): SealingWork {
    const job = this.#jobs.current
    if (job === undefined) throw noWork()
    return job
  }

  submit(powHash: Uint8Array, nonce: Uint8Array): ShareOutcome {
    if (this.#jobs.current === undefined) throw noWork()
    const job = this.#jobs.find(powHash, this.#options.clock.monotonic())
    return job === undefined ? 'stale' : this.#solve(job, nonce)
  }

  reportHashrate(id: Uint8Array, rate: bigint): boolean {
    return this.#hashrates.report(id, rate)
  }

  onWork(listener: Listener<SealingWork>): Unsubscribe {
    return this.#events.on('work', listener)
  }

  get #isActive(): boolean {
    return this.#isRunning && !this.#isSynchronising
  }

  #resume(): void {
    if (!this.#isActive) return
    const { chain, pool } = this.#options
    this.#subscriptions = [
      chain.events.on('head', () => {
        this.#signal?.abort('the head has changed')
        this.#renew()
      }),
      // Restored by a reorganisation, or admitted.
      pool.events.on('added', () => this.#renewLater(WORK_REFRESH_MS)),
    ]
    this.#renew()
  }

  #pause(): void {
    for (const unsubscribe of this.#subscriptions) unsubscribe()
    this.#subscriptions = []
    this.#timer?.cancel()
    this.#timer = undefined
    this.#options.search?.pause()
    this.#isOutdated = true
    this.#signal?.abort('mining is paused')
    this.#jobs.clear()
  }

  #renewLater(delayMs: number): void {
    this.#timer ??= this.#options.timers.schedule(delayMs, () => {
      this.#timer = undefined
      this.#renew()
    })
  }

  #renew(): void {
    this.#isOutdated = true
    if (!this.#isBuilding) void this.#buildWork()
  }

  async #buildWork(): Promise<void> {
    const { builder, chain, logger } = this.#options
    this.#isBuilding = true
    try {
      while (this.#isActive && this.#isOutdated) {
        this.#isOutdated = false
        const { head } = chain
        const waitMs = builder.delayMs(head)
        if (waitMs > 0) {
          this.#renewLater(waitMs)
          return
        }
        await this.#buildOn(head)
      }
    } catch (error) {
      logger.error('failed to build a block to mine', { error })
      if (this.#isActive) this.#renewLater(RETRY_MS)
    } finally {
      this.#isBuilding = false
    }
  }

  /** Ends without a job when the build is aborted. */
  async #buildOn(head: ChainHeader): Promise<void> {
    const { builder, chain } = this.#options
    const signal = new BuildSignal()
    this.#signal = signal
    try {
      const job = await builder.build(head, this.template, signal)
      if (this.#isActive && chain.head === head) this.#offer(job)
      else chain.discard(job.candidate)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  /** Replaces the current work, unless the new one would contain the same transactions. */
  #offer(job: PowJob): void {
    const { chain, search, random } = this.#options
    const before = this.#jobs.current
    if (before !== undefined && !before.isSolved && isSameWork(before.candidate, job.candidate)) {
      chain.discard(job.candidate)
      return
    }
    this.#jobs.add(job)
    search?.start(
      { blockNumber: Number(job.number), isLong: job.isLong, powHash: job.powHash, target: job.target },
      bytesToBigInt(random.bytes(8)),
      (nonce) => void this.#solve(job, nonce),
    )
    this.#events.emit('work', job)
  }

  /** Commits the job's block, if the nonce seals it. */
  #solve(job: PowJob, nonce: Uint8Array): ShareOutcome {
    const { engine, logger } = this.#options
    if (job.isSolved) return 'stale'
    const { mixHash, result } = engine.caches.hashimoto(Number(job.number), job.isLong, job.powHash, nonce)
    if (bytesToBigInt(result) > sealTarget(job.candidate.block.header.difficulty)) return 'invalid'
    job.isSolved = true
    if (job === this.#jobs.current) this.#options.search?.stop()
    this.#commit(job, mixHash, nonce).catch((error: unknown) => {
      logger.error('failed to store a mined block', { number: job.number, error })
      this.#renewLater(RETRY_MS)
    })
    return 'accepted'
  }

  async #commit({ candidate, number }: PowJob, mixHash: Uint8Array, nonce: Uint8Array): Promise<void> {
    const { chain, logger } = this.#options
    const outcome = await chain.commit(candidate, { mixHash, nonce })
    if (outcome.kind !== 'imported' && outcome.kind !== 'known') return
    const { hash } = outcome.block
    const message = outcome.isHead
      ? 'mined a block'
      : 'mined a block beside the chain: a later block may list it as an ommer'
    const transactions = candidate.block.transactions.length
    logger.info(message, { number, hash: bytesToHex(hash), transactions, ommers: candidate.block.ommers.length })
  }
}

function isSameWork(a: Candidate, b: Candidate): boolean {
  const [left, right] = [a.block, b.block]
  return (
    equalBytes(left.header.parentHash, right.header.parentHash) &&
    equalBytes(left.header.transactionsRoot, right.header.transactionsRoot) &&
    equalBytes(left.header.ommersHash, right.header.ommersHash)
  )
}

function noWork(): NodeError {
  return new NodeError({ code: 'NO_MINING_WORK_FOUND' }, 'no mining work available yet')
}

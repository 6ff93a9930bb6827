/**
 * Seals blocks from the pool: immediately with one transaction each, at an interval, or on demand. All sealing runs in
 * tasks of the chain's writer.
 * @module
 */

import {
  MAX_MINE_RUN_MS,
  MAX_MINED_NUMBER,
  MAX_MINED_TIMESTAMP,
  MAX_STORED_EMPTY_BLOCKS,
  MAX_WHOLE_BLOCKS_PER_REQUEST,
} from '../base/limits/limits.ts'
import type { Clock, Logger } from '../base/ports/host.ts'
import type { Timers } from '../base/ports/timers.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { Chain } from '../chain/chain.ts'
import type { ChainHeader } from '../chain/contract.ts'
import type { DevWriter } from '../chain/dev/devWriter.ts'
import type { RunPlan } from '../chain/emptyRuns/planRun.ts'
import type { DerivedBlocks, SealRun } from '../chain/sealRun.ts'
import type { BlockPlan } from '../chain/transition/buildInput.ts'
import type { Rejection } from '../chain/transition/rejection.ts'
import type { SealedBlock } from '../chain/writeTask.ts'
import type { AbortState } from '../evm/driver.ts'
import type { BlockProducer, MiningOutcome, ProducerStatus } from '../sealing/contract.ts'
import { IntervalTimer } from '../sealing/intervalTimer.ts'
import { poolQueueOn } from '../sealing/poolQueue.ts'
import { logRefusal } from '../sealing/poolRefusals.ts'
import { PoolSource } from '../sealing/poolSource.ts'
import type { StateSource } from '../state/contract.ts'
import { keyToText } from '../storage/keyText.ts'
import type { PooledTransaction, PoolOrder, TransactionQueue } from '../txpool/contract.ts'
import type { TransactionPool } from '../txpool/transactionPool.ts'
import type { Block } from '../types/block.ts'
import type { DevTransaction, SealingMode } from './contract.ts'
import type { DevTemplate } from './devTemplate.ts'
import { GivenTransactions } from './givenTransactions.ts'
import { MinedBlobs } from './minedBlobs.ts'
import { MinedFailures } from './minedFailures.ts'

export interface DevProducerOptions {
  readonly chain: Pick<Chain, 'head' | 'config' | 'seal' | 'sealRun' | 'prepareExtension'>
  readonly writer: Pick<DevWriter, 'reorganise'>
  readonly pool: Pick<TransactionPool, 'best' | 'remove' | 'events' | 'size'>
  readonly states: Pick<StateSource, 'at'>
  readonly template: DevTemplate
  readonly clock: Clock
  readonly timers: Timers
  readonly yieldToHost: YieldToHost
  readonly logger: Logger
  readonly mode: SealingMode
  /** Order of transactions within a block; default: by price. */
  readonly order?: PoolOrder
  /** Whether a failed transaction is answered with its failure, though it is mined; default: false. */
  readonly reportsFailures?: boolean
  /** Called with each committed block. */
  readonly onSealed?: ((block: SealedBlock) => void) | undefined
  /** Called with each run of empty blocks, before `onSealed` with the block after it. */
  readonly onDerived?: ((blocks: DerivedBlocks) => void) | undefined
}

/** Input of one sealing task of the writer. */
interface SealTask {
  readonly order: PoolOrder
  /** Maximum number of transactions per block. */
  readonly limit: number
  readonly isEmptyAllowed: boolean
  readonly maxBlocks: number
  /** Time after which the batch ends, milliseconds; default: MAX_SEAL_RUN_MS. */
  readonly runMs?: number
  /** Timestamp of the block after `made` blocks of this task; undefined: the clock's time. */
  readonly timestamp?: (parent: ChainHeader, made: number) => bigint | undefined
  /** Empty blocks before these, which are derived; default: none. */
  readonly run?: { readonly count: number; readonly interval: bigint }
}

interface MineRequest {
  readonly count: bigint
  readonly intervalSeconds: bigint | undefined
  /** Seconds between two blocks that the clock does not place. */
  readonly interval: bigint
}

interface Waiter {
  readonly resolve: (outcome: MiningOutcome) => void
  readonly reject: (error: unknown) => void
}

const WAITING: MiningOutcome = { kind: 'waiting' }
const OFF: SealingMode = { kind: 'off' }

const FULL_BLOCK = { limit: Number.POSITIVE_INFINITY, isEmptyAllowed: true } as const
/** One block per transaction, in order of admission. */
const INSTANT: SealTask = { order: 'admission', limit: 1, isEmptyAllowed: false, maxBlocks: Number.POSITIVE_INFINITY }
const ONE_BLOCK = { ...FULL_BLOCK, maxBlocks: 1 } as const
/** Number of blocks per sealing task of `mine`. */
const MINE_TURN_BLOCKS = 1024

export class DevProducer implements BlockProducer {
  readonly canProduce = true
  readonly hashrate = 0n
  readonly template: DevTemplate
  readonly blobs: MinedBlobs = new MinedBlobs()
  readonly failures: MinedFailures
  readonly #options: DevProducerOptions
  readonly #timer: IntervalTimer
  /** By transaction hash as text. */
  readonly #waiters = new Map<string, Waiter>()
  readonly #unsubscribe: () => void
  #mode: SealingMode
  /** The mode that `start` restores. */
  #chosen: SealingMode
  #isDraining = false
  #isAsked = false
  /** Number of consecutive turns that ended before an unprepared block. */
  #unpreparedTurns = 0
  #isClosed = false

  constructor(options: DevProducerOptions) {
    this.#options = options
    this.template = options.template
    this.failures = new MinedFailures(options.reportsFailures === true)
    this.#mode = options.mode
    this.#chosen = options.mode.kind === 'off' ? { kind: 'instant' } : options.mode
    this.#timer = new IntervalTimer(options.clock, options.timers, () => this.#tick())
    // Transactions that a reorganisation restored are sealed as well.
    this.#unsubscribe = options.pool.events.on('added', () => this.#ask())
    this.setMode(options.mode)
  }

  get mode(): SealingMode {
    return this.#mode
  }

  /** Whether every transaction is mined immediately. */
  get isInstant(): boolean {
    const mode = this.#mode
    return mode.kind === 'instant' || (mode.kind === 'interval' && mode.isMixed === true)
  }

  get status(): ProducerStatus {
    return this.#mode.kind === 'off' ? 'stopped' : 'producing'
  }

  get coinbase(): Uint8Array | undefined {
    return this.template.common.coinbase
  }

  get targetGasLimit(): bigint | undefined {
    return this.template.common.targetGasLimit
  }

  setCoinbase(address: Uint8Array): void {
    this.template.common.coinbase = address
  }

  setTargetGasLimit(gasLimit: bigint): void {
    this.template.common.targetGasLimit = gasLimit
  }

  setMode(mode: SealingMode): void {
    this.#mode = mode
    if (mode.kind !== 'off') this.#chosen = mode
    if (mode.kind === 'interval') this.#timer.start(mode.intervalMs)
    else this.#timer.stop()
    this.#ask()
  }

  start(): void {
    this.template.common.requireCoinbase()
    if (this.status === 'stopped') this.setMode(this.#chosen)
  }

  stop(): boolean {
    this.setMode(OFF)
    return true
  }

  awaitMined({ hash }: PooledTransaction): MiningOutcome | Promise<MiningOutcome> {
    if (!this.isInstant || this.#isClosed) return WAITING
    return new Promise((resolve, reject) => {
      this.#waiters.set(keyToText(hash), { resolve, reject })
      this.#ask()
    })
  }

  /**
   * Seals blocks immediately in any mode: the first includes the pool's transactions as far as they fit, the others the
   * rest.
   * @param intervalSeconds between their timestamps; undefined: the clock's time
   * @param signal ends the work between two batches; blocks that were already sealed remain
   * @throws {NodeError} TIMEOUT once `signal` is aborted; INVALID_PARAMS when there are too many blocks
   */
  async mine(count: bigint, intervalSeconds?: bigint, signal?: AbortState): Promise<void> {
    const interval = intervalSeconds ?? this.template.clock.state.blockInterval ?? 1n
    const request = { count, intervalSeconds, interval: interval > 0n ? interval : 1n }
    requireMinable(this.#options.chain.head, request)
    let executedBlocks = 0
    // Transactions are mined before a run begins.
    let isEmpty = false
    for (let left = count; left > 0n && !this.#isClosed; ) {
      if (signal?.aborted === true) throw new NodeError({ code: 'TIMEOUT' }, 'request timed out')
      const derived: SealRun | undefined = isEmpty ? await this.#mineRun(request, left) : undefined
      const { sealed }: SealRun = derived ?? (await this.#mineBlocks(request, left, isEmpty ? MINE_TURN_BLOCKS : 1))
      left -= BigInt(sealed.length + derivedBlocks(derived))
      isEmpty = sealed.at(-1)?.included.length === 0
      executedBlocks += sealed.length
      if (executedBlocks >= MAX_WHOLE_BLOCKS_PER_REQUEST && left > 0n) throw tooManyBlocks(executedBlocks)
    }
  }

  #mineBlocks({ count, intervalSeconds }: MineRequest, left: bigint, turnBlocks: number): Promise<SealRun> {
    const isLong = left > MAX_STORED_EMPTY_BLOCKS
    return this.#turn({
      ...FULL_BLOCK,
      order: this.#order,
      maxBlocks: Math.min(Number(left), isLong ? turnBlocks : MINE_TURN_BLOCKS),
      runMs: MAX_MINE_RUN_MS,
      timestamp: ({ header }, made) =>
        intervalSeconds === undefined || (made === 0 && left === count)
          ? undefined
          : header.timestamp + intervalSeconds,
    })
  }

  /** Mines a run of empty blocks and the block after it. @returns undefined when they cannot be derived */
  async #mineRun({ intervalSeconds, interval }: MineRequest, left: bigint): Promise<SealRun | undefined> {
    if (left <= MAX_STORED_EMPTY_BLOCKS) return undefined
    const run = await this.#turn({
      ...ONE_BLOCK,
      order: this.#order,
      timestamp: ({ header }) => (intervalSeconds === undefined ? undefined : header.timestamp + intervalSeconds),
      run: { count: Number(left) - 1, interval },
    })
    return run.derived === undefined ? undefined : run
  }

  /**
   * Replaces the newest blocks by the same number of new ones with the given transactions.
   * @param transactions of each new block by its position; missing ones are empty
   * @throws {NodeError} INVALID_PARAMS when there are fewer blocks, or a transaction cannot be included
   */
  async reorganise(
    depth: number,
    transactions: ReadonlyMap<number, readonly DevTransaction[]>,
    prevRandao: Uint8Array,
  ): Promise<void> {
    const bodies = [...transactions.values()].map((list) => ({
      transactions: list.map(({ transaction }) => transaction),
    }))
    const preparing = this.#options.chain.prepareExtension(bodies)
    if (preparing !== undefined) await preparing
    let made = 0
    await this.#options.writer.reorganise(
      depth,
      (parent) => {
        const given = new GivenTransactions(transactions.get(made) ?? [])
        return { ...this.template.plan(parent, { transactions: given, isEmptyAllowed: true }), prevRandao }
      },
      ({ block }) => {
        made++
        this.template.sealed(block.header.timestamp)
      },
    )
  }

  /**
   * Seals one block with the given transactions.
   * @param values of the block that do not follow from its parent
   * @throws {NodeError} INVALID_PARAMS when a transaction cannot be included
   */
  async mineGiven(transactions: readonly DevTransaction[], values: Partial<BlockPlan>): Promise<void> {
    let isMade = false
    const next = (parent: ChainHeader): BlockPlan | undefined => {
      if (isMade) return undefined
      const given = new GivenTransactions(transactions)
      return { ...this.template.plan(parent, { transactions: given, isEmptyAllowed: true }), ...values }
    }
    await this.#options.chain.seal(next, ({ block }) => {
      isMade = true
      this.template.sealed(block.header.timestamp)
    })
  }

  get #order(): PoolOrder {
    return this.#options.order ?? 'price'
  }

  close(): void {
    this.#isClosed = true
    this.#unsubscribe()
    this.#timer.stop()
  }

  #ask(): void {
    if (!this.isInstant || this.#isClosed) return
    this.#isAsked = true
    if (!this.#isDraining) void this.#drain()
  }

  /** Instant sealing: seals blocks while there are transactions to include. */
  async #drain(): Promise<void> {
    this.#isDraining = true
    try {
      // Blocks of transactions that arrive in the same turn of the event loop share one commit.
      await this.#options.yieldToHost()
      // Every admission sets #isAsked, even for a transaction that the running task includes.
      while (this.#isAsked && this.#options.pool.size > 0 && this.isInstant && !this.#isClosed) {
        this.#isAsked = false
        const offered = [...this.#waiters.keys()]
        const { sealed, isComplete } = await this.#turn(INSTANT)
        // They were in the pool when the task began, but could not be included.
        if (isComplete) this.#answerAll(offered)
        // The base fee has changed: transactions below the old one may be executable.
        if (sealed.length > 0 || !isComplete) this.#isAsked = true
      }
      this.#answerAll([...this.#waiters.keys()])
    } catch (error) {
      this.#options.logger.error('failed to build a block', { error })
      for (const { reject } of this.#waiters.values()) reject(error)
      this.#waiters.clear()
    } finally {
      this.#isDraining = false
    }
  }

  async #tick(): Promise<void> {
    try {
      while (this.#mode.kind === 'interval' && !this.#isClosed) {
        const { sealed, isComplete } = await this.#turn({ ...ONE_BLOCK, order: this.#order })
        if (isComplete || sealed.length > 0) return
      }
    } catch (error) {
      this.#options.logger.error('failed to build a block', { error })
    }
  }

  /** One sealing task. Then waits for the data of a block that could not be sealed without them. */
  async #turn({ order, limit, isEmptyAllowed, maxBlocks, runMs, timestamp, run: empty }: SealTask): Promise<SealRun> {
    const { chain } = this.#options
    const { template } = this
    // Preparing the whole block was not enough: its data do not fit into memory, or the pool has changed.
    const isTooLarge = this.#unpreparedTurns > 1
    let first: ChainHeader | undefined
    let queue: TransactionQueue | undefined
    let made = 0
    const next = (parent: ChainHeader): BlockPlan | undefined => {
      first ??= parent
      if (made >= maxBlocks) return undefined
      queue ??= poolQueueOn(first, this.#options, { baseFeePerGas: template.next.baseFeePerGas, order })
      if (!isEmptyAllowed && queue.peek() === undefined) return undefined
      const onRefused = (pooled: PooledTransaction, rejection: Rejection): void => this.#refuse(pooled, rejection)
      const transactions = new PoolSource({ queue, limit: isTooLarge ? 1 : limit, onRefused })
      return template.plan(parent, { transactions, isEmptyAllowed }, timestamp?.(parent, made))
    }
    const built = ({ block }: SealedBlock): void => {
      made++
      template.sealed(block.header.timestamp)
    }
    const run =
      empty === undefined
        ? await chain.seal(next, built, runMs)
        : await chain.sealRun((head) => this.#planRun(head, empty, timestamp), next, built)
    const { onSealed, onDerived } = this.#options
    if (run.derived !== undefined) onDerived?.(run.derived)
    for (const sealed of run.sealed) {
      const { block, included } = sealed
      onSealed?.(sealed)
      this.blobs.add(included)
      this.failures.add(sealed)
      for (const { hash } of included) this.#answer(keyToText(hash), { kind: 'mined', block })
    }
    if (run.unprepared === undefined) this.#unpreparedTurns = 0
    else await this.#prepare(run.unprepared)
    return run
  }

  #planRun(
    parent: ChainHeader,
    { count, interval }: NonNullable<SealTask['run']>,
    timestamp: SealTask['timestamp'],
  ): RunPlan {
    const { template } = this
    const content = { transactions: new GivenTransactions([]), isEmptyAllowed: true }
    const plan = template.plan(parent, content, timestamp?.(parent, 0))
    return { plan, interval, count, nextGasLimit: (gasLimit) => template.nextGasLimit(gasLimit) }
  }

  async #prepare(block: Block): Promise<void> {
    this.#unpreparedTurns++
    await this.#options.chain.prepareExtension([block])
  }

  #refuse({ hash }: PooledTransaction, rejection: Rejection): void {
    logRefusal(this.#options.logger, hash, rejection)
    this.#options.pool.remove(hash, 'invalid')
    this.#answer(keyToText(hash), { kind: 'refused', rejection })
  }

  #answerAll(keys: readonly string[]): void {
    for (const key of keys) this.#answer(key, WAITING)
  }

  #answer(key: string, outcome: MiningOutcome): void {
    const waiter = this.#waiters.get(key)
    if (waiter === undefined) return
    this.#waiters.delete(key)
    waiter.resolve(outcome)
  }
}

function derivedBlocks(run: SealRun | undefined): number {
  if (run?.derived === undefined) return 0
  const { first, last } = run.derived
  return Number(last.header.number - first.header.number) + 1
}

/** @throws {NodeError} INVALID_PARAMS when the last block would exceed a bound */
function requireMinable({ header }: ChainHeader, { count, interval }: MineRequest): void {
  if (count <= MAX_STORED_EMPTY_BLOCKS) return
  const last = header.number + count
  if (last > MAX_MINED_NUMBER) {
    const message = `the last of ${count} blocks would have the number ${last}, above ${MAX_MINED_NUMBER}`
    throw new NodeError({ code: 'INVALID_PARAMS' }, message)
  }
  const timestamp = header.timestamp + count * interval
  if (timestamp <= MAX_MINED_TIMESTAMP) return
  const message = `the last of ${count} blocks would have the timestamp ${timestamp}, above ${MAX_MINED_TIMESTAMP}`
  throw new NodeError({ code: 'INVALID_PARAMS' }, message)
}

function tooManyBlocks(mined: number): NodeError {
  const message = `${mined} blocks were mined: the rest cannot be derived from them, and must be mined in another request`
  return new NodeError({ code: 'INVALID_PARAMS' }, message)
}

/**
 * Builds the blocks to mine.
 * @module
 */

import { MAX_BLOCK_BUILD_MS } from '../../base/limits/limits.ts'
import type { Clock, Logger } from '../../base/ports/host.ts'
import type { Residency } from '../../base/ports/keyValueStore.ts'
import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import { bigIntToBytesPadded } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { Chain } from '../../chain/chain.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import { nextBaseFeeOf } from '../../chain/nextBlock.ts'
import type { BlockPlan } from '../../chain/transition/buildInput.ts'
import { epochAt, epochSeed } from '../../consensus/pow/ethash.ts'
import { type PowEngine, sealTarget } from '../../consensus/pow/pow.ts'
import { powHash } from '../../consensus/pow/powHash.ts'
import type { AbortState } from '../../evm/driver.ts'
import type { StateSource } from '../../state/contract.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import type { TransactionPool } from '../../txpool/transactionPool.ts'
import type { BlockTemplate } from '../blockTemplate.ts'
import { poolQueueOn } from '../poolQueue.ts'
import { PoolRefusals } from '../poolRefusals.ts'
import { PoolSource } from '../poolSource.ts'
import type { PowJob } from './powJobs.ts'

export interface WorkBuilderOptions {
  readonly chain: Pick<Chain, 'config' | 'build' | 'discard' | 'ommersFor'>
  readonly pool: Pick<TransactionPool, 'best' | 'remove'>
  readonly states: Pick<StateSource, 'at'>
  readonly engine: Pick<PowEngine, 'caches'>
  readonly clock: Clock
  readonly yieldToHost: YieldToHost
  readonly logger: Logger
  readonly residency?: Residency | undefined
  /** Gas usage at which a block is complete, as a fraction of its limit. */
  readonly minOccupancyRatio: number
  /** wei */
  readonly minGasPrice: bigint
}

/** Other nodes accept timestamps up to 15 s ahead of their clocks, which may be slow. */
const MAX_AHEAD_MS = 10_000

export class WorkBuilder {
  readonly #options: WorkBuilderOptions
  readonly #refusals: PoolRefusals

  constructor(options: WorkBuilderOptions) {
    this.#options = options
    this.#refusals = new PoolRefusals(options.pool, options.logger)
  }

  /** Time to wait until the next block is not too far in the future. */
  delayMs({ header: { timestamp } }: ChainHeader): number {
    return Math.max(0, Number(timestamp + 1n) * 1000 - MAX_AHEAD_MS - this.#options.clock.now())
  }

  /**
   * Builds and executes a block on top of the head.
   * @throws {NodeError} BLOCK_NOT_BUILT, CANDIDATES_FULL, CANDIDATE_PARENT_GONE; EXECUTION_ABORTED by the signal
   */
  async build(head: ChainHeader, template: BlockTemplate, signal?: AbortState): Promise<PowJob> {
    const { chain, engine, clock, yieldToHost, residency } = this.#options
    const ommers = await chain.ommersFor(head)
    const transactions = await retryMisses(() => this.#transactionsOn(head), residency)
    const plan: BlockPlan = {
      ...template.plan(head, { transactions, isEmptyAllowed: true }),
      ommers,
      deadlineMs: MAX_BLOCK_BUILD_MS,
      ...(signal === undefined ? {} : { signal }),
    }
    const candidate = await chain.build(plan, head, { isPinned: true })
    if (candidate === undefined) throw new NodeError({ code: 'BLOCK_NOT_BUILT' }, 'no block was built')
    const { header } = candidate.block
    const { longEpochs: isLong } = chain.config.rulesAt(header)
    const number = Number(header.number)
    try {
      await engine.caches.prepare(number, isLong, yieldToHost)
    } catch (error) {
      chain.discard(candidate)
      throw error
    }
    return {
      candidate,
      isLong,
      number: header.number,
      parentHash: header.parentHash,
      powHash: powHash(header),
      seedHash: epochSeed(epochAt(number, isLong)),
      target: bigIntToBytesPadded(sealTarget(header.difficulty), 32),
      createdAtMs: clock.monotonic(),
      isSolved: false,
    }
  }

  #transactionsOn(head: ChainHeader): PoolSource {
    const { chain, minOccupancyRatio, minGasPrice } = this.#options
    const refusals = this.#refusals
    const baseFeePerGas = nextBaseFeeOf(chain.config, head.header)
    return new PoolSource({
      queue: poolQueueOn(head, this.#options, { baseFeePerGas }),
      limit: Number.POSITIVE_INFINITY,
      slow: refusals.slow,
      onRefused: (pooled, rejection) => refusals.refuse(pooled, rejection),
      minOccupancyRatio,
      minRemotePrice: { minGasPrice, baseFeePerGas },
    })
  }
}

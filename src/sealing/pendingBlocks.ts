/**
 * The pending block: the next block if it were built now. Built on demand, and rebuilt when the head, the
 * pool or the producer's settings have changed. Without requests none is built.
 * @module
 */

import {
  MAX_PENDING_BLOCK_BUILD_MS,
  MAX_PENDING_BUILD_MS,
  MAX_PENDING_BUILDS_IN_A_ROW,
  PENDING_BLOCK_AGE_MS,
} from '../base/limits/limits.ts'
import type { Clock } from '../base/ports/host.ts'
import { type MissRequest, type Residency, StoreMiss } from '../base/ports/keyValueStore.ts'
import type { Chain } from '../chain/chain.ts'
import type { ChainHeader, PendingBlock } from '../chain/contract.ts'
import type { TransactionSource } from '../chain/transition/buildInput.ts'
import type { StateSource } from '../state/contract.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { TransactionPool } from '../txpool/transactionPool.ts'
import type { PendingSource, ProducerTemplate } from './contract.ts'
import { poolQueueOn } from './poolQueue.ts'
import { PoolSource } from './poolSource.ts'
import { SlowTransactions } from './slowTransactions.ts'

export interface PendingBlocksOptions {
  readonly chain: Pick<Chain, 'head' | 'config' | 'build' | 'detach'>
  readonly pool: Pick<TransactionPool, 'best' | 'events'>
  readonly states: StateSource
  readonly template: ProducerTemplate
  readonly clock: Clock
  /** Residency of the chain's store. */
  readonly residency?: Residency
}

interface BuiltBlock {
  readonly block: PendingBlock
  readonly head: ChainHeader
  readonly poolRevision: number
  readonly settings: readonly unknown[]
  readonly builtAtMs: number
}

/** Represents the pending block in a store miss. */
const PENDING_BLOCK: MissRequest = { kind: 'keys', keys: [] }

export class PendingBlocks implements PendingSource {
  readonly #options: PendingBlocksOptions
  readonly #slow = new SlowTransactions()
  #built: BuiltBlock | undefined
  #building: Promise<void> | undefined
  #poolRevision = 0
  /** Number of consecutive builds that were outdated when completed. */
  #overtaken = 0
  #unsubscribe: (() => void) | undefined

  constructor(options: PendingBlocksOptions) {
    this.#options = options
  }

  current(): PendingBlock {
    const built = this.#built
    // Under constant change the last build is used.
    if (built !== undefined && (this.#isCurrent(built) || this.#overtaken >= MAX_PENDING_BUILDS_IN_A_ROW)) {
      this.#overtaken = 0
      return built.block
    }
    throw new StoreMiss(PENDING_BLOCK)
  }

  whenBuilt(): Promise<PendingBlock> {
    return retryMisses(() => this.current(), this.residency)
  }

  /** Builds a missing pending block; passes all other misses to the residency of the store. */
  get residency(): Residency {
    const { residency: below } = this.#options
    return {
      load: async (request, cause) => {
        if (request !== PENDING_BLOCK) return below?.load(request, cause)
        this.#building ??= this.#build().finally(() => {
          this.#building = undefined
        })
        return this.#building
      },
    }
  }

  close(): void {
    this.#unsubscribe?.()
    this.#built = undefined
  }

  #isCurrent({ head, poolRevision, settings, builtAtMs }: BuiltBlock): boolean {
    const { chain, clock, template } = this.#options
    if (head !== chain.head || poolRevision !== this.#poolRevision) return false
    if (clock.monotonic() - builtAtMs > PENDING_BLOCK_AGE_MS) return false
    return template.settings.every((value, i) => value === settings[i])
  }

  async #build(): Promise<void> {
    const { chain, template, clock, residency } = this.#options
    this.#unsubscribe ??= this.#watchPool()
    const { head } = chain
    const poolRevision = this.#poolRevision
    const { settings } = template
    const transactions = await retryMisses(() => this.#transactionsOn(head), residency)
    const plan = template.plan(head, { transactions, isEmptyAllowed: true })
    const candidate = await chain.build({ ...plan, deadlineMs: MAX_PENDING_BLOCK_BUILD_MS }, head)
    if (candidate === undefined) return
    const block = await chain.detach(candidate)
    this.#built = { block, head, poolRevision, settings, builtAtMs: clock.monotonic() }
    if (!this.#isCurrent(this.#built)) this.#overtaken++
  }

  /**
   * The executable transactions of the pool, within a time limit. Transactions that cannot be executed remain in the
   * pool.
   */
  #transactionsOn(head: ChainHeader): TransactionSource {
    const { template, clock } = this.#options
    const queue = poolQueueOn(head, this.#options, { baseFeePerGas: template.overrides?.baseFeePerGas })
    const all = new PoolSource({
      queue,
      limit: Number.POSITIVE_INFINITY,
      slow: this.#slow,
      onRefused: ({ hash }, { code }) => {
        if (code === 'EXECUTION_TOO_SLOW' || code === 'EXECUTION_OUT_OF_MEMORY') this.#slow.add(hash)
      },
    })
    // The first transaction may wait until the EVM is loaded.
    let deadlineMs = Number.POSITIVE_INFINITY
    return {
      next: (budget) => (clock.monotonic() > deadlineMs ? undefined : all.next(budget)),
      included: (planned, receipt) => {
        deadlineMs = Math.min(deadlineMs, clock.monotonic() + MAX_PENDING_BUILD_MS)
        all.included(planned, receipt)
      },
      refused: (planned, rejection) => all.refused(planned, rejection),
    }
  }

  #watchPool(): () => void {
    const { events } = this.#options.pool
    const changed = (): void => {
      this.#poolRevision++
    }
    const subscriptions = [events.on('added', changed), events.on('mined', changed), events.on('dropped', changed)]
    return () => {
      for (const unsubscribe of subscriptions) unsubscribe()
    }
  }
}

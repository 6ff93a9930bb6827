/**
 * The dev chain's functions, on top of the chain, the pool and the block producer.
 * @module
 */

import { MAX_IMPERSONATED_SIGNATURES, MAX_SNAPSHOTS } from '../base/limits/limits.ts'
import type { Logger } from '../base/ports/host.ts'
import type { Random } from '../base/ports/random.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { Chain } from '../chain/chain.ts'
import type { ChainCheckpoint } from '../chain/dev/checkpoint.ts'
import type { DevWriter } from '../chain/dev/devWriter.ts'
import type { ChainDump } from '../chain/dev/dump.ts'
import type { ChainLoad } from '../chain/dev/load.ts'
import { devEnvironment } from '../chain/devEnvironment.ts'
import type { AbortState } from '../evm/driver.ts'
import { keyToText } from '../storage/keyText.ts'
import type { PooledTransaction } from '../txpool/contract.ts'
import type { TransactionPool } from '../txpool/transactionPool.ts'
import { CallBatches } from './callBatches.ts'
import type { ChainClockState } from './chainClock.ts'
import type {
  DevAccounts,
  DevBlobs,
  DevBlock,
  DevChain,
  DevExecution,
  DevFailures,
  DevMetadata,
  DevMining,
  DevState,
  DevTime,
  DevTransaction,
  SealingMode,
} from './contract.ts'
import type { DevProducer } from './devProducer.ts'
import type { NextBlockValues } from './devTemplate.ts'

export interface LocalDevChainOptions {
  readonly chain: Pick<Chain, 'head' | 'config'>
  readonly writer: DevWriter
  readonly pool: Pick<TransactionPool, 'admit' | 'remove' | 'clear' | 'transactions' | 'withoutReinsertion'>
  readonly producer: DevProducer
  readonly accounts: DevAccounts
  readonly logger: Logger
  readonly random: Random
  /** Time of block 0 after a reset: the present time, or that of the genesis block. */
  readonly resetTime: 'now' | 'genesis'
  /** Whether the clock starts at the time of the head instead of the time of the host. */
  readonly continuesTime: boolean
}

interface Snapshot {
  readonly id: number
  readonly checkpoint: ChainCheckpoint
  readonly clock: ChainClockState
  readonly next: NextBlockValues
  readonly gasLimit: bigint | undefined
  readonly coinbase: Uint8Array | undefined
  readonly pooled: readonly PooledTransaction[]
}

const INSTANCE_ID_BYTES = 32
const PREV_RANDAO_BYTES = 32
const MAX_BALANCE = 2n ** 256n - 1n
const START: ChainClockState = { offset: 0n, nextTimestamp: undefined, blockInterval: undefined }
const NOTHING: NextBlockValues = { baseFeePerGas: undefined, prevRandao: undefined }

export class LocalDevChain implements DevChain {
  readonly accounts: DevAccounts
  readonly time: DevTime
  readonly block: DevBlock
  readonly mining: DevMining
  readonly state: DevState
  readonly execution: DevExecution
  readonly blobs: DevBlobs
  readonly failures: DevFailures
  readonly batches: CallBatches = new CallBatches()
  readonly #options: LocalDevChainOptions
  readonly #coinbase: Uint8Array | undefined
  readonly #mode: SealingMode
  /** Oldest first. */
  #snapshots: Snapshot[] = []
  #lastId = 0
  #instanceId: Uint8Array

  constructor(options: LocalDevChainOptions) {
    const { producer, accounts } = options
    this.#options = options
    this.#instanceId = options.random.bytes(INSTANCE_ID_BYTES)
    this.#coinbase = producer.template.common.coinbase
    this.#mode = producer.mode
    this.accounts = accounts
    this.time = devTime(options)
    this.block = devBlock(options)
    this.mining = new ProducerMining(producer)
    this.state = devState(options)
    this.execution = devExecution(options)
    this.blobs = producer.blobs
    this.failures = producer.failures
  }

  get metadata(): DevMetadata {
    return {
      instanceId: this.#instanceId,
      snapshots: this.#snapshots.map(({ id, checkpoint: { block } }) => ({
        id,
        blockNumber: block.header.number,
        blockHash: block.hash,
      })),
    }
  }

  async snapshot(): Promise<number> {
    const { writer, pool, producer } = this.#options
    const checkpoint = await writer.checkpoint()
    const { clock, next, gasLimit, common } = producer.template
    const id = ++this.#lastId
    const pooled = [...pool.transactions()]
    this.#snapshots.push({ id, checkpoint, clock: clock.state, next, gasLimit, coinbase: common.coinbase, pooled })
    if (this.#snapshots.length > MAX_SNAPSHOTS) this.#snapshots.shift()
    return id
  }

  async revert(id: number): Promise<boolean> {
    const at = this.#snapshots.findIndex((snapshot) => snapshot.id === id)
    const snapshot = this.#snapshots[at]
    if (snapshot === undefined) return false
    this.#snapshots = this.#snapshots.slice(0, at)
    await this.#goBack((writer) => writer.restore(snapshot.checkpoint))
    const { template } = this.#options.producer
    template.clock.state = snapshot.clock
    template.next = snapshot.next
    template.gasLimit = snapshot.gasLimit
    template.common.coinbase = snapshot.coinbase
    for (const pooled of snapshot.pooled) this.#admitAgain(pooled)
    return true
  }

  async reset(begin?: (writer: DevWriter) => Promise<unknown>): Promise<void> {
    const { chain, producer, resetTime, continuesTime } = this.#options
    const { template } = producer
    const { wall } = template.clock
    const again = (writer: DevWriter) => (resetTime === 'now' ? writer.begin(wall) : writer.restore(undefined))
    await this.#goBack(begin ?? again)
    this.#snapshots = []
    template.clock.state = START
    if (continuesTime) template.clock.set(chain.head.header.timestamp)
    template.next = NOTHING
    template.gasLimit = undefined
    template.common.coinbase = this.#coinbase
    producer.setMode(this.#mode)
    this.accounts.endImpersonation()
    this.#instanceId = this.#options.random.bytes(INSTANCE_ID_BYTES)
  }

  dump(): Promise<ChainDump> {
    return this.#options.writer.dump()
  }

  async load(work: (load: ChainLoad) => Promise<void>): Promise<void> {
    const { chain, writer, pool, producer } = this.#options
    await pool.withoutReinsertion(() => writer.load(work))
    pool.clear()
    this.#snapshots = []
    const { clock } = producer.template
    const { timestamp } = chain.head.header
    if (timestamp > clock.now) clock.set(timestamp)
  }

  async rollback(depth: number): Promise<void> {
    const { writer, pool } = this.#options
    if (depth > 0) await pool.withoutReinsertion(() => writer.rollback(depth))
  }

  async reorganise(depth: number, transactions: ReadonlyMap<number, readonly DevTransaction[]>): Promise<void> {
    const { pool, producer, random } = this.#options
    if (depth === 0) return
    // Otherwise new blocks with the same content and timestamps would be the removed blocks.
    const prevRandao = random.bytes(PREV_RANDAO_BYTES)
    await pool.withoutReinsertion(() => producer.reorganise(depth, transactions, prevRandao))
  }

  dropTransaction(hash: Uint8Array): boolean {
    return this.#options.pool.remove(hash, 'removed') !== undefined
  }

  dropAllTransactions(): void {
    this.#options.pool.clear()
  }

  async #goBack(move: (writer: DevWriter) => Promise<unknown>): Promise<void> {
    const { writer, pool } = this.#options
    // Transactions mined since then are not restored to the pool.
    await pool.withoutReinsertion(() => move(writer))
    pool.clear()
  }

  #admitAgain(pooled: PooledTransaction): void {
    const { transaction, encoding, sidecar, isLocal, sender, isImpersonated } = pooled
    const verdict = this.#options.pool.admit({
      transaction,
      encoding,
      isLocal,
      ...(isImpersonated === true ? { impersonatedSender: sender } : { sender }),
      ...(sidecar === undefined ? {} : { sidecar }),
    })
    if (verdict.kind === 'admitted') return
    const { code } = verdict.error
    this.#options.logger.debug('a transaction of the snapshot is no longer valid', { code })
  }
}

/**
 * Interval mining replaces instant mining while it is on, unless the node mixes both; switching it off restores the
 * previous mode.
 */
class ProducerMining implements DevMining {
  readonly #producer: DevProducer
  readonly #mayMix: boolean
  #automine: boolean

  constructor(producer: DevProducer) {
    const { mode } = producer
    this.#producer = producer
    this.#mayMix = mode.kind === 'interval' && mode.isMixed === true
    this.#automine = producer.isInstant
  }

  get automine(): boolean {
    return this.#producer.isInstant
  }

  get intervalMs(): number {
    const { mode } = this.#producer
    return mode.kind === 'interval' ? mode.intervalMs : 0
  }

  setAutomine(enabled: boolean): void {
    this.#automine = enabled
    if (this.intervalMs === 0) this.#producer.setMode({ kind: enabled ? 'instant' : 'off' })
    else if (this.#mayMix) this.setInterval(this.intervalMs)
  }

  setInterval(intervalMs: number): void {
    const isMixed = this.#mayMix && this.#automine
    if (intervalMs > 0) this.#producer.setMode({ kind: 'interval', intervalMs, isMixed })
    else this.#producer.setMode({ kind: this.#automine ? 'instant' : 'off' })
  }

  mine(count: bigint, intervalSeconds?: bigint, signal?: AbortState): Promise<void> {
    return this.#producer.mine(count, intervalSeconds, signal)
  }

  mineAt(timestamp: bigint): Promise<void> {
    this.#producer.template.clock.setNextTimestamp(timestamp)
    return this.#producer.mine(1n)
  }
}

function devTime({ chain, producer }: LocalDevChainOptions): DevTime {
  const { clock } = producer.template
  return {
    get offset() {
      return clock.offset
    },
    get next() {
      return clock.after(chain.head.header.timestamp)
    },
    increase(seconds) {
      // Blocks sealed within one second are ahead of the clock: time continues from the newest one.
      const { timestamp } = chain.head.header
      if (timestamp > clock.now) clock.set(timestamp)
      return clock.increase(seconds)
    },
    set: (timestamp) => clock.set(timestamp),
    setNextBlock(timestamp) {
      const head = chain.head.header.timestamp
      if (timestamp <= head) {
        const message = `Timestamp ${timestamp} is lower than or equal to previous block's timestamp ${head}`
        throw new NodeError({ code: 'INVALID_PARAMS' }, message)
      }
      clock.setNextTimestamp(timestamp)
    },
    setBlockInterval: (seconds) => clock.setBlockInterval(seconds),
  }
}

function devBlock({ chain, producer: { template } }: LocalDevChainOptions): DevBlock {
  return {
    get baseFee() {
      return template.next.baseFeePerGas
    },
    setBaseFee(baseFeePerGas) {
      if (chain.head.header.baseFeePerGas === undefined) {
        throw new NodeError({ code: 'INVALID_PARAMS' }, 'the chain has no base fee')
      }
      template.next = { ...template.next, baseFeePerGas }
    },
    setPrevRandao(prevRandao) {
      template.next = { ...template.next, prevRandao }
    },
    setCoinbase(address) {
      template.common.coinbase = address
    },
    setGasLimit(gasLimit) {
      template.gasLimit = gasLimit
    },
  }
}

function devState({ writer }: LocalDevChainOptions): DevState {
  const amend = async (change: Parameters<typeof writer.amendHead>[0]): Promise<void> => {
    await writer.amendHead(change)
  }
  return {
    setBalance: (address, balance) => amend((state) => state.setBalance(address, balance)),
    addBalance: (address, amount) =>
      amend((state) => {
        const sum = (state.getAccount(address)?.balance ?? 0n) + amount
        state.setBalance(address, sum > MAX_BALANCE ? MAX_BALANCE : sum)
      }),
    setNonce: (address, nonce) => amend((state) => state.setNonce(address, nonce)),
    setCode: (address, code) => amend((state) => state.setCode(address, code)),
    setStorage: (address, slot, value) => amend((state) => state.setStorage(address, slot, value)),
  }
}

function devExecution({ chain, writer }: LocalDevChainOptions): DevExecution {
  return {
    async setChainId(chainId) {
      const set = chainId === chain.config.chainId ? undefined : chainId
      await writer.setEnvironment((current) => devEnvironment(set, current?.signers))
    },
    async setSigner(signature, address) {
      await writer.setEnvironment((current) => {
        const signers = new Map(current?.signers).set(keyToText(signature), address)
        if (signers.size <= MAX_IMPERSONATED_SIGNATURES) return devEnvironment(current?.chainId, signers)
        const message = `at most ${MAX_IMPERSONATED_SIGNATURES} signatures can be impersonated`
        throw new NodeError({ code: 'INVALID_PARAMS' }, message)
      })
    },
  }
}

/**
 * The transaction pool: admits, orders, replaces and evicts transactions, and follows the chain.
 * @module
 */
import type { ChainEvents, ChainHeader, ChainReader } from '../chain/contract.ts'
import { nextBaseFee } from '../chain/fees.ts'
import { nextRules } from '../chain/nextBlock.ts'
import type { ForkRules } from '../config/forks.ts'
import { MAX_POOL_BYTES, MINED_MEMORY_BYTES } from '../config/limits.ts'
import { Emitter, type Unsubscribe } from '../events/events.ts'
import type { Clock, Logger } from '../ports/host.ts'
import type { Residency } from '../ports/keyValueStore.ts'
import { isNodeError } from '../primitives/errors.ts'
import { keccak256 } from '../primitives/keccak.ts'
import { LruCache } from '../primitives/lruCache.ts'
import { ResidentTurns } from '../storage/residentTurns.ts'
import type { BlobSidecar } from '../types/blobSidecar.ts'
import { encodeTransaction, transactionSender } from '../types/transactionCodec.ts'
import {
  type AdmissionContext,
  type AdmissionError,
  checkBeforeSender,
  checkDistance,
  checkSender,
  checkWithoutState,
  type Permits,
  refuse,
} from './admission.ts'
import type {
  BlockPrices,
  Candidate,
  DropReason,
  PoolEvents,
  PooledTransaction,
  PoolOrder,
  PoolReader,
  PoolSettings,
  TransactionQueue,
} from './contract.ts'
import { EvictionOrder } from './evictionOrder.ts'
import { ExecutableQueue, type NonceOf } from './executableQueue.ts'
import { type PoolStates, type ReturnedTransaction, readHeadChange } from './headChange.ts'
import { InvalidNonces } from './invalidNonces.ts'
import { mapKey, type PoolEntry, PoolIndex } from './poolIndex.ts'
import { mayReplace } from './replacement.ts'

export interface PoolOptions {
  readonly chain: ChainReader & { readonly events: Emitter<ChainEvents> }
  readonly states: PoolStates
  readonly clock: Clock
  readonly logger: Logger
  readonly settings: PoolSettings
  /** Whether the node makes blocks. */
  readonly isSealing: () => boolean
  /** Permissioning; without it everybody may send. */
  readonly permits?: Permits
  /** Over stores that are not resident: to follow the chain. */
  readonly residency?: Residency
  /** Gas limit of the next block where it does not follow from the head's (dev chain); undefined: the head's. */
  readonly blockGasLimit?: () => bigint | undefined
}

/** The next block as far as the head tells. */
interface NextBlock {
  readonly head: ChainHeader
  readonly rules: ForkRules
  readonly baseFeePerGas: bigint | undefined
}

/** What an admission will change. */
interface Admission {
  readonly entry: PoolEntry
  readonly replaced: PoolEntry | undefined
  readonly victims: readonly PoolEntry[]
}

/** What an entry takes beside its encoding (estimate). */
const ENTRY_BYTES = 1024

export class TransactionPool implements PoolReader {
  readonly events: Emitter<PoolEvents>
  readonly #options: PoolOptions
  readonly #index = new PoolIndex()
  readonly #eviction = new EvictionOrder(this.#index)
  readonly #invalidNonces = new InvalidNonces()
  /** What left the pool into blocks, to come back as it was if those are removed. */
  readonly #mined = new LruCache<string, PoolEntry>(MINED_MEMORY_BYTES)
  readonly #turns: ResidentTurns
  readonly #unsubscribe: Unsubscribe
  #settings: PoolSettings
  #sequence = 0
  #next: NextBlock | undefined
  /** Moves of the head under way whose removed blocks give nothing back. */
  #withoutReinsertion = 0

  constructor(options: PoolOptions) {
    const { chain, logger, residency, settings } = options
    this.#options = options
    this.#settings = settings
    this.events = new Emitter((error) => logger.error('a listener of pool events failed', { error }))
    this.#turns = new ResidentTurns(residency, (error) =>
      logger.error('the pool could not follow the chain', { error }),
    )
    this.#unsubscribe = chain.events.on('head', (event) => {
      const reinserts = this.#withoutReinsertion === 0
      this.#turns.run(() => this.#follow(event, reinserts))
    })
  }

  get settings(): PoolSettings {
    return this.#settings
  }

  get size(): number {
    return this.#index.size
  }

  get localCount(): number {
    return this.#index.localCount
  }

  get maxSize(): number {
    return this.#settings.maxSize
  }

  byHash(hash: Uint8Array): PooledTransaction | undefined {
    return this.#index.get(mapKey(hash))
  }

  nextNonce(sender: Uint8Array): bigint | undefined {
    return this.#index.nextNonce(mapKey(sender))
  }

  transactions(): Iterable<PooledTransaction> {
    return this.#index.entries()
  }

  *senders(): Generator<Uint8Array, void, undefined> {
    for (const [first] of this.#index.senderEntries()) yield (first as PoolEntry).sender
  }

  bySender(sender: Uint8Array): readonly PooledTransaction[] {
    return this.#index.from(mapKey(sender), 0n)
  }

  /** @param minGasPrice wei; counts for what comes from now on */
  setMinGasPrice(minGasPrice: bigint): void {
    this.#settings = { ...this.#settings, minGasPrice }
  }

  /**
   * Checks a transaction against the head and takes it in. All reads come before any change: after a `StoreMiss` the call
   * can be repeated.
   * @param addedAtMs wall clock; given for what was admitted in an earlier run of the node
   * @throws {NodeError} AdmissionErrorCode (txpool/admission.ts)
   */
  admit(candidate: Candidate, addedAtMs: number = this.#options.clock.now()): PooledTransaction {
    this.sweep()
    const { entry, replaced, victims } = this.#plan(candidate, addedAtMs)
    if (replaced !== undefined) this.#index.delete(replaced)
    for (const victim of victims) this.#index.delete(victim)
    this.#index.add(entry)
    this.#eviction.added(entry)
    this.#invalidNonces.valid(entry.senderKey, entry.transaction.nonce)
    this.#sequence++
    if (replaced !== undefined) this.events.emit('dropped', { pooled: replaced, reason: 'replaced' })
    for (const pooled of victims) this.events.emit('dropped', { pooled, reason: 'evicted' })
    this.events.emit('added', entry)
    return entry
  }

  /**
   * All checks of {@link admit} and nothing more: for what is expensive to prepare.
   * @throws {NodeError} as {@link admit}
   */
  check(candidate: Candidate): void {
    this.#plan(candidate, 0)
  }

  /**
   * Takes a transaction out. With `invalid` those of its sender that come after it go too: they could not be executed.
   * @returns undefined when it is not there
   */
  remove(hash: Uint8Array, reason: DropReason = 'removed'): PooledTransaction | undefined {
    const entry = this.#index.get(mapKey(hash))
    if (entry === undefined) return undefined
    const { senderKey, isLocal, transaction } = entry
    if (reason !== 'invalid') this.#drop([entry], reason)
    else {
      if (!isLocal) this.#invalidNonces.invalid(senderKey, transaction.nonce)
      this.#drop(this.#index.from(senderKey, transaction.nonce), reason)
    }
    return entry
  }

  /** Drops what has waited too long. */
  sweep(): void {
    const before = this.#options.clock.now() - this.#settings.retentionMs
    for (let oldest = this.#index.oldest(); oldest !== undefined; oldest = this.#index.oldest()) {
      if (oldest.addedAtMs > before) return
      this.#drop([oldest], 'expired')
    }
  }

  /** Takes everything out and forgets what was mined and what was invalid. */
  clear(): void {
    this.#mined.clear()
    this.#invalidNonces.clear()
    this.#eviction.clear()
    this.#drop([...this.#index.entries()], 'removed')
  }

  /**
   * The transactions for a block, one after the other.
   * @param nonceOf nonce of an account in the state that the block begins with; may throw `StoreMiss`, then or never
   */
  best(prices: BlockPrices, nonceOf: NonceOf, order: PoolOrder = 'price'): TransactionQueue {
    return new ExecutableQueue(this.#index, prices, nonceOf, order)
  }

  /** Moves the head by `work`: transactions of the blocks that it removes do not come back. */
  async withoutReinsertion<T>(work: () => T | Promise<T>): Promise<T> {
    this.#withoutReinsertion++
    try {
      return await work()
    } finally {
      this.#withoutReinsertion--
    }
  }

  /** Follows the chain no more. Resolves when what it had to do so far is done. */
  close(): Promise<void> {
    this.#unsubscribe()
    return this.#turns.settled()
  }

  #plan(candidate: Candidate, addedAtMs: number): Admission {
    const { transaction } = candidate
    const next = this.#nextBlock()
    const context = this.#context(next)
    throwIf(checkBeforeSender(candidate, context))
    const encoding = encodeTransaction(transaction)
    const hash = keccak256(encoding)
    const key = mapKey(hash)
    const known = this.#index.get(key)
    const sender = senderOf(candidate, known)
    const senderKey = mapKey(sender)
    const invalid = checkWithoutState(candidate, context)
    if (invalid !== undefined) throw this.#invalidOf(candidate, senderKey, invalid)
    const state = this.#options.states.at(next.head)
    if (state === undefined) throw refuse('CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE', 'state of the head is not available')
    const account = state.getAccount(sender)
    const unfit = checkSender(candidate, sender, account, state, context)
    if (unfit !== undefined) throw this.#invalidOf(candidate, senderKey, unfit)
    if (known !== undefined) throw refuse('TRANSACTION_ALREADY_KNOWN', 'already known')
    if (!candidate.isLocal) throwIf(this.#checkLowerNonces(senderKey, transaction.nonce, account?.nonce ?? 0n))
    throwIf(checkDistance(transaction, account, this.#settings))
    const replaced = this.#index.at(senderKey, transaction.nonce)
    const { priceBump, maxSize } = this.#settings
    if (replaced && !mayReplace(transaction, replaced.transaction, next.baseFeePerGas, priceBump)) {
      throw refuse('TRANSACTION_REPLACEMENT_UNDERPRICED', 'replacement transaction underpriced')
    }
    const { sidecar } = candidate
    const entry: PoolEntry = {
      transaction,
      hash,
      sender,
      isLocal: candidate.isLocal,
      addedAtMs,
      sequence: this.#sequence,
      ...(sidecar === undefined ? {} : { sidecar }),
      ...(candidate.impersonatedSender === undefined ? {} : { isImpersonated: true }),
      key,
      senderKey,
      byteLength: encoding.length + sidecarLength(sidecar),
    }
    const bounds = { maxSize, maxBytes: MAX_POOL_BYTES }
    const victims = this.#eviction.victimsFor(entry, replaced, bounds, next.baseFeePerGas)
    if (victims === undefined) throw refuse('TRANSACTION_POOL_FULL', 'txpool is full')
    return { entry, replaced, victims }
  }

  #checkLowerNonces(senderKey: string, nonce: bigint, next: bigint): AdmissionError | undefined {
    this.#invalidNonces.used(senderKey, next)
    if (!this.#invalidNonces.hasBelow(senderKey, nonce)) return undefined
    return refuse('LOWER_NONCE_INVALID_TRANSACTION_EXISTS', 'an invalid transaction with a lower nonce exists')
  }

  #invalidOf({ isLocal, transaction }: Candidate, senderKey: string, error: AdmissionError): AdmissionError {
    if (!isLocal && error.code !== 'NONCE_TOO_LOW') this.#invalidNonces.invalid(senderKey, transaction.nonce)
    return error
  }

  #nextBlock(): NextBlock {
    const { chain } = this.#options
    const { head } = chain
    if (this.#next?.head !== head) {
      const rules = nextRules(chain.config, head.header)
      this.#next = { head, rules, baseFeePerGas: nextBaseFee(head.header, rules, chain.config) }
    }
    return this.#next as NextBlock
  }

  #context({ head, rules }: NextBlock): AdmissionContext {
    const { chain, isSealing, permits, blockGasLimit } = this.#options
    return {
      config: chain.config,
      rules,
      blockGasLimit: blockGasLimit?.() ?? head.header.gasLimit,
      settings: this.#settings,
      isSealing: isSealing(),
      permits: permits ?? permitsAll,
    }
  }

  #drop(entries: readonly PoolEntry[], reason: DropReason): void {
    for (const entry of entries) this.#index.delete(entry)
    for (const pooled of entries) this.events.emit('dropped', { pooled, reason })
  }

  #follow(event: ChainEvents['head'], reinserts: boolean): void {
    const { chain, states } = this.#options
    const change = readHeadChange(event, chain, states, this.#index, reinserts ? this.maxSize : 0)
    for (const entry of change.mined) {
      this.#index.delete(entry)
      this.#mined.set(entry.key, entry, entry.byteLength + ENTRY_BYTES)
    }
    for (const entry of change.mined) this.events.emit('mined', entry)
    this.#drop(change.overtaken, 'invalid')
    for (const returned of change.returned) this.#turns.run(() => this.#readmit(returned))
  }

  /** Remote unless it is remembered as local. */
  #readmit({ transaction, hash, sender }: ReturnedTransaction): void {
    const mined = this.#mined.get(mapKey(hash))
    const sidecar = mined?.sidecar
    try {
      this.admit({
        transaction,
        isLocal: mined?.isLocal ?? false,
        ...(sidecar === undefined ? {} : { sidecar }),
        ...(mined?.isImpersonated ? { impersonatedSender: sender } : { sender }),
      })
    } catch (error) {
      if (!isNodeError(error)) throw error
      this.#options.logger.debug('a transaction of a removed block is not kept', { code: error.code, hash })
    }
  }
}

const permitsAll: Permits = () => true

function throwIf(error: AdmissionError | undefined): void {
  if (error !== undefined) throw error
}

function senderOf(candidate: Candidate, known: PoolEntry | undefined): Uint8Array {
  const recovered = known?.isImpersonated ? undefined : known?.sender
  const { impersonatedSender, sender, transaction } = candidate
  const found = impersonatedSender ?? sender ?? recovered ?? transactionSender(transaction)
  if (found === undefined) throw refuse('INVALID_TRANSACTION_SIGNATURE', 'invalid sender')
  return found
}

function sidecarLength(sidecar: BlobSidecar | undefined): number {
  if (sidecar === undefined) return 0
  let length = 0
  for (const { length: bytes } of sidecar.blobs) length += bytes
  return length + 48 * (sidecar.commitments.length + sidecar.proofs.length)
}

/**
 * Stored blocks, decoded, cached and addressed by hash; the canonical chain by number. The canonical index and the
 * pointers are always read.
 * @module
 */
import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import type { StoredState } from '../state/contract.ts'
import type { BlockId } from '../state/stateDiff.ts'
import { keyToText } from '../storage/keyText.ts'
import type { BlockBody } from '../types/block.ts'
import { decodeBody } from '../types/blockCodec.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import { BlockCache } from './blockCache.ts'
import { blockDataMissing, corrupt, type TransactionKeys } from './blockRecord.ts'
import { BlockTables, type LogRecords, type PointerName, type StoredHeader } from './blockTables.ts'
import type { BlockRun, ParentLink, StoredLogs, TransactionLocation } from './contract.ts'
import type { DevAmendment } from './devAmendment.ts'
import type { RunTables } from './emptyRuns/runTables.ts'
import type { StateBound } from './pruning/stateBound.ts'
import { RecentBlocks } from './recentBlocks.ts'

const NO_KEYS: TransactionKeys = { senders: [], hashes: [] }

export class BlockStore {
  readonly #tables: BlockTables
  readonly #cache: BlockCache
  /** For searches of canonical blocks. */
  readonly recent: RecentBlocks
  #firstNumber: number | undefined

  /**
   * @param below the store under a staged one; its cache is tried too
   * @param cacheBytes of decoded blocks. Default: those of the store below, or the upper bound
   */
  constructor(reader: KeyValueReader, below?: BlockStore, cacheBytes?: number) {
    this.#tables = new BlockTables(reader, below && { memory: below.runs.memory, bound: below.stateBound })
    this.#cache = new BlockCache(below === undefined ? undefined : below.#cache, cacheBytes)
    this.recent = new RecentBlocks(reader, this.#cache.part)
  }

  /** The blocks that are derived instead of stored (dev chain). */
  get runs(): RunTables {
    return this.#tables.runs
  }

  /** Deleted states are below it. */
  get stateBound(): StateBound {
    return this.#tables.stateBound
  }

  /** Number of the genesis block: all chains of a store begin with it. */
  get firstNumber(): number {
    this.#firstNumber ??= this.#tables.firstNumber()
    return this.#firstNumber
  }

  /** Whether the chain continues another one, whose state is under its states (state/baseState.ts). */
  get isFork(): boolean {
    return this.#tables.isFork()
  }

  /** The chain begins at another block now. */
  forgetFirst(): void {
    this.#firstNumber = undefined
  }

  /** The first block of the canonical chain. */
  get genesis(): StoredHeader | undefined {
    return this.headerByNumber(this.firstNumber)
  }

  header(hash: Uint8Array): StoredHeader | undefined {
    const key = keyToText(hash)
    const cached = this.#cachedHeader(key)
    if (cached !== undefined) return cached
    const number = this.#tables.numberOf(hash)
    return number === undefined ? undefined : this.#readHeader(number, hash, key)
  }

  /** All stored blocks of a height, on any branch. */
  siblings(number: number): StoredHeader[] {
    const headers = this.#tables.hashesAt(number).map((hash) => this.header(hash))
    return headers.filter((header) => header !== undefined)
  }

  /** undefined when the parent is not stored. */
  parentOf({ header: { number, parentHash }, run }: ParentLink): StoredHeader | undefined {
    return run === undefined ? this.header(parentHash) : this.runBlock(run.run, Number(number) - 1)
  }

  /** A block of a run, or the block before it. */
  runBlock(run: BlockRun, number: number): StoredHeader {
    const hash = run.hashOf(number)
    const key = keyToText(hash)
    const cached = this.#cachedHeader(key)
    if (cached !== undefined) return cached
    const stored = this.#tables.header(number, hash, run)
    this.#cache.setHeader(key, stored)
    return stored
  }

  /** The state that the header of a stored block names, regardless of later amendments. */
  sealedRoot(stored: StoredHeader): StoredState {
    return this.#tables.sealedRoot(stored)
  }

  /** The first canonical block below `end` with an amendment. */
  firstDevAmendment(end: number): { readonly number: number; readonly amendment: DevAmendment } | undefined {
    return this.#tables.firstDevAmendment(end)
  }

  body(hash: Uint8Array): BlockBody | undefined {
    const key = keyToText(hash)
    const cached = this.#cache.get('bodies', key)
    if (cached !== undefined) return cached
    const rlp = this.bodyRlp(hash)
    if (rlp === undefined) return undefined
    const body = decodeBody(rlp)
    this.#cache.setBody(key, body, rlp.length)
    return body
  }

  receipts(hash: Uint8Array): readonly StoredReceipt[] | undefined {
    const key = keyToText(hash)
    const cached = this.#cache.get('receipts', key)
    if (cached !== undefined) return cached
    const number = this.numberOf(hash)
    if (number === undefined) return undefined
    const stored = this.#tables.receipts(number, hash)
    if (stored === undefined) this.#requireEmpty('receipts', number, hash)
    const receipts = stored ?? []
    this.#cache.setReceipts(key, receipts)
    return receipts
  }

  /** Logs of canonical blocks, read together; undefined for a missing block or one without receipts. */
  storedLogs(numbers: readonly number[]): (StoredLogs | undefined)[] {
    const hashes = this.recent.hashes(numbers) ?? this.#tables.canonicalHashes(numbers)
    const logs = hashes.map((hash) => hash && this.#cache.get('logs', keyToText(hash)))
    const uncached: (BlockId & { readonly at: number })[] = []
    for (const [at, hash] of hashes.entries()) {
      if (hash === undefined) this.#tables.requireNoBlock(numbers[at] as number)
      else if (logs[at] === undefined) uncached.push({ number: numbers[at] as number, hash, at })
    }
    if (uncached.length === 0) return logs
    const records = this.#tables.logRecords(uncached)
    for (const [i, block] of uncached.entries()) logs[block.at] = this.#keepLogs(block, records[i] as LogRecords)
    return logs
  }

  /** undefined for a block without receipts. */
  storedLogsOf(hash: Uint8Array): StoredLogs | undefined {
    const cached = this.#cache.get('logs', keyToText(hash))
    if (cached !== undefined) return cached
    const number = this.numberOf(hash)
    if (number === undefined) return undefined
    const [records] = this.#tables.logRecords([{ number, hash }])
    return this.#keepLogs({ number, hash }, records as LogRecords)
  }

  #keepLogs({ number, hash }: BlockId, { receipts, transactionKeys }: LogRecords): StoredLogs | undefined {
    if (receipts === undefined || transactionKeys === undefined) {
      this.#requireEmpty(receipts === undefined ? 'receipts' : 'senders', number, hash)
      return undefined
    }
    const logs = { number, blockHash: hash, receipts, transactionKeys }
    this.#cache.setLogs(keyToText(hash), logs)
    return logs
  }

  transactionKeys(hash: Uint8Array): TransactionKeys | undefined {
    const key = keyToText(hash)
    const cached = this.#cache.get('transactionKeys', key)
    if (cached !== undefined) return cached
    const number = this.numberOf(hash)
    if (number === undefined) return undefined
    const stored = this.#tables.transactionKeys(number, hash)
    if (stored === undefined) this.#requireEmpty('senders', number, hash)
    const transactionKeys = stored ?? NO_KEYS
    this.#cache.setTransactionKeys(key, transactionKeys)
    return transactionKeys
  }

  /** RLP of the whole block, assembled from its stored parts. */
  blockRlp(hash: Uint8Array): Uint8Array | undefined {
    const number = this.numberOf(hash)
    return number === undefined ? undefined : this.#tables.blockRlp(number, hash)
  }

  /** RLP of the body as stored. */
  bodyRlp(hash: Uint8Array): Uint8Array | undefined {
    const number = this.numberOf(hash)
    return number === undefined ? undefined : this.#tables.bodyRlp(number, hash)
  }

  numberOf(hash: Uint8Array): number | undefined {
    const cached = this.#cache.get('headers', keyToText(hash))
    return cached === undefined ? this.#tables.numberOf(hash) : Number(cached.header.number)
  }

  canonicalHash(number: number): Uint8Array | undefined {
    return this.#tables.canonicalHash(number)
  }

  isCanonical(hash: Uint8Array): boolean {
    const number = this.numberOf(hash)
    if (number === undefined) return false
    const canonical = this.canonicalHash(number)
    return canonical !== undefined && equalBytes(canonical, hash)
  }

  /** Canonical chain only. @throws {NodeError} STORE_DAMAGED when a block up to the head is missing */
  headerByNumber(number: number): StoredHeader | undefined {
    const hash = this.canonicalHash(number)
    if (hash === undefined) {
      this.#tables.requireNoBlock(number)
      return undefined
    }
    const key = keyToText(hash)
    return this.#cachedHeader(key) ?? this.#readHeader(number, hash, key)
  }

  /** Canonical chain only. */
  transactionLocation(transactionHash: Uint8Array): TransactionLocation | undefined {
    return this.#tables.transactionLocation(transactionHash)
  }

  pointer(name: PointerName): StoredHeader | undefined {
    const hash = this.#tables.pointer(name)
    if (hash === undefined) return undefined
    const header = this.header(hash)
    if (header === undefined) throw corrupt(`${name} block ${bytesToHex(hash)} is missing`)
    return header
  }

  /** A record in the consensus engine's store. */
  engineRecord(engine: string, key: Uint8Array): Uint8Array | undefined {
    return this.#tables.engineRecord(engine, key)
  }

  /** The staged store below this one has been committed to another one. */
  rebase(below: BlockStore): void {
    this.#cache.rebase(below.#cache)
  }

  /** Adopts the decoded blocks of a staged store on top of this one, once that is committed. */
  absorb(staged: BlockStore): void {
    this.#cache.absorb(staged.#cache)
  }

  /** Adds a newly written block to the cache, so that it is not decoded again. */
  remember(
    stored: StoredHeader,
    body: BlockBody,
    transactions: TransactionKeys,
    receipts: readonly StoredReceipt[],
  ): void {
    const key = keyToText(stored.hash)
    const { transactions: list, ommers, withdrawals } = body
    const bodyOnly =
      withdrawals === undefined ? { transactions: list, ommers } : { transactions: list, ommers, withdrawals }
    this.#cache.setHeader(key, stored)
    this.#cache.setBody(key, bodyOnly, stored.size)
    this.#cache.setReceipts(key, receipts)
    this.#cache.setTransactionKeys(key, transactions)
  }

  /** Replaces a cached header. */
  rememberHeader(stored: StoredHeader): void {
    this.#cache.setHeader(keyToText(stored.hash), stored)
  }

  /** Evicts data that later amendments of the same block may change: state and senders on the dev chain. */
  forgetAmendable(): void {
    this.#cache.forgetAmendable()
  }

  /** Forgets a deleted block. */
  forget(hash: Uint8Array): void {
    this.#cache.forget(keyToText(hash))
  }

  /** undefined also for a header that was read before its state was deleted */
  #cachedHeader(key: string): StoredHeader | undefined {
    const cached = this.#cache.get('headers', key)
    return cached === undefined || this.stateBound.isOutdated(cached) ? undefined : cached
  }

  #readHeader(number: number, hash: Uint8Array, key: string): StoredHeader {
    const stored = this.#tables.header(number, hash)
    this.#cache.setHeader(key, stored)
    return stored
  }

  /** @throws {NodeError} BLOCK_DATA_MISSING */
  #requireEmpty(part: 'receipts' | 'senders', number: number, hash: Uint8Array): void {
    const header = this.header(hash)
    if (header === undefined) throw blockDataMissing(part, number, hash)
    this.#tables.requireEmpty(part, header)
  }
}

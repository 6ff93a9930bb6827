/**
 * Stored blocks, read by key and decoded. Nothing is cached.
 * @module
 */
import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import { rlpDecode, rlpListOfEncoded, rlpSpan } from '../base/primitives/rlp.ts'
import { missingState, type StoredState } from '../state/contract.ts'
import { EMPTY_STATE_ROOT } from '../state/emptyRoot.ts'
import type { BlockId } from '../state/stateDiff.ts'
import { Column, keys, numberedKey } from '../storage/schema.ts'
import type { Header } from '../types/block.ts'
import { encodeBlock, encodeBody } from '../types/blockCodec.ts'
import { decodeHeader } from '../types/headerCodec.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import { decodeStoredReceipts } from '../types/receiptCodec.ts'
import {
  type BlockPart,
  type BlockRecord,
  blockDataMissing,
  corrupt,
  decodeBlockRecord,
  decodeLocation,
  decodeNumber,
  decodeTransactionKeys,
  type TransactionKeys,
} from './blockRecord.ts'
import type { BlockRun, ChainHeader, TransactionLocation } from './contract.ts'
import { type DevAmendment, decodeDevAmendment } from './devAmendment.ts'
import type { EmptyRun } from './emptyRuns/emptyRun.ts'
import { RunMemory, RunTables } from './emptyRuns/runTables.ts'
import { requireNoBlock } from './missingBlock.ts'
import { StateBound } from './pruning/stateBound.ts'

export interface StoredHeader extends ChainHeader {
  /** Length of the block's RLP. */
  readonly size: number
}

/** Database records from which the logs of a block are read. */
export interface LogRecords {
  readonly receipts: Uint8Array | undefined
  readonly transactionKeys: Uint8Array | undefined
}

export type PointerName = 'head' | 'safe' | 'finalized'

const devAmendmentPrefix = Uint8Array.of(Column.devAmendment)

export class BlockTables {
  readonly #reader: KeyValueReader
  /** The blocks that are derived instead of stored (dev chain). */
  readonly runs: RunTables
  /** Deleted states are below it. */
  readonly stateBound: StateBound

  /** @param shared by all readers of one store */
  constructor(
    reader: KeyValueReader,
    shared: { readonly memory: RunMemory; readonly bound: StateBound } = shareable(),
  ) {
    this.#reader = reader
    this.runs = new RunTables(reader, shared.memory)
    this.stateBound = shared.bound
  }

  numberOf(hash: Uint8Array): number | undefined {
    const bytes = this.#reader.get(keys.numberByHash(hash))
    return bytes === undefined ? this.runs.numberOf(hash) : decodeNumber(bytes)
  }

  canonicalHash(number: number): Uint8Array | undefined {
    return this.#reader.get(keys.canonicalHash(number)) ?? this.runs.canonicalHash(number)
  }

  /** Number of the genesis block; 0 for a store without a chain. */
  firstNumber(): number {
    const hash = this.#reader.get(keys.meta('genesisHash'))
    return (hash && this.numberOf(hash)) ?? 0
  }

  /** Whether the chain continues another one, whose state is under its states (state/baseState.ts). */
  isFork(): boolean {
    const hash = this.#reader.get(keys.meta('genesisHash'))
    const record = hash && this.#reader.get(keys.blockRecord(this.firstNumber(), hash))
    return record !== undefined && decodeBlockRecord(record).isBaseState === true
  }

  /** @throws {NodeError} STORE_DAMAGED when the canonical chain has a block of this number */
  requireNoBlock(number: number): void {
    requireNoBlock(this.#reader, number)
  }

  /** Read together. */
  canonicalHashes(numbers: readonly number[]): (Uint8Array | undefined)[] {
    const hashes = this.#reader.getMany(numbers.map((number) => keys.canonicalHash(number)))
    return hashes.map((hash, i) => hash ?? this.runs.canonicalHash(numbers[i] as number))
  }

  /** Hashes of all stored blocks of a height, on any branch. */
  hashesAt(number: number): Uint8Array[] {
    return Array.from(this.#reader.range({ prefix: keys.headersAt(number) }), ([key]) => numberedKey(key).hash)
  }

  pointer(name: PointerName): Uint8Array | undefined {
    const key = keys.meta(name)
    const hash = this.#reader.get(key)
    if (hash === undefined) this.#reader.requireAbsent?.(key)
    return hash
  }

  /**
   * @param run to which the block belongs, if it is known
   * @throws {NodeError} when the block is not stored
   */
  header(number: number, hash: Uint8Array, run?: BlockRun): StoredHeader {
    const [rlp, recordBytes] = this.#reader.getMany([keys.header(number, hash), keys.blockRecord(number, hash)])
    if (rlp === undefined || recordBytes === undefined) return this.#derived(number, hash, run)
    const header = decodeHeader(rlpDecode(rlp))
    const record = decodeBlockRecord(recordBytes)
    const amendment = record.isAmended ? this.#devAmendment(number, hash) : undefined
    return {
      header,
      hash,
      totalDifficulty: record.totalDifficulty,
      stateRoot: this.stateBound.check(number, amendment?.stateRoot ?? storedRoot(header, hash, record)),
      size: record.size,
      dev: amendment?.environment,
      ...(record.isInRun === true ? { run: this.#run(number, hash).position(number, true) } : {}),
    }
  }

  #derived(number: number, hash: Uint8Array, run: BlockRun | undefined): StoredHeader {
    const block = this.#run(number, hash, run).header(number)
    return { ...block, stateRoot: this.stateBound.check(number, block.stateRoot) }
  }

  /** @throws {NodeError} when the block is neither stored nor derived */
  #run(number: number, hash: Uint8Array, known?: BlockRun): EmptyRun {
    this.runs.refresh()
    const run = known === undefined ? this.runs.runOf(number, hash) : this.runs.byId(known.id)
    if (run === undefined) throw corrupt(`block ${bytesToHex(hash)} is incomplete`)
    return run
  }

  /** The state that the header of a stored block names, regardless of later amendments. */
  sealedRoot({ header, hash, stateRoot, run }: StoredHeader): StoredState {
    if (run?.isStored === false) return stateRoot
    const record = this.#reader.get(keys.blockRecord(Number(header.number), hash))
    if (record === undefined) throw corrupt(`block ${bytesToHex(hash)} is incomplete`)
    return this.stateBound.check(Number(header.number), storedRoot(header, hash, decodeBlockRecord(record)))
  }

  /** The first canonical block below `end` with an amendment. */
  firstDevAmendment(end: number): { readonly number: number; readonly amendment: DevAmendment } | undefined {
    for (const [key, value] of this.#reader.range({ prefix: devAmendmentPrefix })) {
      const { number, hash } = numberedKey(key)
      if (number >= end) return undefined
      const canonical = this.canonicalHash(number)
      if (canonical !== undefined && equalBytes(canonical, hash))
        return { number, amendment: decodeDevAmendment(value) }
    }
    return undefined
  }

  /** RLP of the whole block, assembled from its stored parts. */
  blockRlp(number: number, hash: Uint8Array): Uint8Array {
    const [header, body] = this.#reader.getMany([keys.header(number, hash), keys.body(number, hash)])
    if (header === undefined) return this.#derivedRlp(number, hash)
    if (body === undefined) throw this.#missing('body', number, hash)
    return rlpListOfEncoded([header, body.subarray(rlpSpan(body, 0).payload)])
  }

  /** RLP of the body as stored. */
  bodyRlp(number: number, hash: Uint8Array): Uint8Array {
    const body = this.#reader.get(keys.body(number, hash))
    if (body !== undefined) return body
    const run = this.runs.runOf(number, hash)
    if (run === undefined) throw this.#missing('body', number, hash)
    return encodeBody(run.body)
  }

  #missing(part: BlockPart, number: number, hash: Uint8Array): Error {
    return blockDataMissing(part, number, hash, this.historyFrom())
  }

  /** Number of the lowest block that is stored whole; 0: all are. */
  historyFrom(): number {
    const bytes = this.#reader.get(keys.meta('historyFrom'))
    return bytes === undefined ? 0 : decodeNumber(bytes)
  }

  #derivedRlp(number: number, hash: Uint8Array): Uint8Array {
    const run = this.#run(number, hash)
    return encodeBlock({ header: run.header(number).header, ...run.body })
  }

  /** undefined when none are stored (see {@link BlockTables.requireEmpty}) */
  receipts(number: number, hash: Uint8Array): readonly StoredReceipt[] | undefined {
    const bytes = this.#reader.get(keys.receipts(number, hash))
    return bytes === undefined ? undefined : decodeStoredReceipts(bytes)
  }

  /** undefined when none are stored (see {@link BlockTables.requireEmpty}) */
  transactionKeys(number: number, hash: Uint8Array): TransactionKeys | undefined {
    const bytes = this.#reader.get(keys.senders(number, hash))
    return bytes === undefined ? undefined : decodeTransactionKeys(bytes)
  }

  /**
   * Blocks without transactions have no receipts and no senders; for all others both must be stored.
   * @throws {NodeError} BLOCK_DATA_MISSING, HISTORY_PRUNED
   */
  requireEmpty(part: 'receipts' | 'senders', { header, hash }: StoredHeader): void {
    if (equalBytes(header.transactionsRoot, EMPTY_TRIE_ROOT)) return
    throw this.#missing(part, Number(header.number), hash)
  }

  /** Not decoded, read together. */
  logRecords(blocks: readonly BlockId[]): LogRecords[] {
    const values = this.#reader.getMany(
      blocks.flatMap(({ number, hash }) => [keys.receipts(number, hash), keys.senders(number, hash)]),
    )
    return blocks.map((_, i) => ({ receipts: values[2 * i], transactionKeys: values[2 * i + 1] }))
  }

  /** Canonical chain only. */
  transactionLocation(transactionHash: Uint8Array): TransactionLocation | undefined {
    const bytes = this.#reader.get(keys.transactionIndex(transactionHash))
    if (bytes === undefined) return undefined
    const { blockNumber, index } = decodeLocation(bytes)
    const blockHash = this.canonicalHash(blockNumber)
    return blockHash === undefined ? undefined : { blockHash, blockNumber, index }
  }

  /** A record in the consensus engine's store. */
  engineRecord(engine: string, key: Uint8Array): Uint8Array | undefined {
    return this.#reader.get(keys.engineRecord(engine, key))
  }

  #devAmendment(number: number, hash: Uint8Array): DevAmendment {
    const amendment = this.#reader.get(keys.devAmendment(number, hash))
    if (amendment === undefined) throw corrupt(`the dev amendment of block ${bytesToHex(hash)} is missing`)
    return decodeDevAmendment(amendment)
  }
}

function shareable(): { readonly memory: RunMemory; readonly bound: StateBound } {
  return { memory: new RunMemory(), bound: new StateBound() }
}

/** The state that the header of a stored block names. Of the state of another chain, nothing is stored. */
function storedRoot({ number, stateRoot }: Header, hash: Uint8Array, record: BlockRecord): StoredState {
  const { stateVersion, isBaseState } = record
  if (isBaseState === true) return { ...EMPTY_STATE_ROOT, base: { number: Number(number), hash, stateRoot } }
  return stateVersion === undefined ? missingState(stateRoot) : { hash: stateRoot, version: stateVersion }
}

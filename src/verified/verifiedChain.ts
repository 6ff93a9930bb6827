/**
 * A chain whose newest block is trusted, and whose blocks come from a remote that is not.
 * @module
 */
import { bytesToHex } from '../base/primitives/bytes.ts'
import { BlockReads } from '../chain/blockReads.ts'
import { encodeNumber } from '../chain/blockRecord.ts'
import { BlockStore } from '../chain/blockStore.ts'
import type { BadBlock, ChainHeader, ChainReader, StoredLogs, TransactionLocation } from '../chain/contract.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { unproven } from '../fork/errors.ts'
import { type ForkHeader, recordOf } from '../fork/forkBlock.ts'
import type { ForkStore } from '../fork/forkStore.ts'
import { FixedStore } from '../storage/fixedStore.ts'
import { keys } from '../storage/schema.ts'
import type { BlockBody } from '../types/block.ts'
import { encodeHeader } from '../types/headerCodec.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import { LazyIndex } from './lazyIndex.ts'

/** A store that has the header of one block, above which there is nothing. */
export function storeOfHead(head: ForkHeader): FixedStore {
  const { number, hash, header } = head
  return new FixedStore([
    [keys.header(number, hash), encodeHeader(header)],
    [keys.blockRecord(number, hash), recordOf(head)],
    [keys.numberByHash(hash), encodeNumber(number)],
    [keys.canonicalHash(number), hash],
  ])
}

/** Every read throws `StoreMiss` for what is not in memory. That a block or a transaction does not exist is never proven. */
export class VerifiedChain extends BlockReads implements ChainReader {
  readonly head: ChainHeader
  readonly #isFinal: boolean

  /** @param isFinal whether the head cannot be replaced by another block */
  constructor(store: ForkStore, config: ChainConfig, head: ForkHeader, isFinal: boolean) {
    const blocks = new BlockStore(store)
    blocks.runs.refresh()
    super({ kv: store, blocks, config, index: new LazyIndex(store) })
    this.head = super.headerByHash(head.hash) as ChainHeader
    this.#isFinal = isFinal
  }

  get lowestNumber(): number {
    return 0
  }

  get genesis(): ChainHeader {
    return this.headerByNumber(0) ?? this.head
  }

  get safe(): ChainHeader | undefined {
    return this.#isFinal ? this.head : undefined
  }

  get finalized(): ChainHeader | undefined {
    return this.safe
  }

  /** @throws {NodeError} FORK_UNPROVEN for a hash that the remote does not know */
  override headerByHash(hash: Uint8Array): ChainHeader {
    const header = super.headerByHash(hash)
    if (header === undefined) throw unproven(`block ${bytesToHex(hash)}`, 'the remote does not have it')
    return header
  }

  override body(hash: Uint8Array): BlockBody | undefined {
    return super.body(this.headerByHash(hash).hash)
  }

  override senders(hash: Uint8Array): readonly Uint8Array[] | undefined {
    return super.senders(this.headerByHash(hash).hash)
  }

  override transactionHashes(hash: Uint8Array): readonly Uint8Array[] | undefined {
    return super.transactionHashes(this.headerByHash(hash).hash)
  }

  override receipts(hash: Uint8Array): readonly StoredReceipt[] | undefined {
    return super.receipts(this.headerByHash(hash).hash)
  }

  override storedLogsOf(hash: Uint8Array): StoredLogs | undefined {
    return super.storedLogsOf(this.headerByHash(hash).hash)
  }

  /** @throws {NodeError} FORK_UNPROVEN for a hash that the remote does not know */
  override transactionLocation(hash: Uint8Array): TransactionLocation {
    const location = super.transactionLocation(hash)
    if (location === undefined) throw unproven(`transaction ${bytesToHex(hash)}`, 'the remote has it in no block')
    return location
  }

  badBlocks(): readonly BadBlock[] {
    return []
  }
}

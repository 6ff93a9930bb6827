import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { keys } from '../storage/schema.ts'
import type { BlockBody } from '../types/block.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import type { BlockStore } from './blockStore.ts'
import type { ChainHeader, ChainIndex, ParentLink, StoredLogs, TransactionLocation } from './contract.ts'
import type { ConsensusEngine, EngineStoreReader } from './engine.ts'

export interface BlockReadsDeps {
  readonly kv: KeyValueReader
  readonly blocks: BlockStore
  readonly config: ChainConfig
  readonly index: ChainIndex
}

/** The part of a ChainReader that does not depend on who writes the store. */
export class BlockReads {
  readonly config: ChainConfig
  readonly index: ChainIndex
  readonly #kv: KeyValueReader
  readonly #blocks: BlockStore

  constructor({ kv, blocks, config, index }: BlockReadsDeps) {
    this.config = config
    this.index = index
    this.#kv = kv
    this.#blocks = blocks
  }

  canonicalHash(number: number): Uint8Array | undefined {
    return this.#blocks.canonicalHash(number)
  }

  isCanonical(hash: Uint8Array): boolean {
    return this.#blocks.isCanonical(hash)
  }

  headerByHash(hash: Uint8Array): ChainHeader | undefined {
    const header = this.#blocks.header(hash)
    if (header === undefined) this.#kv.requireAbsent?.(keys.numberByHash(hash))
    return header
  }

  headerByNumber(number: number): ChainHeader | undefined {
    return this.#blocks.headerByNumber(number)
  }

  parentOf(block: ParentLink): ChainHeader | undefined {
    return this.#blocks.parentOf(block)
  }

  body(hash: Uint8Array): BlockBody | undefined {
    return this.#blocks.body(hash)
  }

  blockSize(hash: Uint8Array): number | undefined {
    return this.#blocks.header(hash)?.size
  }

  /** Records that a consensus engine derived from stored blocks. */
  engineStore(name: ConsensusEngine['name']): EngineStoreReader {
    return { get: (key) => this.#blocks.engineRecord(name, key) }
  }

  /** RLP of the whole block. */
  blockRlp(hash: Uint8Array): Uint8Array | undefined {
    return this.#blocks.blockRlp(hash)
  }

  senders(hash: Uint8Array): readonly Uint8Array[] | undefined {
    return this.#blocks.transactionKeys(hash)?.senders
  }

  transactionHashes(hash: Uint8Array): readonly Uint8Array[] | undefined {
    return this.#blocks.transactionKeys(hash)?.hashes
  }

  receipts(hash: Uint8Array): readonly StoredReceipt[] | undefined {
    return this.#blocks.receipts(hash)
  }

  storedLogs(numbers: readonly number[]): (StoredLogs | undefined)[] {
    return this.#blocks.storedLogs(numbers)
  }

  storedLogsOf(hash: Uint8Array): StoredLogs | undefined {
    return this.#blocks.storedLogsOf(hash)
  }

  transactionLocation(transactionHash: Uint8Array): TransactionLocation | undefined {
    const location = this.#blocks.transactionLocation(transactionHash)
    if (location === undefined) this.#kv.requireAbsent?.(keys.transactionIndex(transactionHash))
    return location
  }
}

import type { MemoryShares } from '../base/limits/memoryShares.ts'
import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { requirePresentFormat } from '../storage/metadata.ts'
import { behindHead } from './behindHead.ts'
import { BlockReads } from './blockReads.ts'
import { corrupt } from './blockRecord.ts'
import { BlockStore } from './blockStore.ts'
import type { BadBlock, ChainHeader, ChainReader } from './contract.ts'
import { TermIndex } from './termIndex/termIndex.ts'

const NO_BAD_BLOCKS: readonly BadBlock[] = []

/** The chain of a store that another process or thread writes: only committed data are visible. */
export class StoredChain extends BlockReads implements ChainReader {
  readonly #kv: KeyValueReader
  readonly #blocks: BlockStore
  readonly #slotsInEpoch: number | undefined
  /** As of the last refresh, once they were read. */
  #head: ChainHeader | undefined
  #genesis: ChainHeader | undefined

  /**
   * @param slotsInEpoch as in ChainOptions
   * @param memory bounds of the caches. Default: their upper bounds
   * @throws {NodeError} STORE_DAMAGED when no chain is stored; FORMAT_TOO_NEW, STORE_NOT_MIGRATED
   */
  constructor(kv: KeyValueReader, config: ChainConfig, slotsInEpoch?: number, memory?: Pick<MemoryShares, 'blocks'>) {
    requirePresentFormat(kv)
    const blocks = new BlockStore(kv, undefined, memory?.blocks)
    blocks.runs.refresh()
    blocks.stateBound.refresh(kv)
    super({ kv, blocks, config, index: new TermIndex(kv, blocks.runs, blocks.recent) })
    this.#kv = kv
    this.#blocks = blocks
    this.#slotsInEpoch = slotsInEpoch
    genesisOf(blocks)
  }

  /** The dev chain can load another one. */
  get genesis(): ChainHeader {
    this.#genesis ??= genesisOf(this.#blocks)
    return this.#genesis
  }

  get lowestNumber(): number {
    return Number(this.genesis.header.number)
  }

  get head(): ChainHeader {
    this.#head ??= this.#blocks.pointer('head')
    if (this.#head === undefined) throw corrupt('it has no head')
    return this.#head
  }

  get safe(): ChainHeader | undefined {
    const slots = this.#slotsInEpoch
    return slots === undefined ? this.#blocks.pointer('safe') : behindHead(this, slots)
  }

  get finalized(): ChainHeader | undefined {
    const slots = this.#slotsInEpoch
    return slots === undefined ? this.#blocks.pointer('finalized') : behindHead(this, 2 * slots)
  }

  /** Only the writer knows rejected blocks. */
  badBlocks(): readonly BadBlock[] {
    return NO_BAD_BLOCKS
  }

  /** To be called before each request: discards cached values that the writer may have changed. */
  refresh(): void {
    this.#head = undefined
    this.#genesis = undefined
    this.#blocks.forgetAmendable()
    this.#blocks.runs.refresh()
    this.#blocks.stateBound.refresh(this.#kv)
  }
}

function genesisOf(blocks: BlockStore): ChainHeader {
  const { genesis } = blocks
  if (genesis === undefined) throw corrupt('it has no genesis block')
  return genesis
}

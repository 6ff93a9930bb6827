import type { AbortSignal } from '../base/ports/webTypes.ts'
import type { StagedStore } from '../storage/stagedStore.ts'
import type { Transaction } from '../types/transaction.ts'
import type { BlockStore } from './blockStore.ts'
import type { StoredHeader } from './blockTables.ts'
import type { PreparedBlock } from './preparedBlock.ts'

/** An executed block whose records are staged. */
export interface ExtendedBlock {
  readonly prepared: PreparedBlock
  readonly stored: StoredHeader
  readonly parent: StoredHeader
  /** Receives the derived records; they are committed with the block. */
  readonly stage: StagedStore
  /** Includes the staged blocks. */
  readonly blocks: BlockStore
  /** Next version for trie nodes. */
  nextVersion(): number
}

/** Additional results of executed blocks, which are stored with them. They never affect a block's validity. */
export interface BlockExtension {
  /**
   * Loads the data that `derive` needs, outside the writer's turn. Waits until they are available or `signal` is
   * aborted.
   * @returns undefined when nothing has to be loaded
   */
  prepare(
    bodies: readonly { readonly transactions: readonly Transaction[] }[],
    signal?: AbortSignal,
  ): Promise<void> | undefined
  /** Whether `derive` finds the data of these transactions loaded. */
  isPrepared(transactions: readonly Transaction[]): boolean
  /** @returns undefined when the block has no further results */
  derive(block: ExtendedBlock): Promise<void> | undefined
}

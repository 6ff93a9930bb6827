/**
 * The interface between the writer and its tasks.
 * @module
 */

import type { Clock } from '../base/ports/host.ts'
import type { KeyValueStore } from '../base/ports/keyValueStore.ts'
import type { StagedStore } from '../storage/stagedStore.ts'
import type { ExecutionModules } from './blockProcessor.ts'
import type { BlockStore } from './blockStore.ts'
import type { StoredHeader } from './blockTables.ts'
import type { MoveBounds } from './headMove.ts'

/** The block pointers of the chain. */
export interface ChainPointers {
  /** Block 0. */
  readonly genesis: StoredHeader
  readonly head: StoredHeader
  readonly safe: StoredHeader | undefined
  readonly finalized: StoredHeader | undefined
}

/** The store and the position of the chain, as the writer offers them to a task. */
export interface WriteTaskBase {
  readonly kv: KeyValueStore
  /** The committed blocks. */
  readonly blocks: BlockStore
  /** After the last commit. */
  readonly pointers: ChainPointers
  readonly modules: ExecutionModules
  readonly clock: Clock
  readonly moveBounds: MoveBounds
  /** Version of the last trie nodes. */
  readonly stateVersion: number
  /** Next version for trie nodes; versions are never reused, not even those of a dropped batch. */
  nextVersion(): number
  /** Builds a lost flat view again, after the batch that loses it. */
  readonly flatRecovery: { readonly isRunning: boolean }
  /** A batch that a store is still writing; a task begins on top of it. */
  readonly sent: SentBatch | undefined
  /** Commits a batch, after the one before it; then memory is updated and events are emitted. */
  send(batch: Batch): SentBatch
  /** Whether an ordinary task should yield as soon as possible. */
  readonly hasUrgent: boolean
  /** Runs waiting urgent tasks. */
  giveWay(): Promise<void>
}

/** The changes of one commit. */
export interface Batch {
  readonly stage: StagedStore
  /** Includes the staged blocks. */
  readonly blocks: BlockStore
  readonly pointers: ChainPointers
  /** The flat view could not follow the head, and was given up. */
  readonly isFlatLost: boolean
}

/** A batch that was handed to the store. */
export interface SentBatch extends Batch {
  /** Settles when the batch is stored, memory is updated and events are emitted. A failure may be ignored. */
  readonly committed: Promise<void>
}

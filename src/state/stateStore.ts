import { RECENT_STATES } from '../base/limits/limits.ts'
import { MAIN_SHARES, type MemoryShares } from '../base/limits/memoryShares.ts'
import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { StagedStore } from '../storage/stagedStore.ts'
import { NodeCache } from '../trie/nodeCache.ts'
import type { WalkPause } from '../trie/recompute.ts'
import type { BaseState } from './baseState.ts'
import { type CachedEntries, cachedEntries } from './cachedEntries.ts'
import { CodeStore } from './codeStore.ts'
import type { StateReader, StateRoot, StorageEntry, StorageRecall } from './contract.ts'
import { dropFlatView, moveFlatView, readDiffEnds, setFlatPosition } from './flatView.ts'
import { HeadAccounts } from './headAccounts.ts'
import { KeyHashes } from './keyHashes.ts'
import { RecallView } from './recallView.ts'
import { RecentState } from './recentState.ts'
import { recomputeStateRoot } from './recomputeRoot.ts'
import { isSameRoot, localRoot, StateContext } from './stateContext.ts'
import type { BlockId, FlatPosition } from './stateDiff.ts'
import type { StateRanges } from './stateRanges.ts'
import type { StateStage } from './stateStage.ts'
import { type SharedReads, StateView, type StoredAccount } from './stateView.ts'
import { StateWriter } from './stateWriter.ts'
import { WorldState } from './worldState.ts'

export interface StateStoreOptions {
  /** Size of the cache of decoded trie nodes in bytes. Default: its share in `memory`. */
  readonly nodeCacheBytes?: number
  /** Sizes of all caches. Default: their upper bounds. */
  readonly memory?: StateMemory | undefined
  /** Whether the addresses and slots of new hashes are stored. Default: true. */
  readonly keepsPreimages?: boolean
  /** Set if another thread commits to the store (in a reading thread): the flat view may move at any time. */
  readonly isWrittenElsewhere?: boolean
  /** Of a fork: the state of the other chain, under all states of this store. */
  readonly base?: BaseState | undefined
}

type StateMemory = Pick<MemoryShares, 'nodes' | 'codes' | 'recentStates' | 'hotState'>

const MAX_MEMORY: StateMemory = {
  nodes: MAIN_SHARES.nodes.max,
  codes: MAIN_SHARES.codes.max,
  recentStates: MAIN_SHARES.recentStates.max,
  hotState: MAIN_SHARES.hotState.max,
}

/** Higher than every version of a stored node. */
const DETACHED_VERSION = 2 ** 48 - 1

/** All states of a store: reads them, builds on them, and moves the flat view. */
export class StateStore {
  readonly #context: StateContext
  readonly #shared: SharedReads
  readonly #recentLimits: CachedEntries
  /** Most recently used first. */
  readonly #recent: RecentState[] = []

  constructor(reader: KeyValueReader, options: StateStoreOptions = {}) {
    const { memory = MAX_MEMORY, isWrittenElsewhere = false, keepsPreimages, base } = options
    const { nodeCacheBytes = memory.nodes } = options
    this.#context = new StateContext({ reader, isWrittenElsewhere, keepsPreimages, base })
    this.#shared = {
      nodes: new NodeCache(nodeCacheBytes),
      codes: new CodeStore(memory.codes),
      hashes: new KeyHashes(),
      hotState: new HeadAccounts(cachedEntries(memory.hotState)),
    }
    this.#recentLimits = cachedEntries(memory.recentStates / RECENT_STATES)
  }

  /**
   * @param over a stage through which reads pass; the reader must not be used after its batch
   * @param recall slots that are not in the trie
   */
  reader(root: StateRoot, over?: KeyValueReader, recall?: StorageRecall): StateReader {
    return this.#view(root, over, recall)
  }

  /** @returns undefined when no contract with this code is stored */
  code(codeHash: Uint8Array): Uint8Array | undefined {
    return this.#shared.codes.find(codeHash, this.#context.reader)
  }

  /** A whole state, or the part that is stored over a base, in the order of the hashes of its addresses and slots. */
  ranges(root: StateRoot): StateRanges {
    return this.#view(root).ranges
  }

  /** The accounts that are stored, ascending by hash; over a base, those that differ from it, with the deleted ones. */
  storedAccounts(root: StateRoot, fromHash: Uint8Array, limit: number): StoredAccount[] {
    return this.#view(root).storedAccounts(fromHash, limit)
  }

  /** The slots that are stored, ascending by hash; over a base, those that were written, with zeros. */
  storedSlots(root: StateRoot, address: Uint8Array, fromHash: Uint8Array, limit: number): StorageEntry[] {
    return this.#view(root).storedSlots(address, fromHash, limit)
  }

  /** Returns a mutable state on top of a root. With `recall` it must not be persisted. */
  mutable(root: StateRoot, over?: KeyValueReader, recall?: StorageRecall): WorldState {
    const view = this.#view(root, over, recall)
    return new WorldState(view, () => new StateWriter(view))
  }

  /** Writes changes on top of a root. */
  writer(root: StateRoot): StateWriter {
    return new StateWriter(this.#view(root))
  }

  /**
   * Moves the flat view with the head, in the same batch.
   * @param undo blocks that are no longer canonical, newest first
   * @param redo blocks that become canonical, oldest first
   * @param newRoot state of the new head
   * @returns false when the flat view cannot be moved there and lags behind (reads then walk the trie)
   */
  moveFlat(stage: StateStage, undo: readonly BlockId[], redo: readonly BlockId[], newRoot: StateRoot): boolean {
    return moveFlatView(this.#context.of(stage), stage, { undo, redo, newRoot: this.#local(newRoot) })
  }

  /** Gives up the flat view until it is built again (state/flatRebuild.ts). */
  dropFlat(stage: StateStage): void {
    dropFlatView(this.#context.of(stage), stage)
  }

  /** @param position of the entries that the store and the stage hold */
  setFlat(stage: StateStage, { root, block }: FlatPosition): void {
    setFlatPosition(this.#context.of(stage), stage, { root: this.#local(root), block })
  }

  /** Puts a stage on top of another one, which is being committed. */
  stack(stage: StateStage, below: StateStage): void {
    this.#context.stack(stage, below)
  }

  /** The stage below another one has been committed. */
  rebase(stage: StateStage): void {
    this.#context.rebase(stage)
  }

  /** Releases a stage that will not be committed. */
  abandon(stage: StateStage): void {
    this.#context.abandon(stage)
  }

  /** The state on which a block was executed, according to its diff. @throws {NodeError} MISSING_STATE_DIFF */
  rootBefore(reader: KeyValueReader, block: BlockId): StateRoot {
    return readDiffEnds(reader, block).parent.root
  }

  /** Reads and hashes every node of a state in the store, using little memory; for database checks. */
  recomputeRoot(root: StateRoot): Generator<WalkPause, Uint8Array> {
    return recomputeStateRoot(this.#context.reader, root)
  }

  /**
   * Builds the trie nodes of a state in memory. Its root can be used for readers and mutable states, and nothing is
   * stored. The world state must not be used afterwards.
   * @throws {StoreMiss} the call can be repeated
   */
  detach(state: WorldState): StateRoot {
    const stage = new StagedStore(this.#context.reader)
    const root = state.persist({ version: DETACHED_VERSION, stage, isDetached: true })
    return root.version === DETACHED_VERSION ? { ...root, over: stage } : root
  }

  #local(root: StateRoot): StateRoot {
    return localRoot(root, this.#context.base)
  }

  /** Forgets all values that were read, because the states over a base have another base now. */
  forget(): void {
    this.#recent.length = 0
    this.#shared.hotState.clear()
  }

  #view(at: StateRoot, over: KeyValueReader | undefined = at.over, recall?: StorageRecall): StateView {
    const root = this.#local(at)
    if (recall !== undefined) {
      return new RecallView(root, this.#context.of(over ?? this.#context.reader), this.#shared, recall)
    }
    if (over === undefined || over === this.#context.reader) return this.#recentState(root)
    return new StateView(root, this.#context.of(over), this.#shared)
  }

  #recentState(root: StateRoot): RecentState {
    const at = this.#recent.findIndex((state) => isSameRoot(state.root, root))
    const known = this.#recent[at]
    if (known !== undefined && at === 0) return known
    if (known !== undefined) this.#recent.splice(at, 1)
    const state = known ?? new RecentState(root, this.#context, this.#shared, this.#recentLimits)
    this.#recent.unshift(state)
    if (this.#recent.length > RECENT_STATES) this.#recent.pop()
    return state
  }
}

/**
 * The information that is kept in memory about one view of the store: the position of the flat view, and the roots
 * whose nodes are cached. The store has one context, and so does each stage.
 * @module
 */
import { STATE_ROOT_CACHE_ITEMS } from '../base/limits/limits.ts'
import type { KeyValueReader, RemoteBlock } from '../base/ports/keyValueStore.ts'
import { bytesToHexUnprefixed, equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import { keys } from '../storage/schema.ts'
import { Ref } from '../trie/node.ts'
import type { BaseState } from './baseState.ts'
import type { StateRoot } from './contract.ts'
import { EMPTY_STATE_ROOT } from './emptyRoot.ts'
import { missingBase } from './errors.ts'
import { decodePosition, type FlatPosition } from './stateDiff.ts'
import type { StagedReader } from './stateStage.ts'

const AT_EMPTY_STATE: FlatPosition = { root: EMPTY_STATE_ROOT, block: undefined }

export function isSameRoot(a: StateRoot, b: StateRoot): boolean {
  if (a === b) return true
  if (!equalBytes(a.hash, b.hash) || !isSameBase(a.base, b.base)) return false
  return a.version === b.version || equalBytes(a.hash, EMPTY_TRIE_ROOT)
}

function isSameBase(a: RemoteBlock | undefined, b: RemoteBlock | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && equalBytes(a.hash, b.hash))
}

/**
 * The root as the local chain has it: the state of the fork block is the one in which nothing is stored.
 * @throws {NodeError} FORK_UNSUPPORTED when the state is that of another chain, and there is none
 */
export function localRoot(root: StateRoot, base: BaseState | undefined): StateRoot {
  if (root.base === undefined) return root
  if (base === undefined) throw missingBase()
  return equalBytes(root.base.hash, base.forkBlock.hash) ? { hash: root.hash, version: root.version } : root
}

/** The position of the flat view according to the store. */
export function readFlatPosition(reader: KeyValueReader): FlatPosition {
  const bytes = reader.get(keys.meta('flatRoot'))
  return bytes === undefined ? AT_EMPTY_STATE : decodePosition(bytes)
}

export interface StateContextOptions {
  readonly reader: KeyValueReader
  /** Context of the store below a stage, or of the stage below it that is being committed. */
  readonly below?: StateContext
  /** The flat view has not been moved in this stage. */
  readonly isFresh?: boolean
  /** Whether the addresses and slots of hashes are stored. Default: as in the context below, or true. */
  readonly keepsPreimages?: boolean | undefined
  /** Another thread commits to the store, so the position of the flat view is read once per snapshot. */
  readonly isWrittenElsewhere?: boolean
  /** Default: as in the context below. */
  readonly base?: BaseState | undefined
}

export class StateContext {
  readonly reader: KeyValueReader
  readonly keepsPreimages: boolean
  /** Answers where nothing is stored. */
  readonly base: BaseState | undefined
  #below: StateContext | undefined
  readonly #isFresh: boolean
  readonly #isWrittenElsewhere: boolean
  readonly #roots = new LruCache<string, Ref>(STATE_ROOT_CACHE_ITEMS)
  #flat: FlatPosition | undefined
  /** In which `#flat` was read from a store that another thread writes. */
  #snapshot: number | undefined
  /** The newest stage that moves the flat view and may not have been committed. */
  #pending: StateContext | undefined

  constructor(options: StateContextOptions) {
    const { reader, below, isFresh = false, isWrittenElsewhere = false, keepsPreimages, base } = options
    this.reader = reader
    this.keepsPreimages = keepsPreimages ?? below?.keepsPreimages ?? true
    this.base = base ?? below?.base
    this.#below = below
    this.#isFresh = isFresh
    this.#isWrittenElsewhere = isWrittenElsewhere
  }

  /** Returns the context of the store itself, or of a stage over it. */
  of(reader: KeyValueReader): StateContext {
    if (reader === this.reader) return this
    if (this.#below !== undefined) return this.#below.of(reader)
    const stage: StagedReader = reader
    const { context: derived } = stage
    if (derived instanceof StateContext && derived.#isOver(this)) return derived
    const context = new StateContext({ reader, below: this, isFresh: derived === undefined })
    stage.context = context
    return context
  }

  /** Gives a stage a context on top of the one of the stage below it. */
  stack(stage: StagedReader, below: StagedReader): void {
    stage.context = new StateContext({ reader: stage, below: this.of(below), isFresh: true })
  }

  /** The stage below another one has been committed: the upper one is on top of the store. */
  rebase(stage: StagedReader): void {
    const upper = stage.context
    const committed = upper instanceof StateContext ? upper.#below : undefined
    if (!(upper instanceof StateContext) || committed === undefined || committed.#below !== this) return
    if (this.#pending === committed) this.#adopt(committed)
    upper.#below = this
    if (committed.#pending === upper) this.#pending = upper
  }

  /**
   * The position of the flat view. It is read from the store while a stage that moves the flat view may be committed at
   * any moment.
   * @throws {StoreMiss} when it is not in memory
   */
  get flat(): FlatPosition {
    if (this.#isWrittenElsewhere) return this.#flatOfSnapshot()
    if (this.#pending !== undefined) return this.#readFlat(this.#pending)
    this.#flat ??= (this.#isFresh ? this.#below?.flat : undefined) ?? readFlatPosition(this.reader)
    return this.#flat
  }

  /** Whether a context is that of the store, with at most one stage between. */
  #isOver(store: StateContext): boolean {
    const below = this.#below
    return below !== undefined && (below === store || below.#below === store)
  }

  #flatOfSnapshot(): FlatPosition {
    const { snapshot } = this.reader
    if (this.#flat !== undefined && snapshot !== undefined && snapshot === this.#snapshot) return this.#flat
    this.#flat = readFlatPosition(this.reader)
    this.#snapshot = snapshot
    return this.#flat
  }

  /** Records that the stage has moved its flat view. */
  moveFlat(position: FlatPosition): void {
    this.#flat = position
    if (this.#below !== undefined) this.#below.#pending = this
  }

  /** Forgets a stage that is never committed: without this, it would be kept, and the position read from the store. */
  abandon(stage: StagedReader): void {
    if (this.#pending === undefined || stage.context !== this.#pending) return
    this.#pending = undefined
    // An earlier stage may have been committed since.
    this.#flat = undefined
  }

  /**
   * Returns the reference to a root node. The same root always has the same reference, through which cached nodes are
   * found.
   * @throws {StoreMiss} when the position of the flat view is not in memory
   */
  rootRef(root: StateRoot): Ref | undefined {
    if (equalBytes(root.hash, EMPTY_TRIE_ROOT)) return undefined
    const name = nameOf(root)
    const known = this.#roots.get(name) ?? this.#below?.knownRoot(name)
    if (known !== undefined) return known
    const ref = new Ref(root.hash, 0, root.version)
    this.#roots.set(name, ref)
    return ref
  }

  rememberRoot(root: StateRoot, ref: Ref): void {
    this.#roots.set(nameOf(root), ref)
  }

  knownRoot(name: string): Ref | undefined {
    // A stage that has been committed since knows the newest roots.
    if (this.#pending !== undefined) this.#readFlat(this.#pending)
    return this.#roots.get(name) ?? this.#below?.knownRoot(name)
  }

  /** Reads the position from the store, and adopts what the stage knows once it has been committed. */
  #readFlat(stage: StateContext): FlatPosition {
    const stored = readFlatPosition(this.reader)
    if (stage.#flat !== undefined && isSamePosition(stored, stage.#flat)) this.#adopt(stage)
    return stored
  }

  #adopt(stage: StateContext): void {
    this.#roots.absorb(stage.#roots)
    this.#flat = stage.#flat
    this.#pending = undefined
  }
}

function isSamePosition(a: FlatPosition, b: FlatPosition): boolean {
  if (!isSameRoot(a.root, b.root) || a.block?.number !== b.block?.number) return false
  return a.block === undefined || b.block === undefined || equalBytes(a.block.hash, b.block.hash)
}

function nameOf(root: StateRoot): string {
  return `${root.version}:${bytesToHexUnprefixed(root.hash)}`
}

/**
 * Converts a world state into the mutations of a batch. All reads precede the first staged mutation.
 * @module
 */

import type { Mutation } from '../base/ports/keyValueStore.ts'
import { keys } from '../storage/schema.ts'
import { REF } from '../trie/node.ts'
import type { StateRoot } from './contract.ts'
import { EMPTY_STATE_ROOT } from './emptyRoot.ts'
import { readStateDiff } from './flatView.ts'
import type { StateAccount } from './stateAccounts.ts'
import {
  accountAfter,
  type CommittedWork,
  changeOf,
  erasedStorage,
  type PreimageSink,
  slotChanges,
} from './stateChanges.ts'
import { isSameRoot, type StateContext } from './stateContext.ts'
import {
  type AccountChange,
  type BlockId,
  diffEncoding,
  diffWrites,
  encodePosition,
  type LeftStorage,
  mergeDiffs,
  type SlotChange,
  type StateDiff,
} from './stateDiff.ts'
import type { StateStage } from './stateStage.ts'

export interface StateCommit {
  /** Higher than all previous versions, including those of blocks that are no longer canonical. */
  readonly version: number
  readonly stage: StateStage
  /** The block that made the change; without a block (genesis), there is no diff record. */
  readonly block?: BlockId
  /** The change applies on top of the state after `block` and extends that block's diff (dev chain). */
  readonly amend?: boolean
  /** The block does not become the head yet: the flat view stays where it is. */
  readonly isSide?: boolean
  /** The stage is never committed, so the flat view of the store is not affected. */
  readonly isDetached?: boolean
  /** Nodes of this commit that are no longer in the tries (largeState.ts). */
  readonly nodes?: readonly Mutation[]
}

/** Mutations that are staged between two pauses: some 2 ms of work. */
const STAGED_PER_PAUSE = 2048

/**
 * Stages nodes, code, preimages, the diff, and the flat view's changes if it is at the parent. A caller without time limits
 * runs it to its end at once.
 */
export function* commitState(work: CommittedWork, options: StateCommit): Generator<void, StateRoot> {
  const { view, tries, changed } = work
  const { version, stage, block } = options
  const context = view.context.of(stage)
  const { flat } = context
  const isOnFlat = options.isDetached !== true && isSameRoot(flat.root, view.root)
  const isFlat = isOnFlat && options.isSide !== true
  const amended = options.amend && block !== undefined ? readStateDiff(stage, block) : undefined
  for (const account of changed) tries.prepareCommit(account, version)

  const writes = new Writes(options.nodes)
  const isReplacing = options.isDetached !== true
  for (const account of changed) tries.commitStorage(account, version, writes.putNode, isReplacing)
  const root = commitRoot(work, context, { version, writes, isReplacing })
  const parent = isOnFlat ? flat : { root: view.root, block: undefined }
  const onNew = context.keepsPreimages ? writes.putPreimage : () => {}
  yield
  const diff: StateDiff = { parent, root, ...(yield* changesOf(work, onNew)) }
  yield
  for (const account of changed) writes.putCode(account, work)
  if (block !== undefined) {
    const record = amended === undefined ? diff : mergeDiffs(amended, diff)
    writes.put(keys.stateDiff(block.number, block.hash), yield* diffEncoding(record))
  }
  yield
  if (isFlat) {
    yield* diffWrites(diff, 'after', block?.number ?? 0, writes)
    writes.put(keys.meta('flatRoot'), encodePosition({ root, block }))
  }
  yield
  yield* writes.flush(stage)
  yield
  if (isFlat) {
    context.moveFlat({ root, block })
    view.hotState.move(
      root,
      view.isHot,
      changed.map((account) => accountAfter(work, account)),
    )
  }
  return root
}

interface RootCommit {
  readonly version: number
  readonly writes: Writes
  readonly isReplacing: boolean
}

function commitRoot(
  { view, tries }: CommittedWork,
  context: StateContext,
  { version, writes, isReplacing }: RootCommit,
): StateRoot {
  const hash = tries.accounts.rootHash()
  const before = tries.accounts.root
  const ref = tries.accounts.commit(version, writes.putNode, isReplacing)
  const { base } = view.root
  if (ref === undefined) return base === undefined ? EMPTY_STATE_ROOT : { ...EMPTY_STATE_ROOT, base }
  const root: StateRoot = base === undefined ? { hash, version: ref.version } : { hash, version: ref.version, base }
  if (before?.kind === REF && isSameRoot(root, view.root)) return view.root
  context.rememberRoot(root, ref)
  return root
}

const NO_CHANGES: readonly SlotChange[] = []

function* changesOf(work: CommittedWork, onNew: PreimageSink): Generator<void, Pick<StateDiff, 'accounts' | 'left'>> {
  const accounts: AccountChange[] = []
  const left: LeftStorage[] = []
  for (const account of work.changed) {
    const slots = account.slots.length === 0 ? NO_CHANGES : yield* slotChanges(work, account, onNew)
    const change = changeOf(work, account, slots, onNew)
    yield
    if (change === undefined) continue
    accounts.push(change)
    const erased = erasedStorage(work, account)
    if (erased !== undefined) left.push(erased)
  }
  return { accounts, left }
}

/** Collects mutations, which are staged once nothing can fail. */
class Writes {
  readonly #mutations: Mutation[]

  constructor(nodes: readonly Mutation[] = []) {
    this.#mutations = [...nodes]
  }

  readonly putNode = (key: Uint8Array, value: Uint8Array): void => {
    this.#mutations.push({ key, value })
  }

  /** Only for new entries of the tries; the others were stored when they were inserted. */
  readonly putPreimage = (hash: Uint8Array, preimage: Uint8Array): void => {
    this.#mutations.push({ key: keys.preimage(hash), value: preimage })
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#mutations.push({ key, value })
  }

  delete(key: Uint8Array): void {
    this.#mutations.push({ key, value: undefined })
  }

  putCode({ base, current }: StateAccount, work: CommittedWork): void {
    if (current === undefined || current.codeHash === base?.codeHash) return
    const code = work.newCode(current.codeHash)
    if (code !== undefined) this.put(keys.code(current.codeHash), code)
  }

  *flush(stage: StateStage): Generator<void> {
    for (const [i, { key, value }] of this.#mutations.entries()) {
      if (value === undefined) stage.delete(key)
      else stage.put(key, value)
      if (i % STAGED_PER_PAUSE === STAGED_PER_PAUSE - 1) yield
    }
  }
}

/**
 * From a world state to the mutations of a batch. Everything that has to be read is read before anything is staged.
 * @module
 */

import type { Mutation } from '../ports/keyValueStore.ts'
import { keys } from '../storage/schema.ts'
import { REF } from '../trie/node.ts'
import type { StateRoot } from './contract.ts'
import { readStateDiff } from './flatView.ts'
import type { StateAccount } from './stateAccounts.ts'
import { type ChangedState, changeOf, type ErasedSlots, erasedSlots, type PreimageSink } from './stateChanges.ts'
import { EMPTY_STATE_ROOT, isSameRoot, type StateContext } from './stateContext.ts'
import {
  type AccountChange,
  applyDiff,
  type BlockId,
  encodePosition,
  encodeStateDiff,
  mergeDiffs,
  type StateDiff,
} from './stateDiff.ts'
import type { StateStage } from './stateStage.ts'
import type { StateTries } from './stateTries.ts'

export interface StateCommit {
  /** Greater than every version before, also of blocks that are canonical no more. */
  readonly version: number
  readonly stage: StateStage
  /** The block that made the change; without one (genesis) there is no diff record. */
  readonly block?: BlockId
  /** The change comes on top of the state after `block` and extends the diff of that block (dev chain). */
  readonly amend?: boolean
  /** The stage is never committed: the flat view of the store is not concerned. */
  readonly isDetached?: boolean
}

export interface CommittedWork extends ChangedState {
  readonly tries: StateTries
  /** All accounts that were ever changed. */
  readonly changed: readonly StateAccount[]
  /** Code that was set in this state. */
  newCode(codeHash: Uint8Array): Uint8Array | undefined
}

/** Stages nodes, code, preimages, the diff and, while the flat view is at the parent, its changes. */
export function commitState(work: CommittedWork, options: StateCommit): StateRoot {
  const { view, tries, changed } = work
  const { version, stage, block } = options
  const context = view.context.of(stage)
  const { flat } = context
  const isFlat = options.isDetached !== true && isSameRoot(flat.root, view.root)
  const amended = options.amend && block !== undefined ? readStateDiff(stage, block) : undefined
  const erased = changed.map((account) => erasedSlots(view, account))
  for (const account of changed) tries.prepareCommit(account, version)

  const writes = new Writes()
  for (const account of changed) tries.commitStorage(account, version, writes.putNode)
  const root = commitRoot(work, context, version, writes)
  const accounts = changesOf(work, erased, writes.putPreimage)
  const parent = isFlat ? flat : { root: view.root, block: undefined }
  const diff: StateDiff = { parent, root, accounts }
  for (const account of changed) writes.putCode(account, work)
  if (block !== undefined) {
    const record = amended === undefined ? diff : mergeDiffs(amended, diff)
    writes.put(keys.reverseDiff(block.number, block.hash), encodeStateDiff(record))
  }
  if (isFlat) {
    applyDiff(diff, 'after', writes)
    writes.put(keys.meta('flatRoot'), encodePosition({ root, block }))
  }
  writes.flush(stage)
  if (isFlat) context.moveFlat({ root, block })
  return root
}

function commitRoot({ view, tries }: CommittedWork, context: StateContext, version: number, writes: Writes): StateRoot {
  const hash = tries.accounts.rootHash()
  const before = tries.accounts.root
  const ref = tries.accounts.commit(version, writes.putNode)
  if (ref === undefined) return EMPTY_STATE_ROOT
  if (before?.kind === REF && isSameRoot({ hash, version: ref.version }, view.root)) return view.root
  const root = { hash, version: ref.version }
  context.rememberRoot(root, ref)
  return root
}

function changesOf(
  work: CommittedWork,
  erased: readonly (ErasedSlots | undefined)[],
  onNew: PreimageSink,
): AccountChange[] {
  const changes: AccountChange[] = []
  work.changed.forEach((account, i) => {
    const change = changeOf(work, account, erased[i], onNew)
    if (change !== undefined) changes.push(change)
  })
  return changes
}

/** Collects mutations, to stage them once nothing can fail any more. */
class Writes {
  readonly #mutations: Mutation[] = []

  readonly putNode = (key: Uint8Array, value: Uint8Array): void => {
    this.#mutations.push({ key, value })
  }

  /** Only of what is new in the tries: the others were stored when they came in. */
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

  flush(stage: StateStage): void {
    for (const { key, value } of this.#mutations) {
      if (value === undefined) stage.delete(key)
      else stage.put(key, value)
    }
  }
}

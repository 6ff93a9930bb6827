/**
 * Root and commit of a world state with many changes, in steps of less than a millisecond or two. Other work may run between
 * two steps; the state must not change. The store must be synchronous.
 * @module
 */
import type { Mutation } from '../base/ports/keyValueStore.ts'
import { hashSteps, storeSteps } from '../trie/trieSteps.ts'
import type { StateRoot } from './contract.ts'
import type { CommittedWork } from './stateChanges.ts'
import { commitState, type StateCommit } from './stateCommit.ts'

/** Slots that are written into a trie in one step. */
const SLOTS_PER_STEP = 128

/** Updates and hashes the tries; the root is then found at once. */
export function* rootSteps({ tries, changed }: CommittedWork): Generator<void> {
  for (const account of changed) {
    if (!account.isDirty) continue
    const update = account.current === undefined ? undefined : tries.beginUpdate(account)
    if (update !== undefined) {
      for (let at = 0; at < update.ids.length; at += SLOTS_PER_STEP) {
        tries.writeSlots(update, update.ids.slice(at, at + SLOTS_PER_STEP))
        yield
      }
      tries.endUpdate(update)
      yield* hashSteps(update.trie)
    }
    tries.flush([account])
    yield
  }
  yield* hashSteps(tries.accounts)
}

/** Commits the state like {@link WorldState.persist}. */
export function* commitSteps(work: CommittedWork, options: StateCommit): Generator<void, StateRoot> {
  yield* rootSteps(work)
  const { tries, changed } = work
  const { version } = options
  const nodes: Mutation[] = []
  const sink = (key: Uint8Array, value: Uint8Array): void => void nodes.push({ key, value })
  const isReplacing = options.isDetached !== true
  for (const account of changed) {
    tries.prepareCommit(account, version)
    yield
  }
  // The leaves of the accounts take the links to their storages, so they are stored last.
  for (const account of changed) {
    if (account.current !== undefined && account.trie !== undefined) {
      yield* storeSteps(account.trie, version, sink, isReplacing)
    }
    tries.commitStorage(account, version, sink, isReplacing)
    yield
  }
  tries.accounts.rootHash()
  yield* storeSteps(tries.accounts, version, sink, isReplacing)
  return yield* commitState(work, { ...options, nodes })
}

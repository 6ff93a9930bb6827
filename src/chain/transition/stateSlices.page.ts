/**
 * In pages, which serve no other clients, states of blocks are hashed and committed in one piece.
 * @module
 */
import type { MaybePromise } from '../../base/primitives/maybePromise.ts'
import type { MutableState, StateRoot } from '../../state/contract.ts'
import type { StateCommit } from '../../state/stateCommit.ts'
import type { WorldState } from '../../state/worldState.ts'
import { retryMissesMaybe } from '../../storage/retryMisses.ts'
import type { SliceModules } from './stateSlices.ts'

export function rootOf(state: MutableState, { residency }: SliceModules): MaybePromise<Uint8Array> {
  return retryMissesMaybe(() => state.rootHash(), residency)
}

export function persistState(
  state: WorldState,
  commit: StateCommit,
  { residency }: SliceModules,
): MaybePromise<StateRoot> {
  return retryMissesMaybe(() => state.persist(commit), residency)
}

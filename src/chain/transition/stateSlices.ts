/**
 * Root and commit of the state of a block. Those of many changes run in slices, between which the node answers requests.
 * @module
 */
import type { Residency } from '../../base/ports/keyValueStore.ts'
import type { MaybePromise } from '../../base/primitives/maybePromise.ts'
import type { ExecutionScheduler } from '../../evm/scheduler.ts'
import type { MutableState, StateRoot } from '../../state/contract.ts'
import type { StateCommit } from '../../state/stateCommit.ts'
import { WorldState } from '../../state/worldState.ts'
import { retryMissesMaybe } from '../../storage/retryMisses.ts'

export interface SliceModules {
  readonly scheduler?: ExecutionScheduler | undefined
  readonly residency?: Residency | undefined
}

/** @returns the root hash, 32 bytes */
export function rootOf(state: MutableState, { scheduler, residency }: SliceModules): MaybePromise<Uint8Array> {
  if (scheduler === undefined || residency !== undefined || !isLarge(state))
    return retryMissesMaybe(() => state.rootHash(), residency)
  return (async () => {
    const { rootSteps } = await import('../../state/largeState.ts')
    await inSlices(rootSteps(state.work()), scheduler)
    return state.rootHash()
  })()
}

/** Stages the state; it must not be used afterwards. */
export function persistState(
  state: WorldState,
  commit: StateCommit,
  { scheduler, residency }: SliceModules,
): MaybePromise<StateRoot> {
  if (scheduler === undefined || residency !== undefined || !isLarge(state))
    return retryMissesMaybe(() => state.persist(commit), residency)
  return (async () => {
    const { commitSteps } = await import('../../state/largeState.ts')
    return inSlices(commitSteps(state.work(), commit), scheduler)
  })()
}

function isLarge(state: MutableState): state is WorldState {
  return state instanceof WorldState && state.isLarge
}

async function inSlices<T>(steps: Generator<void, T>, scheduler: ExecutionScheduler): Promise<T> {
  // The block was executed just before, in the same turn.
  await scheduler.turn()
  const slicer = scheduler.slicer()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (slicer.isDue) await slicer.yield()
  }
}

import type { CodeSource, StateRoot, StateSource, StoredState } from '../state/contract.ts'
import { statePruned } from '../state/errors.ts'
import type { StateStore } from '../state/stateStore.ts'

/** All states are available except deleted ones and those of blocks that were stored without execution. */
export function stateSource(states: StateStore): StateSource & CodeSource {
  return {
    at: ({ stateRoot, run }) => (isStored(stateRoot) ? states.reader(stateRoot, undefined, run?.recall) : undefined),
    mutable: ({ stateRoot, run }) =>
      isStored(stateRoot) ? states.mutable(stateRoot, undefined, run?.recall) : undefined,
    code: (codeHash) => states.code(codeHash),
  }
}

/** @throws {NodeError} STATE_PRUNED */
function isStored(state: StoredState): state is StateRoot {
  if (state.isMissing !== true) return true
  if (state.pruned !== undefined) throw statePruned(state.pruned)
  return false
}

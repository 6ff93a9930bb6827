import type { StateSource } from '../state/contract.ts'
import type { StateStore } from '../state/stateStore.ts'

/** All states are available except those of blocks that were stored without execution. */
export function stateSource(states: StateStore): StateSource {
  return {
    at: ({ stateRoot, run }) =>
      stateRoot.isMissing === true ? undefined : states.reader(stateRoot, undefined, run?.recall),
    mutable: ({ stateRoot, run }) =>
      stateRoot.isMissing === true ? undefined : states.mutable(stateRoot, undefined, run?.recall),
  }
}

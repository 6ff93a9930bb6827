import type { StateSource } from '../state/contract.ts'
import type { StateStore } from '../state/stateStore.ts'

/** Every state is kept but those of blocks that were stored without being executed. */
export function stateSource(states: StateStore): StateSource {
  return {
    at: ({ stateRoot }) => (stateRoot.isMissing === true ? undefined : states.reader(stateRoot)),
    mutable: ({ stateRoot }) => (stateRoot.isMissing === true ? undefined : states.mutable(stateRoot)),
  }
}

import type { StateSource } from '../state/contract.ts'
import type { StateStore } from '../state/stateStore.ts'

/** Every state is kept. */
export function stateSource(states: StateStore): StateSource {
  return {
    at: ({ stateRoot }) => states.reader(stateRoot),
    mutable: ({ stateRoot }) => states.mutable(stateRoot),
  }
}

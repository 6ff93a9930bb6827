import type { StateRoot } from './contract.ts'
import type { CommittedWork } from './stateChanges.ts'
import { commitState, type StateCommit } from './stateCommit.ts'
import { withoutPauses } from './stateDiff.ts'
import type { StateSlots } from './stateSlots.ts'
import { StateTries } from './stateTries.ts'
import type { StateView } from './stateView.ts'

/** Writes the changes of a world state into tries, and these into a batch. */
export class StateWriter {
  readonly #view: StateView

  /** @param view the state that was changed */
  constructor(view: StateView) {
    this.#view = view
  }

  /** @param slots of the world state */
  tries(slots: StateSlots): StateTries {
    return new StateTries(this.#view, slots)
  }

  /** @param work all of whose changes are in its tries */
  commit(work: CommittedWork, options: StateCommit): StateRoot {
    return withoutPauses(commitState(work, options))
  }
}

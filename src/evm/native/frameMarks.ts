import type { StateDB } from '../stateDb.ts'
import { FRAME_MARKED, FRAME_PARENT } from './assembly/layout.ts'
import type { NativeInstance } from './instance.ts'
import type { EffectsMark, SideEffects } from './sideEffects.ts'

/**
 * The checkpoints of frames. A frame gets its checkpoint before its first change outside the module, so most frames
 * have none.
 */
export class FrameMarks {
  readonly #instance: NativeInstance
  readonly #state: StateDB
  readonly #effects: SideEffects
  /** One for each marked frame, the top frame first. */
  readonly #sections: EffectsMark[] = []

  constructor(instance: NativeInstance, state: StateDB, effects: SideEffects) {
    this.#instance = instance
    this.#state = state
    this.#effects = effects
  }

  /** Opens the checkpoint of the top frame, before that frame exists. */
  open(): void {
    this.#state.checkpoint()
    this.#sections.push(this.#effects.mark())
  }

  /**
   * Opens all missing checkpoints down to the running frame. Call it before any change, and after all reads that may
   * throw `StoreMiss`. None of these frames has changed anything, so only the number of checkpoints matters, not the
   * order in which frames are marked.
   */
  openAll(): void {
    const instance = this.#instance
    for (let frame = instance.frame; frame !== 0 && instance.u32(frame + FRAME_MARKED) === 0; ) {
      instance.setU32(frame + FRAME_MARKED, 1)
      this.open()
      frame = instance.u32(frame + FRAME_PARENT)
    }
  }

  /** Undoes all changes of the message. */
  revertAll(): void {
    while (this.#sections.length > 0) this.revert()
  }

  commit(): void {
    this.#sections.pop()
    this.#state.endSection()
  }

  revert(): void {
    const section = this.#sections.pop()
    this.#state.revert()
    if (section !== undefined) this.#effects.revert(section)
  }
}

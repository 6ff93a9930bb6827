import type { StepRange } from '../../hooks.ts'
import {
  FRAME_POSITIONS,
  FRAME_POSITIONS_LENGTH,
  STATE_STEP_BEGIN,
  STATE_STEP_COUNT,
  STATE_STEP_FROM,
  STATE_STEP_LENGTH,
} from '../assembly/layout.ts'
import type { NativeInstance } from '../instance.ts'

/** Keeps the range of a tracer and that of the module equal. */
export class NativeStepRange {
  readonly #instance: NativeInstance
  readonly #range: StepRange
  /** Positions that are in the instance already → their place. */
  readonly #places = new Map<Uint8Array, number>()
  #from = 0
  #to = 0

  constructor(instance: NativeInstance, range: StepRange) {
    this.#instance = instance
    this.#range = range
    instance.setU64(STATE_STEP_BEGIN, range.begin ?? 0)
  }

  /** Call it before the callbacks of an exit. */
  read(): void {
    this.#range.count = this.#instance.u64(STATE_STEP_COUNT)
  }

  /** Call it after the callbacks of an exit. */
  write(): void {
    const { from, to } = this.#range
    if (from === this.#from && to === this.#to) return
    this.#from = from
    this.#to = to
    this.#instance.setU64(STATE_STEP_FROM, from)
    this.#instance.setU64(STATE_STEP_LENGTH, Math.max(to - from, 0))
  }

  /** Selects positions in the code of the running frame. */
  select(positions: Uint8Array): void {
    const instance = this.#instance
    let place = this.#places.get(positions)
    if (place === undefined) {
      place = instance.allocate(positions.length)
      instance.write(place, positions)
      this.#places.set(positions, place)
    }
    instance.setU32(instance.frame + FRAME_POSITIONS, place)
    instance.setU32(instance.frame + FRAME_POSITIONS_LENGTH, positions.length)
  }
}

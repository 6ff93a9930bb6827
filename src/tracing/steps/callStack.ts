import { CUT_INPUT_BYTES, MAX_OPEN_INPUT_BYTES } from '../../base/limits/limits.ts'
import type { CallStart } from '../../evm/hooks.ts'
import type { StepCall } from './contract.ts'

/** The calls that have begun and not ended, with numbers that are the same in every run. */
export class CallStack {
  readonly #open: StepCall[] = []
  #begun = 0
  #inputBytes = 0

  /** The running call; undefined outside the message. */
  get last(): StepCall | undefined {
    return this.#open.at(-1)
  }

  /**
   * @param firstStep number of steps that have begun
   * @returns the call with its whole input; the stack keeps it cut when much input is open
   */
  enter(start: CallStart, firstStep: number): StepCall {
    const { input } = start
    const call = { id: this.#begun++, parent: this.last, start, inputLength: input.length, firstStep }
    const isCut = this.#inputBytes + input.length > MAX_OPEN_INPUT_BYTES && input.length > CUT_INPUT_BYTES
    const kept = isCut ? { ...call, start: { ...start, input: input.slice(0, CUT_INPUT_BYTES) } } : call
    this.#inputBytes += kept.start.input.length
    this.#open.push(kept)
    return call
  }

  /** @returns the call that has ended */
  exit(): StepCall {
    const call = this.#open.pop() as StepCall
    this.#inputBytes -= call.start.input.length
    return call
  }
}

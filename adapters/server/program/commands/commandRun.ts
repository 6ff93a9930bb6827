import type { Output } from '../output.ts'

/** The output of a command, and the signal that interrupts it. */
export interface CommandRun {
  readonly output: Output
  readonly signal: AbortSignal
}

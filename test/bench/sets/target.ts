/** The contract of the programs that execute the blocks of a set. */
import type { SetBlock } from '../../support/recorded/publicSets.ts'
import type { SetResult } from '../../support/recorded/setExecution.ts'

/** One execution of a block. */
export interface Measured {
  /** The parts of the result that the program tells. */
  readonly result: Partial<SetResult>
  readonly cpuMs: number
}

export interface Target {
  readonly name: string
  /** @returns why the target cannot run here; undefined when it can */
  start(): Promise<string | undefined>
  /** Prepares the next block. @returns why the target cannot execute it; undefined when it can */
  open(block: SetBlock): Promise<string | undefined>
  /** Executes the opened block once or, to measure small ones, more often. */
  measure(): Promise<Measured>
  stop(): Promise<void>
}

/** Selects the blocks. */
export interface Selection {
  readonly set: string
  /** The folder of the sets. */
  readonly folder: string
  readonly only: string
  /** Millions of gas; undefined: all. */
  readonly megagas: number | undefined
}

/**
 * Answers of the methods of the debugger.
 * @module
 */
import type { Hex } from '../../rpc/types.ts'

/** A mined transaction, or a call that is run again. */
export type Target = Hex | CallTarget

export interface CallTarget {
  readonly call: Readonly<Record<string, unknown>>
  readonly block?: string
  readonly stateOverrides?: unknown
  readonly blockOverrides?: unknown
}

export interface Step {
  readonly index: number
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  /** 1 for the outermost call */
  readonly depth: number
  /** Frame.id */
  readonly frame: number
  readonly refund: number
  /** Bottom first. */
  readonly stack?: readonly Hex[]
  readonly memory?: Hex
  /** In bytes; `memory` may be its beginning. */
  readonly memorySize?: number
  readonly returnData?: Hex
  /** The slot that the step reads or writes, with its value afterwards. */
  readonly storage?: Readonly<Record<string, Hex>>
  readonly error?: string
}

export interface Frame {
  readonly id: number
  readonly parent: number | null
  readonly type: string
  /** Whose storage it uses. */
  readonly address: Hex
  readonly codeAddress: Hex
  readonly caller: Hex
  readonly value: Hex
  readonly gas: number
  readonly input: Hex
  readonly inputSize: number
  readonly firstStep: number | null
  readonly lastStep: number | null
  readonly output: Hex | null
  readonly error: string | null
}

export interface StepWindow {
  readonly from: number
  readonly steps: readonly Step[]
  /** null until an answer has reached the end */
  readonly total: number | null
  readonly frames: readonly Frame[]
  readonly failed: boolean | null
}

export interface FoundStep {
  readonly index: number
  readonly pc: number
  readonly op: string
  readonly depth: number
  readonly frame: number
}

/** Conditions that must all hold. */
export interface Where {
  readonly op?: string | readonly string[]
  readonly pc?: number
  readonly address?: string
  readonly depth?: number | { readonly min?: number; readonly max?: number }
  readonly call?: true
  readonly log?: true
  readonly write?: true
  readonly failure?: true
  readonly slot?: string
  readonly topic?: string
  readonly line?: { readonly source: string; readonly line: number }
  readonly newLine?: true
  readonly maxFunctionDepth?: number
  readonly function?: string
}

export interface SourcePlace {
  /** Contract. */
  readonly name: string
  readonly path: string
  readonly line: number
  readonly column: number
  readonly length: number
}

export interface Variable {
  readonly name: string
  readonly type: string
  /** null for one that is not known, and for a mapping */
  readonly value?: unknown
  readonly text: string
  readonly known: boolean
  readonly members?: readonly Variable[]
}

export interface RunningFunction {
  readonly frame: number
  readonly contract: string
  readonly name: string
  readonly source: SourcePlace | null
  readonly args: readonly Variable[]
}

export interface LineCost {
  readonly path: string
  readonly line: number
  readonly gas: number
  readonly steps: number
}

/** The state before a step, in terms of the sources. */
export interface Moment {
  readonly step: number
  readonly frame: number
  /** Open calls and functions within them. */
  readonly depth: number
  readonly source: SourcePlace | null
  /** Innermost first. */
  readonly functions: readonly RunningFunction[]
  readonly state: readonly Variable[]
  readonly locals: readonly Variable[]
  readonly results: readonly Variable[]
  readonly lines: readonly LineCost[]
  /** By word of the stack, bottom first. */
  readonly pushedBy: readonly (number | null)[]
  readonly notes: readonly string[]
}

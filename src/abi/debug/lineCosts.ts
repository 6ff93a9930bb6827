/**
 * Gas and steps of each line of the sources so far.
 * @module
 */
import type { CallEnd, ExecutionHooks, FrameView } from '../../evm/hooks.ts'
import type { DebugCode } from './debugContract.ts'
import { placeAt } from './runningFunctions.ts'

/** Of the line's own instructions, without the calls that they make. */
export interface LineCost {
  readonly path: string
  readonly line: number
  readonly gas: number
  readonly steps: number
}

interface CodeCosts {
  readonly code: DebugCode
  /** By position. */
  readonly gas: Float64Array
  readonly steps: Uint32Array
}

const MAX_CODES = 256
const MAX_LINES = 10_000

/** A call that has not ended. */
interface OpenCosts {
  readonly gasAtStart: number
  /** undefined until the first step; `unknown` for code without a source */
  costs: CodeCosts | 'unknown' | undefined
  pc: number
  /** Before the last step; -1 when none has begun. */
  gas: number
  /** Of the calls that the last step has made. */
  gasOfCalls: number
}

export class LineCosts {
  readonly hooks: Required<Pick<ExecutionHooks, 'enter' | 'exit' | 'step'>> = {
    enter: ({ gas }) => {
      this.#open.push({ gasAtStart: gas, costs: undefined, pc: 0, gas: -1, gasOfCalls: 0 })
    },
    exit: (end) => this.#exit(end),
    step: (frame) => this.#step(frame),
  }
  readonly #codeAt: (frame: FrameView) => DebugCode | undefined
  readonly #costs = new Map<DebugCode, CodeCosts>()
  readonly #open: OpenCosts[] = []

  /** @param codeAt the code of the innermost call */
  constructor(codeAt: (frame: FrameView) => DebugCode | undefined) {
    this.#codeAt = codeAt
  }

  /** Of all steps that have ended. */
  lines(): LineCost[] {
    const lines = new Map<string, LineCost>()
    for (const costs of this.#costs.values()) this.#add(costs, lines)
    return [...lines.values()]
  }

  #step(frame: FrameView): void {
    const call = this.#open.at(-1)
    if (call === undefined) return
    endStep(call, frame.gas)
    call.costs ??= this.#costsOf(frame)
    call.pc = frame.pc
    call.gas = frame.gas
  }

  #exit({ gasUsed }: CallEnd): void {
    const call = this.#open.pop()
    if (call === undefined) return
    endStep(call, call.gasAtStart - gasUsed)
    const caller = this.#open.at(-1)
    if (caller !== undefined) caller.gasOfCalls += gasUsed
  }

  #costsOf(frame: FrameView): CodeCosts | 'unknown' {
    const code = this.#codeAt(frame)
    if (code?.map === undefined) return 'unknown'
    const known = this.#costs.get(code)
    if (known !== undefined) return known
    if (this.#costs.size >= MAX_CODES) return 'unknown'
    const { length } = frame.code
    const costs: CodeCosts = { code, gas: new Float64Array(length), steps: new Uint32Array(length) }
    this.#costs.set(code, costs)
    return costs
  }

  #add({ code, gas, steps }: CodeCosts, lines: Map<string, LineCost>): void {
    for (let pc = 0; pc < steps.length; pc++) {
      const place = steps[pc] === 0 ? undefined : placeAt(code, pc)
      if (place === undefined) continue
      const { path, line } = place
      const key = `${line}:${path}`
      const known = lines.get(key)
      if (known === undefined && lines.size >= MAX_LINES) continue
      const { gas: gasBefore = 0, steps: stepsBefore = 0 } = known ?? {}
      lines.set(key, { path, line, gas: gasBefore + (gas[pc] as number), steps: stepsBefore + (steps[pc] as number) })
    }
  }
}

/** Counts the step that has ended. @param gas that is left */
function endStep(call: OpenCosts, gas: number): void {
  const { costs, pc } = call
  if (call.gas >= 0 && costs !== undefined && costs !== 'unknown' && pc < costs.steps.length) {
    // The stipend of a call with value is a gift to the caller when it is not used.
    costs.gas[pc] = (costs.gas[pc] as number) + Math.max(0, call.gas - gas - call.gasOfCalls)
    costs.steps[pc] = (costs.steps[pc] as number) + 1
  }
  call.gas = -1
  call.gasOfCalls = 0
}

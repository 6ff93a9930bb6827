import type { CallEnd, CallStart, ExecutionHooks, FrameView } from '../../evm/hooks.ts'
import { BOUNDARY_OPCODES, LastStep } from './boundaries.ts'
import type { SearchBounds, StepCall, StepCondition, StepPosition, StepView } from './contract.ts'
import { isUncounted, NO_STEP, StepPass } from './pass.ts'

/** One for each condition; undefined: all positions. */
type Positions = readonly (Uint8Array | undefined)[]

const NEVER = -2

/**
 * A run that looks for a step. A step is judged in up to three parts: before its opcode, when it begins a call, and when
 * it ends one. It matches when all parts that the conditions ask for hold for the same step.
 */
export class StepSearch extends StepPass {
  readonly hooks: ExecutionHooks
  readonly #conditions: readonly StepCondition[]
  readonly #takesFirst: boolean
  readonly #after: number
  readonly #before: number
  /** The step that is the whole condition. */
  readonly #known: StepPosition | undefined
  readonly #last = new LastStep()
  /** The conditions whose selection of steps the EVM applies. */
  readonly #selecting: readonly StepCondition[]
  readonly #judgesSteps: boolean
  readonly #judgesBegins: boolean
  readonly #judgesEnds: boolean
  /** Whether every step of a suitable call is seen. */
  readonly #seesAll: boolean
  /** The last steps for which all conditions held before the opcode and when a call began. */
  #stepAt = NEVER
  #beginAt = NEVER
  /** The selections of the conditions in the code of the open calls, by depth; undefined before it was asked. */
  readonly #positions: (Positions | undefined)[] = []
  found: StepPosition | undefined

  constructor(conditions: readonly StepCondition[], bounds: SearchBounds) {
    // A search that needs no earlier step runs fast up to its bounds.
    super(conditions.some(({ hasHistory }) => hasHistory === true) ? 0 : bounds.after + 1)
    this.#conditions = conditions
    this.#takesFirst = bounds.takes === 'first'
    const positions = conditions.flatMap(({ position }) => position ?? [])
    this.#after = Math.max(bounds.after, ...positions.map(({ index }) => index - 1))
    this.#before = Math.min(bounds.before ?? NO_STEP, ...positions.map(({ index }) => index + 1))
    this.#known = conditions.length === 1 ? positions[0] : undefined
    this.#judgesBegins = conditions.some(({ begins }) => begins !== undefined)
    this.#judgesEnds = conditions.some(({ ends }) => ends !== undefined)
    this.#judgesSteps = !(this.#judgesBegins || this.#judgesEnds) || conditions.some(restrictsSteps)
    const followers = conditions.filter((condition) => condition.hasHistory === true && restrictsSteps(condition))
    this.#selecting = followers.length === 0 ? conditions : followers
    const hasPositions = this.#judgesSteps && this.#selecting.some(({ positions }) => positions !== undefined)
    const opcodes = this.#judgesSteps ? sharedOpcodes(this.#selecting) : new Uint8Array(256)
    this.#seesAll = followers.length > 1 || (!hasPositions && opcodes === undefined)
    this.range.from = this.#before
    this.range.to = this.#before + 1
    this.hooks = {
      range: this.range,
      opcodes: withBoundaries(hasPositions || this.#seesAll ? undefined : opcodes),
      enter: (start) => this.#enter(start),
      exit: (end) => this.#exit(end),
      step: (frame) => this.#step(frame),
      ...(hasPositions && !this.#seesAll && { positions: (_, code) => this.#selectedIn(code) }),
    }
  }

  /** Whether the result is known without a run. */
  get isDone(): boolean {
    if (this.#after + 1 >= this.#before) return true
    this.found = this.#known
    return this.#known !== undefined
  }

  #enter(start: CallStart): void {
    const caller = this.calls.last
    const call = this.enterCall(start)
    for (const condition of this.#conditions) condition.enter?.(call)
    if (this.#judgesBegins && this.#meetsStep && this.#suits(caller) && this.#begins(call)) {
      this.#beginAt = this.index
      if (!this.#judgesEnds) this.#match(this.#last.atBegin(this.index, caller))
    }
    this.#positions[start.depth] = undefined
    this.#select(call)
  }

  #exit(end: CallEnd): void {
    const call = this.calls.exit()
    for (const condition of this.#conditions) condition.exit?.(call, end)
    const own = this.index >= call.firstStep ? call : call.parent
    const isMet = this.#meetsStep && (!this.#judgesBegins || this.#beginAt === this.index)
    if (this.#judgesEnds && isMet && this.#suits(own) && this.#ends(call, end))
      this.#match(this.#last.atEnd(this.index, call, end))
    const caller = this.calls.last
    if (caller !== undefined) this.#select(caller)
  }

  #step(frame: FrameView): void {
    if (isUncounted(frame)) return
    const { index } = this
    if (index >= this.#before) this.stop()
    this.#last.see(index, frame)
    if (this.#judgesSteps) this.#judge(this.viewOf(frame))
  }

  #judge(step: StepView): void {
    const { index, frame, call } = step
    const isInBounds = index > this.#after
    const positions = this.#positionsOf(call, frame.code)
    let holds = isInBounds
    for (const [i, condition] of this.#conditions.entries()) {
      if (!holds && condition.hasHistory !== true) continue
      if (!this.#isSeen(condition, positions[i], step)) holds = false
      else if (condition.step?.(step) === false) holds = false
    }
    if (!holds) return
    this.#stepAt = index
    if (this.#judgesBegins || this.#judgesEnds) return
    this.#match({ index, pc: frame.pc, opcode: frame.opcode, depth: call.start.depth, call: call.id })
  }

  /** Whether the condition's own selection has the step. */
  #isSeen(condition: StepCondition, positions: Uint8Array | undefined, { frame, call }: StepView): boolean {
    if (condition.opcodes !== undefined && condition.opcodes[frame.opcode] === 0) return false
    if (condition.suits?.(call) === false) return false
    return positions === undefined || isSelected(positions, frame.pc)
  }

  get #isInBounds(): boolean {
    return this.index > this.#after && this.index < this.#before
  }

  /** Whether the step that has begun last held before its opcode. */
  get #meetsStep(): boolean {
    return this.#isInBounds && (!this.#judgesSteps || this.#stepAt === this.index)
  }

  /** Whether steps of the call may match; `undefined` is the caller of the message itself. */
  #suits(call: StepCall | undefined): boolean {
    return call !== undefined && this.#conditions.every((condition) => condition.suits?.(call) !== false)
  }

  #begins(call: StepCall): boolean {
    return this.#conditions.every((condition) => condition.begins?.(call) !== false)
  }

  #ends(call: StepCall, end: CallEnd): boolean {
    return this.#conditions.every((condition) => condition.ends?.(call, end) !== false)
  }

  #match(position: StepPosition | undefined): void {
    if (position === undefined) return
    this.found = position
    if (this.#takesFirst) this.stop()
  }

  /** Selects all steps while the running call suits, when nothing else selects them. */
  #select(call: StepCall): void {
    if (!this.#seesAll) return
    const suits = this.#selecting.every((condition) => condition.suits?.(call) !== false)
    const hasHistory = this.#selecting.some((condition) => condition.hasHistory === true)
    this.range.from = suits ? (hasHistory ? 0 : this.#after + 1) : this.#before
  }

  #positionsOf(call: StepCall, code: Uint8Array): Positions {
    const known = this.#positions[call.start.depth]
    if (known !== undefined) return known
    const positions = this.#conditions.map((condition) => condition.positions?.(call, code))
    this.#positions[call.start.depth] = positions
    return positions
  }

  /** The positions that the EVM selects in the code of the running call. */
  #selectedIn(code: Uint8Array): Uint8Array | undefined {
    const call = this.calls.last as StepCall
    if (this.#selecting.some((condition) => condition.suits?.(call) === false)) return undefined
    const positions = this.#positionsOf(call, code)
    const selected = this.#conditions.findIndex((condition, i) => {
      return this.#selecting.includes(condition) && positions[i] !== undefined
    })
    return selected < 0 ? allOf(code) : positions[selected]
  }
}

function allOf(code: Uint8Array): Uint8Array {
  return new Uint8Array((code.length >> 3) + 1).fill(0xff)
}

/** Whether it says more about steps than in which calls they may be. */
function restrictsSteps({ step, opcodes, positions }: StepCondition): boolean {
  return [step, opcodes, positions].some((member) => member !== undefined)
}

/** The opcodes that all conditions allow; undefined: all. */
function sharedOpcodes(conditions: readonly StepCondition[]): Uint8Array | undefined {
  let shared: Uint8Array | undefined
  for (const { opcodes } of conditions) {
    if (opcodes !== undefined) shared = shared?.map((flag, opcode) => flag & Number(opcodes[opcode])) ?? opcodes
  }
  return shared
}

function withBoundaries(opcodes: Uint8Array | undefined): Uint8Array {
  return opcodes?.map((flag, opcode) => flag | Number(BOUNDARY_OPCODES[opcode])) ?? BOUNDARY_OPCODES
}

function isSelected(positions: Uint8Array, pc: number): boolean {
  return ((Number(positions[pc >> 3] ?? 0) >> (pc & 7)) & 1) !== 0
}

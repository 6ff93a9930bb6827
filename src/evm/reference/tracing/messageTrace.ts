import { EVMError } from '@ethereumjs/evm'
import { EMPTY_BYTES } from '../../../base/primitives/bytes.ts'
import type { CallEnd, CallStart, ExecutionHooks, StepRange } from '../../hooks.ts'
import { type Ending, haltReason } from '../halts.ts'
import type { RunState } from '../preparedTypes.ts'
import type { RunControl } from '../runControl.ts'
import { addressOfWord, CALL_KINDS, refusedCall } from './callOpcodes.ts'
import { TracedFrame } from './tracedFrame.ts'

/** The properties of a call before its target is resolved. */
export type AnnouncedCall = Omit<CallStart, 'kind' | 'runs'> & { readonly isCreation: boolean }

interface OpenCall {
  readonly start: Omit<CallStart, 'runs'>
  /** undefined before the call begins */
  runs: CallStart['runs'] | undefined
  /** Set by the first step. */
  frame: TracedFrame | undefined
  /** Selected positions of its code; undefined until its first step. */
  positions: Uint8Array | undefined
  /** The output of its code; undefined until that has run without failing. */
  output: Uint8Array | undefined
}

const messages = EVMError.errorMessages
const STOP = 0x00
const LOG0 = 0xa0
const LOG4 = 0xa4
const SELFDESTRUCT = 0xff

/**
 * Reports the events of a message to hooks. The events differ from those of the native EVM only in these cases:
 *
 * | case | here | native EVM |
 * |---|---|---|
 * | an opcode lacks both stack words and gas | may run out of gas, with its cost | INSUFFICIENT_STACK_ITEMS |
 * | a precompile lacks both a valid input and gas | may be PRECOMPILE_ERROR | INSUFFICIENT_GAS |
 * | a call of a delegated account (EIP-7702) lacks gas for the account itself | the cost includes the delegation target
 * | it does not |
 * | memory in `stepEnd` of an opcode that halts | as before the opcode | may have grown |
 */
export class MessageTrace {
  readonly #hooks: ExecutionHooks
  readonly #control: RunControl
  readonly #calls: OpenCall[] = []

  constructor(hooks: ExecutionHooks, control: RunControl) {
    this.#hooks = hooks
    this.#control = control
  }

  /** Announces a call or creation: the message itself, or the request of the last frame's step. */
  announce({ isCreation, ...call }: AnnouncedCall): void {
    const parent = this.#calls.at(-1)?.frame
    const opcode = isCreation ? 'CREATE' : 'CALL'
    const kind = (parent === undefined ? undefined : CALL_KINDS.get(parent.opcode)) ?? opcode
    if (parent !== undefined) this.#endBeforeChild(parent, parent.forwarded)
    this.#calls.push({
      start: { kind, ...call },
      runs: undefined,
      frame: undefined,
      positions: undefined,
      output: undefined,
    })
  }

  /** Begins the call that was announced last. */
  begin(runs: CallStart['runs']): void {
    const call = this.#last
    call.runs = runs
    this.#hooks.enter?.({ ...call.start, runs })
  }

  /**
   * Called when the code of the last call has run. Adds the implicit STOP after the end of the code.
   * @param run undefined when it failed
   */
  async endCode(run: RunState | undefined, output: Uint8Array): Promise<void> {
    if (run === undefined) return
    this.#last.output = output
    if (this.#last.frame?.hasStopped === true) return
    const frame = await this.beginStep(run)
    this.endStep(run, frame)
  }

  /** Ends the last call. */
  end({ outcome, halt }: Ending, gasUsed: number, output: Uint8Array): void {
    const call = this.#last
    if (call.runs === undefined) this.begin('nothing')
    this.#calls.pop()
    const { depth, gas } = call.start
    const refusedCode = call.output !== undefined && call.output.length > output.length ? call.output : undefined
    const end = { depth, outcome, atDeposit: false, gasUsed, output, refusedCode }
    this.#hooks.exit?.(halt === undefined ? end : haltEnd({ ...end, halt, gasUsed: gas, output: EMPTY_BYTES }, call))
  }

  /** Whether the last call is a precompile. */
  get isPrecompile(): boolean {
    return this.#last.runs === 'precompile'
  }

  /** Begins the next step of the last call; waits while the hooks are full. */
  async beginStep(run: RunState): Promise<TracedFrame> {
    const hooks = this.#hooks
    if (hooks.isFull?.() === true) await this.#control.pause()
    const frame = this.frameOf(run)
    frame.begin()
    if (this.#count(frame)) hooks.step?.(frame)
    return frame
  }

  /** Counts a step. @returns whether it is reported */
  #count(frame: TracedFrame): boolean {
    const { opcode, pc } = frame
    const { opcodes, range } = this.#hooks
    if (range === undefined) return opcodes === undefined || opcodes[opcode] !== 0
    if (isWithoutCode(frame)) return opcodes?.[STOP] === 1
    range.count++
    if (range.count <= (range.begin ?? 0)) return false
    return isLastIn(range) || (opcodes !== undefined && opcodes[opcode] !== 0) || isPosition(this.#positions(frame), pc)
  }

  #positions({ code }: TracedFrame): Uint8Array {
    const call = this.#last
    if (call.positions !== undefined) return call.positions
    const positions = this.#hooks.positions?.({ ...call.start, runs: 'code' }, code) ?? EMPTY_BYTES
    call.positions = positions
    return positions
  }

  frameOf(run: RunState): TracedFrame {
    const call = this.#last
    call.frame ??= new TracedFrame(run)
    return call.frame
  }

  /** Called when the opcode has run and the frame continues. */
  endStep(run: RunState, frame: TracedFrame): void {
    const { opcode } = frame
    if (opcode >= LOG0 && opcode <= LOG4) this.#log(run)
    if (CALL_KINDS.has(opcode)) {
      if (frame.isOpen) this.#refuse(run, frame)
      return
    }
    frame.end()
    this.#reportStepEnd(frame, undefined)
  }

  /**
   * Called when the opcode has ended the frame.
   * @param error the EVM's message
   */
  stopStep(run: RunState, frame: TracedFrame, error: string): void {
    frame.hasStopped = true
    if (error !== messages.STOP && error !== messages.REVERT) {
      this.haltStep(frame, error.startsWith(messages.INVALID_JUMP) ? frame.cost : 0, error)
      return
    }
    frame.endLast()
    this.#reportStepEnd(frame, undefined)
    if (frame.opcode !== SELFDESTRUCT) return
    const { depth, address } = frame
    const beneficiary = addressOfWord(frame.operand(0))
    this.#hooks.selfDestruct?.({ depth, address, beneficiary, balance: run.env.contract.balance })
  }

  /**
   * Called when the opcode has made the frame halt.
   * @param error the EVM's message
   */
  haltStep(frame: TracedFrame, cost: number, error: string): void {
    frame.cost = cost
    frame.halt()
    this.#reportStepEnd(frame, haltReason(error, false))
  }

  #endBeforeChild(frame: TracedFrame, taken: number): void {
    frame.endBeforeChild(taken)
    this.#reportStepEnd(frame, undefined)
  }

  #reportStepEnd(frame: TracedFrame, halt: CallEnd['halt']): void {
    const { opcodes, range } = this.#hooks
    if (range === undefined ? opcodes !== undefined : !isLastIn(range) || isWithoutCode(frame)) return
    this.#hooks.stepEnd?.(frame, frame.cost, frame.forwarded, halt)
  }

  #refuse(run: RunState, frame: TracedFrame): void {
    this.#endBeforeChild(frame, 0)
    const { start, refusal } = refusedCall(run, frame)
    this.#hooks.enter?.(start)
    const { depth } = start
    this.#hooks.exit?.({ depth, outcome: 'refused', refusal, atDeposit: false, gasUsed: 0, output: EMPTY_BYTES })
  }

  #log({ interpreter, env }: RunState): void {
    const [address, topics, data] = interpreter._result.logs.at(-1) as (typeof interpreter._result.logs)[number]
    this.#hooks.log?.({ address, topics, data }, env.depth)
  }

  get #last(): OpenCall {
    return this.#calls.at(-1) as OpenCall
  }
}

/** Whether the step that has begun last is in the range. */
function isLastIn({ count, begin = 0, from, to }: StepRange): boolean {
  return count > from && count <= to && count > begin
}

function isPosition(positions: Uint8Array, pc: number): boolean {
  return (((positions[pc >> 3] ?? 0) >> (pc & 7)) & 1) !== 0
}

/** Whether the step is that of an empty init code. */
function isWithoutCode({ opcode, code }: TracedFrame): boolean {
  return opcode === STOP && code.length === 0
}

function haltEnd(end: CallEnd, { frame, output }: OpenCall): CallEnd {
  if (output !== undefined) return { ...end, atDeposit: true }
  const haltPlace = frame?.haltPlace
  return haltPlace === undefined ? end : { ...end, haltPlace }
}

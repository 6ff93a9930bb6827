import type { MessageResult } from '../../evm.ts'
import type { CallStart, ExecutionHooks, RefusalReason } from '../../hooks.ts'
import { reportDirectMessage } from '../../messageEvents.ts'
import {
  ANSWER_FLAGS,
  ANSWER_OUTPUT,
  ANSWER_OUTPUT_LENGTH,
  CREATE_COLLISION,
  CREATE_CREATE,
  CREATE_GO,
  CREATE_NONCE_OVERFLOW,
  END_HALT,
  END_SELFDESTRUCT,
  END_SUCCESS,
  EXIT_CALL_DIRECT,
  EXIT_CREATE,
  EXIT_ENTER,
  EXIT_FRAME_END,
  EXIT_LOG,
  EXIT_REFUSED,
  EXIT_STEP,
  FRAME_ADDRESS,
  FRAME_CODE,
  FRAME_CODE_LENGTH,
  FRAME_DEPTH,
  FRAME_FLAGS,
  FRAME_GAS,
  FRAME_IS_CREATE,
  FRAME_IS_TRACED,
  FRAME_MARKED,
  FRAME_PARENT,
  MAX_CALL_DEPTH,
  REQUEST_ADDRESS,
  REQUEST_END,
  REQUEST_GAS,
  REQUEST_HALT,
  REQUEST_KIND,
  STATE_STEPPING,
  STEP_OPCODES,
  TARGET_PRECOMPILE,
} from '../assembly/layout.ts'
import { newAddress } from '../creations.ts'
import { handleExit } from '../exits.ts'
import { haltReason } from '../halts.ts'
import type { NativeInstance } from '../instance.ts'
import type { MessageExecution, MessageRequest } from '../messageExecution.ts'
import type { DirectTarget } from '../topFrame.ts'
import {
  frameEnd,
  frameStart,
  haltEnd,
  hasRequestedValue,
  refusedEnd,
  requestedCall,
  requestedCreation,
  stipendOf,
} from './callEvents.ts'
import { newAccountCost } from './newAccountCost.ts'
import { NativeStepRange } from './stepRange.ts'
import { hasStepEnds, hasSteps, StepTrace } from './stepTrace.ts'

const OPCODES = 256

/**
 * Reports the events of a message to hooks, around the host's handling of each exit. Everything that may throw
 * `StoreMiss` precedes the first hook, so an exit that is handled again reports nothing twice.
 */
export class MessageTrace {
  readonly #hooks: ExecutionHooks
  /** Gas given to the open frames, by depth. */
  readonly #given: bigint[] = []
  #steps: StepTrace | undefined
  #range: NativeStepRange | undefined
  #isInHook = false

  constructor(hooks: ExecutionHooks) {
    this.#hooks = hooks
  }

  /** Whether a hook is running or has thrown. An error of a hook, even a `StoreMiss`, ends the message. */
  get isInHook(): boolean {
    return this.#isInHook
  }

  /** Whether the hooks cannot take further output until they are drained. */
  get isFull(): boolean {
    return this.#hooks.isFull?.() === true
  }

  /** Reports a completed message that needed no module. */
  direct({ message, state }: MessageRequest, target: DirectTarget, result: MessageResult): void {
    this.#isInHook = true
    reportDirectMessage(this.#hooks, message, state, target.kind === 'precompile' ? 'precompile' : 'nothing', result)
    this.#isInHook = false
  }

  /** Reports the first frame. */
  begin({ instance }: MessageExecution, { message }: MessageRequest): void {
    const hooks = this.#hooks
    const flags = instance.frame + FRAME_FLAGS
    if (seesFrames(hooks)) instance.setU32(flags, instance.u32(flags) | FRAME_IS_TRACED)
    if (hasSteps(hooks)) {
      if (hooks.opcodes !== undefined) instance.write(STEP_OPCODES, hooks.opcodes)
      else instance.bytes.fill(hooks.range === undefined ? 1 : 0, STEP_OPCODES, STEP_OPCODES + OPCODES)
      instance.setU32(STATE_STEPPING, 1)
      this.#range = hooks.range && new NativeStepRange(instance, hooks.range)
      this.#steps = new StepTrace(instance, hooks)
    }
    this.#range?.read()
    this.#isInHook = true
    const start = { ...frameStart(instance), gas: Number(message.gas) }
    this.#begin(instance, instance.i64(instance.frame + FRAME_GAS), start)
    this.#isInHook = false
    this.#range?.write()
  }

  /** Handles an exit like the function `handleExit`, and reports it. */
  handleExit(execution: MessageExecution, exit: number): void {
    this.#range?.read()
    this.#handleExit(execution, exit)
    this.#isInHook = false
    this.#range?.write()
  }

  #handleExit(execution: MessageExecution, exit: number): void {
    switch (exit) {
      case EXIT_STEP:
        this.#isInHook = true
        this.#steps?.begin()
        break
      case EXIT_ENTER:
        this.#enter(execution)
        break
      case EXIT_FRAME_END:
        this.#endFrame(execution)
        break
      case EXIT_CALL_DIRECT:
        this.#callDirect(execution)
        break
      case EXIT_CREATE:
        this.#create(execution)
        break
      case EXIT_REFUSED:
        this.#refuse(execution)
        break
      case EXIT_LOG:
        this.#log(execution)
        break
      default:
        handleExit(execution, exit)
        if (this.#steps !== undefined) this.#steps.wasAsked = true
    }
  }

  #begin(instance: NativeInstance, given: bigint, start: CallStart): void {
    this.#given[start.depth] = given
    this.#hooks.enter?.(start)
    if (this.#range === undefined || this.#hooks.positions === undefined) return
    const { frame } = instance
    const code = instance.view(instance.u32(frame + FRAME_CODE), instance.u32(frame + FRAME_CODE_LENGTH))
    const positions = this.#hooks.positions(start, code)
    if (positions !== undefined) this.#range.select(positions)
  }

  /** A frame without value that is not a creation exits only for the trace; the host has nothing else to do. */
  #enter(execution: MessageExecution): void {
    const { instance } = execution
    if (isCreation(instance.u32(REQUEST_KIND)) || hasRequestedValue(instance)) handleExit(execution, EXIT_ENTER)
    const { frame } = instance
    const frameGas = instance.i64(frame + FRAME_GAS)
    const forwarded = Number(frameGas) - stipendOf(instance)
    this.#isInHook = true
    this.#steps?.endBeforeChild(instance.u32(frame + FRAME_PARENT), forwarded, forwarded)
    this.#begin(instance, frameGas, frameStart(instance))
  }

  #endFrame(execution: MessageExecution): void {
    const { instance, state } = execution
    const { frame } = instance
    const end = instance.u32(REQUEST_END)
    const destroyed = end === END_SELFDESTRUCT ? instance.address(frame + FRAME_ADDRESS) : undefined
    const balance = destroyed === undefined ? 0n : (state.getAccount(destroyed)?.balance ?? 0n)
    const cost = this.#lastCost(execution)
    const isCreated = end === END_SUCCESS && (instance.u32(frame + FRAME_FLAGS) & FRAME_IS_CREATE) !== 0
    const returned = isCreated ? instance.u32(ANSWER_OUTPUT_LENGTH) : 0
    if (instance.u32(frame + FRAME_MARKED) !== 0) handleExit(execution, EXIT_FRAME_END)
    const depth = instance.u32(frame + FRAME_DEPTH)
    this.#isInHook = true
    this.#steps?.endLast(cost, end === END_HALT ? haltReason(instance.u32(REQUEST_HALT)) : undefined)
    if (destroyed !== undefined) {
      const beneficiary = instance.address(REQUEST_ADDRESS)
      this.#hooks.selfDestruct?.({ depth, address: destroyed, beneficiary, balance })
    }
    const atDeposit = end === END_SUCCESS && instance.u32(REQUEST_END) === END_HALT
    const given = this.#given[depth] as bigint
    const isRefused = atDeposit || instance.u32(ANSWER_OUTPUT_LENGTH) < returned
    const refusedCode = isRefused ? instance.copy(instance.u32(ANSWER_OUTPUT), returned) : undefined
    this.#hooks.exit?.({ ...frameEnd(instance, given, atDeposit), refusedCode })
  }

  #lastCost(execution: MessageExecution): number {
    if (this.#steps === undefined) return 0
    const cost = this.#steps.lastCost()
    const { unpaidOpcode } = this.#steps
    if (unpaidOpcode === undefined) return cost
    return Math.min(cost + newAccountCost(execution, unpaidOpcode), Number.MAX_SAFE_INTEGER)
  }

  #callDirect(execution: MessageExecution): void {
    const { instance, precompiles } = execution
    const isPrecompile = (instance.u32(ANSWER_FLAGS) & TARGET_PRECOMPILE) !== 0
    const start = requestedCall(instance, isPrecompile ? 'precompile' : 'nothing')
    handleExit(execution, EXIT_CALL_DIRECT)
    const forwarded = start.gas - stipendOf(instance)
    this.#isInHook = true
    this.#steps?.endBeforeChild(instance.frame, forwarded, forwarded)
    const { depth, gas, target, input } = start
    this.#hooks.enter?.(start)
    if (instance.u32(ANSWER_FLAGS) === 0) {
      const isUnpaid = (precompiles(target)?.gasCost(input) ?? 0n) > BigInt(gas)
      this.#hooks.exit?.(haltEnd(depth, isUnpaid ? 'INSUFFICIENT_GAS' : 'PRECOMPILE_ERROR', gas))
      return
    }
    const output = instance.copy(instance.u32(ANSWER_OUTPUT), instance.u32(ANSWER_OUTPUT_LENGTH))
    const gasUsed = gas - Number(instance.i64(REQUEST_GAS))
    this.#hooks.exit?.({ depth, outcome: 'success', atDeposit: false, gasUsed, output })
  }

  /** Reports only creations that get no frame. */
  #create(execution: MessageExecution): void {
    const { instance, state } = execution
    const creator = instance.address(instance.frame + FRAME_ADDRESS)
    const { nonce = 0n } = state.getAccount(creator) ?? {}
    handleExit(execution, EXIT_CREATE)
    const answer = instance.u32(ANSWER_FLAGS)
    if (answer === CREATE_GO) return
    const start = requestedCreation(instance, newAddress(execution, creator, nonce))
    if (answer !== CREATE_COLLISION) {
      this.#refused(execution, start, answer === CREATE_NONCE_OVERFLOW ? 'NONCE_OVERFLOW' : 'INSUFFICIENT_BALANCE')
      return
    }
    const { frame } = instance
    this.#isInHook = true
    this.#steps?.endBeforeChild(frame, 0, start.gas, Number(instance.i64(frame + FRAME_GAS)) - start.gas)
    this.#hooks.enter?.(start)
    this.#hooks.exit?.(haltEnd(start.depth, 'ADDRESS_COLLISION', start.gas))
  }

  #refuse(execution: MessageExecution): void {
    const { instance } = execution
    const isTooDeep = instance.u32(instance.frame + FRAME_DEPTH) >= MAX_CALL_DEPTH
    const start = isCreation(instance.u32(REQUEST_KIND))
      ? this.#deepCreation(execution)
      : requestedCall(instance, 'nothing')
    this.#refused(execution, start, isTooDeep ? 'DEPTH' : 'INSUFFICIENT_BALANCE')
  }

  #deepCreation(execution: MessageExecution): CallStart {
    const { instance, state } = execution
    const creator = instance.address(instance.frame + FRAME_ADDRESS)
    return requestedCreation(instance, newAddress(execution, creator, state.getAccount(creator)?.nonce ?? 0n))
  }

  #refused({ instance }: MessageExecution, start: CallStart, refusal: RefusalReason): void {
    this.#isInHook = true
    this.#steps?.endBeforeChild(instance.frame, 0, start.gas - stipendOf(instance))
    this.#hooks.enter?.(start)
    this.#hooks.exit?.(refusedEnd(start.depth, refusal))
  }

  #log(execution: MessageExecution): void {
    const { instance, effects } = execution
    handleExit(execution, EXIT_LOG)
    const log = effects.logs.at(-1)
    this.#isInHook = true
    if (log !== undefined) this.#hooks.log?.(log, instance.u32(instance.frame + FRAME_DEPTH))
  }
}

function isCreation(kind: number): boolean {
  return kind >= CREATE_CREATE
}

/** Whether the module must also exit for frames that it could enter and leave by itself. */
function seesFrames(hooks: ExecutionHooks): boolean {
  return [hooks.enter, hooks.exit, hooks.positions].some((hook) => hook !== undefined) || hasStepEnds(hooks)
}

/**
 * A tracer whose functions are JavaScript of the client. They run in a sandbox over batches of recorded steps; a tracer
 * that needs the state at the moment of a step is called for each step.
 * @module
 */

import { JS_TRACER_MEMORY_BYTES, MAX_JS_TRACER_RESULT } from '../../base/limits/limits.ts'
import type { ScriptMachine, ScriptSandbox } from '../../base/ports/scriptSandbox.ts'
import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import type { JsonWriter } from '../../base/primitives/jsonWriter.ts'
import type { HaltReason } from '../../evm/haltReason.ts'
import type { CallEnd, CallStart, ExecutionHooks, FrameView, SelfDestructEvent } from '../../evm/hooks.ts'
import { type PrecompileName, precompileAt } from '../../evm/precompiles/index.ts'
import type { TraceBegin, TraceEnd, Tracer } from '../contract.ts'
import { EXECUTION_REVERTED, errorText, UNPAID_CODE } from '../geth/errorText.ts'
import { precompileFault } from '../geth/precompileFault.ts'
import { authorizationRefund } from '../structLog/authorizationRefund.ts'
import { gethConstantGas, gethHaltCost, gethHaltText, initCodeSizeOf } from '../structLog/gethHalts.ts'
import { isCall, isCreate } from '../structLog/opcodes.ts'
import { Answers } from './answers.ts'
import { Batch, callRecord, type RecordedParts } from './batch.ts'
import { resultContext } from './context.ts'
import { tracerFailed } from './errors.ts'
import { LiveState } from './liveState.ts'
import { BATCH_BYTES, HAS_STEP, SHARED_BYTES } from './program/layout.ts'
import { TRACER_PROGRAM } from './program/program.ts'
import { type Recording, TraceRestart } from './recording.ts'

export interface JsTracerOptions {
  readonly machine: ScriptMachine
  readonly code: string
  /** JSON for `setup`. */
  readonly config: string
  /** Time limit of the tracer, milliseconds; undefined: none beside that of each call. */
  readonly timeoutMs: number | undefined
  /** Time limit of each call of the tracer, milliseconds. */
  readonly callMs: number
  readonly recording: Recording
  /** Whether the result is an element of a list, which names the error of each transaction. */
  readonly isInList: boolean
}

interface OpenCall {
  readonly address: Uint8Array
  readonly input: Uint8Array
  readonly precompile: PrecompileName | undefined
}

/** The first batch is small, because a tracer often shows at once that it needs more. */
const FIRST_BATCH = 64
const STOP = 0x00
const SSTORE = 0x55
const REVERT = 0xfd
const REENTRANCY_GUARD_EIP = 2200
const encoder = new TextEncoder()
const NO_PARTS: RecordedParts = { words: 0, memorySize: true, memory: undefined }
const NOTHING: Uint8Array = new Uint8Array(20)

/** Opcodes that write memory, not counting calls, whose output arrives after the call. */
const WRITES_MEMORY: Uint8Array = new Uint8Array(256)
for (const opcode of [0x37, 0x39, 0x3c, 0x3e, 0x52, 0x53, 0x5e]) WRITES_MEMORY[opcode] = 1

export class JsTracer implements Tracer {
  readonly #options: JsTracerOptions
  readonly #out: JsonWriter
  readonly #batch = new Batch()
  readonly #open: OpenCall[] = []
  #context: TraceBegin | undefined
  #parts: RecordedParts = NO_PARTS
  #sandbox: ScriptSandbox | undefined
  #live: LiveState | undefined
  #hooks: ExecutionHooks | undefined
  /** Why the tracer was stopped; the transaction runs on for those that follow. */
  #failure: string | undefined
  #root: { readonly start: CallStart; end?: CallEnd; error?: string | undefined } | undefined
  #guardsReentrancy = false
  #constantGas: Uint16Array = new Uint16Array(0)
  /** Refund counter before the first opcode (EIP-7702). */
  #refund = 0
  #isFirstBatch = true
  #isOver = false
  #isSkipped = false
  #opcode = 0
  #gas = 0
  #stackSize = 0
  #initCodeSize = 0
  #storeGas = 0
  /** Memory before the step, in a trace without batches. */
  #memory: Uint8Array = EMPTY_BYTES
  #usesMemory = false
  /** A creation whose step waits for the address of the new contract. */
  #isCreating = false

  constructor(out: JsonWriter, options: JsTracerOptions) {
    this.#out = out
    this.#options = options
  }

  get hooks(): ExecutionHooks | undefined {
    return this.#hooks
  }

  begin(context: TraceBegin): void {
    const { machine, code, config, timeoutMs, callMs, recording } = this.#options
    const { rules } = context
    this.#context = context
    this.#parts = recording.parts
    this.#guardsReentrancy = rules.eips.has(REENTRANCY_GUARD_EIP)
    this.#constantGas = gethConstantGas(rules)
    if (recording.isLive) this.#live = new LiveState(context.now)
    const answers = new Answers({
      context,
      batch: this.#batch,
      memory: () => {
        this.#usesMemory = true
        return this.#memory
      },
      live: () => (this.#isOver ? undefined : this.#live),
    })
    this.#sandbox = machine.sandbox({
      program: TRACER_PROGRAM,
      sharedBytes: SHARED_BYTES,
      ask: (question, shared) => answers.answer(question, shared),
      limits: { memoryBytes: JS_TRACER_MEMORY_BYTES, callMs, totalMs: timeoutMs },
    })
    const flags = this.#sandbox.call('load', JSON.stringify({ code, config, live: recording.isLive }))
    if (typeof flags === 'number') {
      this.#batch.begin(this.#sandbox.shared)
      this.#hooks = this.#hooksFor((flags & HAS_STEP) !== 0)
    } else this.#fail(String(flags))
  }

  end(outcome: TraceEnd): void {
    const out = this.#out
    const text = this.#failure === undefined ? this.#result(outcome) : undefined
    this.#sandbox?.close()
    const { isInList } = this.#options
    if (text !== undefined) {
      if (isInList) out.ascii(',"result":')
      out.raw(encoder.encode(text))
    } else out.raw(encoder.encode(`,"error":${JSON.stringify(this.#failure)}`))
  }

  #result(outcome: TraceEnd): string | undefined {
    const root = this.#root
    if (root === undefined) throw new TypeError('a transaction was traced that made no call')
    this.#flush()
    if (this.#failure !== undefined) return undefined
    this.#isOver = true
    const ctx = resultContext(
      this.#context as TraceBegin,
      outcome,
      root.start,
      root.error,
      root.end && outputOf(root.end),
    )
    const answer = this.#sandbox?.call('result', JSON.stringify({ ...ctx, maximum: MAX_JS_TRACER_RESULT }))
    if (typeof answer === 'number') {
      this.#miss(answer)
      return undefined
    }
    const text = String(answer)
    if (text.startsWith('=')) return text.slice(1)
    this.#fail(text.slice(1))
    return undefined
  }

  #hooksFor(hasStep: boolean): ExecutionHooks {
    return {
      enter: (call) => this.#enter(call),
      exit: (end) => this.#exit(end, hasStep),
      selfDestruct: (event) => this.#selfDestruct(event),
      ...(hasStep && {
        step: (frame) => this.#step(frame),
        stepEnd: (frame, cost, forwarded, halt) => this.#stepEnd(frame, cost, forwarded, halt),
      }),
    }
  }

  #step(frame: FrameView): void {
    const { opcode } = frame
    // An empty init code produces no step.
    this.#isSkipped = this.#failure !== undefined || (opcode === STOP && frame.code.length === 0)
    if (this.#isSkipped) return
    const parts = this.#parts
    const data = Batch.stepData(frame, parts)
    if (data > BATCH_BYTES / 2) {
      this.#options.recording.goLive()
      this.#restart()
    }
    if (!this.#batch.hasRoom(data)) this.#flush()
    this.#batch.beginStep(frame, parts)
    this.#opcode = opcode
    this.#gas = frame.gas
    this.#stackSize = frame.stackSize
    if (opcode === SSTORE) this.#storeGas = frame.gas
    else if (isCreate(opcode)) this.#initCodeSize = initCodeSizeOf(frame.stack, frame.stackSize)
    if (this.#live === undefined) return
    this.#live.beginStep(frame)
    const isKept = this.#usesMemory || WRITES_MEMORY[opcode] !== 0
    this.#memory = isKept ? frame.memory.slice() : frame.memory
  }

  #stepEnd(frame: FrameView, cost: number, forwarded: number, halt: HaltReason | undefined): void {
    if (this.#isSkipped) return
    const opcode = this.#opcode
    const before = halt === undefined ? undefined : this.#haltText(halt)
    const error =
      before ?? (halt === undefined ? (opcode === REVERT ? EXECUTION_REVERTED : undefined) : this.#faultText(halt))
    this.#batch.endStep({
      cost: halt !== undefined ? this.#haltCost(halt, cost) : isCall(opcode) ? cost + forwarded : cost,
      refund: this.#refund + frame.refund,
      error,
      isAfterStep: before === undefined,
    })
    if (this.#live !== undefined) {
      // The memory may have grown or moved, but its beginning is the same.
      if (!this.#usesMemory && WRITES_MEMORY[opcode] === 0) this.#memory = frame.memory.subarray(0, this.#memory.length)
      if (isCreate(opcode) && halt === undefined) this.#isCreating = true
      else this.#runStep(halt === undefined)
    } else if (this.#isFirstBatch && this.#batch.count >= FIRST_BATCH) this.#flush()
  }

  /** Traces the step that has been recorded, in a trace without batches. */
  #runStep(isDone: boolean): void {
    this.#flush()
    this.#live?.endStep(isDone)
    this.#isCreating = false
  }

  #enter(call: CallStart): void {
    const { depth, address, input, kind } = call
    if (depth === 0) this.#begin(call)
    if (this.#isCreating) {
      this.#live?.create(call)
      this.#runStep(true)
    }
    const isCreation = kind === 'CREATE' || kind === 'CREATE2'
    const from = this.#open.at(-1)?.address ?? call.caller
    const rules = (this.#context as TraceBegin).rules
    const isDelegated = kind === 'CALLCODE' || kind === 'DELEGATECALL'
    this.#open.push({
      address: isDelegated ? from : address,
      input,
      precompile: isCreation ? undefined : precompileAt(call.target, rules)?.name,
    })
    this.#live?.enter(call)
    if (this.#failure !== undefined) return
    if (!this.#batch.hasRoom(input.length)) this.#flush()
    this.#batch.enter(callRecord(call, from))
    this.#flushIfDue()
  }

  #begin(call: CallStart): void {
    this.#root = { start: call }
    const { transaction, before, now } = this.#context as TraceBegin
    if (transaction.authorities !== undefined) this.#refund = authorizationRefund(transaction, before, now)
  }

  #exit(end: CallEnd, hasStep: boolean): void {
    const frame = this.#open.pop() as OpenCall
    const error = this.#errorOf(frame, end)
    this.#live?.exit(end.outcome !== 'success')
    if (end.depth === 0 && this.#root !== undefined) this.#root = { start: this.#root.start, end, error }
    if (this.#failure !== undefined) return
    if (!hasStep) this.#faultWithoutStep(end)
    const output = outputOf(end)
    if (!this.#batch.hasRoom(output.length)) this.#flush()
    this.#batch.exit({ depth: end.depth, gasUsed: end.gasUsed, output }, error)
    this.#flushIfDue()
  }

  #selfDestruct({ depth, address, beneficiary, balance }: SelfDestructEvent): void {
    if (this.#failure !== undefined) return
    if (!this.#batch.hasRoom(0)) this.#flush()
    const ends = { depth: depth + 1, gas: 0, address, from: address, caller: address, to: beneficiary, value: balance }
    this.#batch.enter({ type: 'SELFDESTRUCT', ...ends, hasValue: true, input: EMPTY_BYTES })
    this.#flushIfDue()
    if (!this.#batch.hasRoom(0)) this.#flush()
    this.#batch.exit({ depth: depth + 1, gasUsed: 0, output: EMPTY_BYTES }, undefined)
    this.#flushIfDue()
  }

  /** go-ethereum's `log` is empty in the `fault` of a tracer that sees no steps. */
  #faultWithoutStep({ outcome, halt, haltPlace, atDeposit }: CallEnd): void {
    const isFault =
      outcome === 'revert' ||
      (halt !== undefined && haltPlace !== undefined && !atDeposit && this.#haltText(halt) === undefined)
    if (!isFault) return
    if (haltPlace !== undefined) this.#opcode = haltPlace.opcode
    if (!this.#batch.hasRoom(0)) this.#flush()
    this.#batch.beginStep(EMPTY_FRAME, NO_PARTS)
    const error = halt === undefined ? EXECUTION_REVERTED : this.#faultText(halt)
    this.#batch.endStep({ cost: 0, refund: 0, error, isAfterStep: true })
  }

  #errorOf({ precompile, input }: OpenCall, end: CallEnd): string | undefined {
    if (end.halt === 'PRECOMPILE_ERROR') return precompileFault(precompile, input)
    // Before Homestead, a creation succeeds without code that it cannot pay for.
    if (end.outcome === 'success' && end.refusedCode !== undefined) return UNPAID_CODE
    const last = { storeGas: this.#storeGas, initCodeSize: this.#initCodeSize }
    return errorText({ ...last, guardsReentrancy: this.#guardsReentrancy }, end)
  }

  /** Error of an opcode that could not begin. */
  #haltText(halt: HaltReason): string | undefined {
    const step = { opcode: this.#opcode, gas: this.#gas, stackSize: this.#stackSize, initCodeSize: this.#initCodeSize }
    return gethHaltText(halt, step, this.#guardsReentrancy)
  }

  /** Error of an opcode that failed while it ran. */
  #faultText(halt: HaltReason): string | undefined {
    const haltPlace = { pc: 0, opcode: this.#opcode, stackSize: this.#stackSize }
    const call = { storeGas: this.#gas, initCodeSize: this.#initCodeSize, guardsReentrancy: this.#guardsReentrancy }
    return errorText(call, {
      depth: 0,
      outcome: 'halt',
      halt,
      haltPlace,
      atDeposit: false,
      gasUsed: 0,
      output: EMPTY_BYTES,
    })
  }

  #haltCost(halt: HaltReason, cost: number): number {
    const step = { opcode: this.#opcode, gas: this.#gas }
    return gethHaltCost(halt, step, cost, this.#constantGas, this.#guardsReentrancy)
  }

  /** Data that were too long for the batch are kept only until the next record. */
  #flushIfDue(): void {
    if (this.#live !== undefined || this.#batch.longData !== undefined) this.#flush()
  }

  #flush(): void {
    const sandbox = this.#sandbox
    if (sandbox === undefined || this.#failure !== undefined || this.#batch.count === 0) return
    this.#isFirstBatch = false
    const answer = sandbox.call('run', this.#batch.end)
    this.#batch.begin(sandbox.shared)
    if (answer === 0) return
    if (typeof answer === 'number') this.#miss(answer)
    else this.#fail(String(answer))
  }

  /** A trace without batches has all that a tracer may read, and running it again would not help. */
  #miss(part: number): void {
    const { recording } = this.#options
    if (recording.isLive) {
      this.#fail('the tracer read data of a step that are gone, or changed them')
      return
    }
    recording.learn(part)
    this.#restart()
  }

  #restart(): never {
    this.#sandbox?.close()
    throw new TraceRestart()
  }

  #fail(reason: string): void {
    if (!this.#options.isInList) {
      this.#sandbox?.close()
      throw tracerFailed(reason)
    }
    this.#failure = reason
  }
}

/** go-ethereum shows the code even when it is refused. */
function outputOf({ output, refusedCode = output }: CallEnd): Uint8Array {
  return refusedCode
}

const EMPTY_FRAME: FrameView = {
  depth: -1,
  pc: 0,
  opcode: 0,
  gas: 0,
  refund: 0,
  address: NOTHING,
  target: NOTHING,
  code: EMPTY_BYTES,
  stackSize: 0,
  stack: EMPTY_BYTES,
  memory: EMPTY_BYTES,
  returnData: EMPTY_BYTES,
}

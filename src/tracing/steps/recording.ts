import { MAX_CALL_DATA_BYTES, MAX_CALLS_DATA_BYTES, MAX_STEPS_BYTES } from '../../base/limits/limits.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import type { HaltReason } from '../../evm/haltReason.ts'
import type { CallEnd, CallStart, ExecutionHooks, FrameView } from '../../evm/hooks.ts'
import { errorText } from '../geth/errorText.ts'
import type { RunSummary, StepCall } from './contract.ts'
import type { StepExecution } from './execution.ts'
import { isUncounted, StepPass } from './pass.ts'
import { StepTexts, type WindowStep } from './stepTexts.ts'

export interface WindowRequest {
  /** Index of the first step. */
  readonly from: number
  readonly count: number
  readonly showsStack: boolean
  /** Memory and return data. */
  readonly showsMemory: boolean
  readonly showsStorage: boolean
}

/** A call or creation with the parts that are known at the end of a window. */
export interface WindowFrame {
  readonly id: number
  readonly parent: number | undefined
  readonly start: CallStart
  /** May be the beginning only, in hex. */
  readonly input: string
  readonly inputLength: number
  readonly firstStep: number
  /** undefined until the call has ended, and for one that ran no code */
  lastStep: number | undefined
  /** May be the beginning only; undefined until the call has ended. */
  output: string | undefined
  error: string | undefined
}

export interface StepWindow {
  readonly from: number
  readonly steps: readonly WindowStep[]
  /** The calls of the steps, those on the way to them, and those that the steps begin. By id. */
  readonly frames: readonly WindowFrame[]
  /** Number of steps of the execution; undefined when its end is not known. */
  readonly total: number | undefined
  readonly isFailed: boolean | undefined
}

/** Size of a frame without its data, as JSON (estimate). */
const FRAME_BYTES = 512
const SELECTOR_BYTES = 4
const NO_DETAILS = { storeGas: Number.POSITIVE_INFINITY, initCodeSize: 0, guardsReentrancy: false }

/** A run that records consecutive steps. */
class RecordingPass extends StepPass {
  readonly #frames = new Map<number, WindowFrame>()
  readonly #steps: WindowStep[] = []
  readonly #end: number
  readonly #request: WindowRequest
  #texts: StepTexts | undefined
  #bytes = 0
  #dataBytes = 0
  readonly hooks: ExecutionHooks = {
    range: this.range,
    enter: (start) => this.#enter(start),
    exit: (end) => this.#exit(end),
    step: (frame) => this.#step(frame),
    stepEnd: (frame, cost, forwarded, halt) => this.#stepEnd(frame, cost, forwarded, halt),
  }

  constructor(request: WindowRequest) {
    super()
    this.#request = request
    this.#end = request.from + request.count
    this.range.from = request.from
    // The step after the last one ends the run.
    this.range.to = this.#end + 1
  }

  recorded(summary: RunSummary | undefined): StepWindow {
    const isEnded = this.outcome !== undefined
    return {
      from: this.#request.from,
      steps: this.#steps,
      frames: [...this.#frames.values()].sort((a, b) => a.id - b.id),
      total: isEnded ? this.range.count : summary?.total,
      isFailed: isEnded ? this.outcome?.result.outcome !== 'success' : summary?.isFailed,
    }
  }

  #enter(start: CallStart): void {
    const call = this.enterCall(start)
    if (start.depth === 0) this.#texts = new StepTexts(this.#request, this.context)
    if (this.index >= this.#request.from) this.#addFrame(call)
  }

  #exit(end: CallEnd): void {
    const call = this.calls.exit()
    const frame = this.#frames.get(call.id)
    if (frame === undefined) return
    if (this.index >= call.firstStep) frame.lastStep = this.index
    frame.output = this.#data(end.output)
    frame.error = errorText(NO_DETAILS, end)
  }

  #step(frame: FrameView): void {
    if (isUncounted(frame)) return
    if (this.index >= this.#end) this.stop()
    const step = (this.#texts as StepTexts).begin(this.viewOf(frame))
    for (let call = this.calls.last; call !== undefined && !this.#frames.has(call.id); call = call.parent)
      this.#addFrame(call)
    if (this.#bytes + step.bytes > MAX_STEPS_BYTES && this.#steps.length > 0) this.stop()
    this.#bytes += step.bytes
    this.#steps.push(step)
  }

  #stepEnd(frame: FrameView, cost: number, forwarded: number, halt: HaltReason | undefined): void {
    const step = this.#steps.at(-1)
    if (step?.index === this.index || step?.index === this.index - 1)
      this.#texts?.end(step, frame, cost, forwarded, halt)
  }

  #addFrame(call: StepCall): void {
    const { id, parent, start, inputLength, firstStep } = call
    const input = this.#data(start.input)
    this.#bytes += FRAME_BYTES
    this.#frames.set(id, {
      id,
      parent: parent?.id,
      start,
      input,
      inputLength,
      firstStep,
      lastStep: undefined,
      output: undefined,
      error: undefined,
    })
  }

  #data(bytes: Uint8Array): string {
    const left = Math.max(MAX_CALLS_DATA_BYTES - this.#dataBytes, SELECTOR_BYTES)
    const shown = bytes.subarray(0, Math.min(left, MAX_CALL_DATA_BYTES))
    this.#dataBytes += shown.length
    this.#bytes += 2 * shown.length
    return bytesToHex(shown)
  }
}

export async function recordedSteps(
  execute: StepExecution,
  request: WindowRequest,
  summary: RunSummary | undefined,
): Promise<StepWindow> {
  const pass = new RecordingPass(request)
  await pass.run(execute)
  return pass.recorded(summary)
}

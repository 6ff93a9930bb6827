/**
 * Every step of a transaction, nested by frame and written while it runs.
 *
 * For a step that starts another frame, the text has `sub` before `cost` and `ex`: these are known only after that
 * frame, and buffering its text would take unbounded memory. The order of members has no meaning in JSON.
 * @see docs/reference/debug-and-trace.md section 8
 * @module
 */

import { EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'
import type { JsonWriter } from '../../base/primitives/jsonWriter.ts'
import type { HaltReason } from '../../evm/haltReason.ts'
import type { CallEnd, CallStart, ExecutionHooks, FrameView } from '../../evm/hooks.ts'
import { isCreation } from './flatTrace.ts'
import { MEMORY_OPERANDS, PRODUCED, RETURN, SSTORE, STOP, startsFrame } from './vmOpcodes.ts'
import { type PushedItems, VmStepWriter, type WrittenMemory } from './vmStepText.ts'

const WORD_BYTES = 32

/** One call depth with its current step; reused for each frame at that depth. */
class Level {
  start: CallStart | undefined
  /** Whether a step of the frame was seen, so that its object has begun. */
  isOpen = false
  steps = 0
  /** Whether the step is not yet written: it has started another frame, or it returns code that may be rejected. */
  isWaiting = false
  opcode = 0
  pc = 0
  /** Gas before the step. */
  gas = 0
  cost = 0
  memoryOffset = 0
  memoryLength = 0
}

/** Writes one JSON object, from the first hook to {@link finish}. */
export class VmTrace {
  readonly hooks: ExecutionHooks
  readonly #text: VmStepWriter
  readonly #levels: Level[] = []
  readonly #writeNull: () => void
  readonly #markerTarget: Uint8Array | undefined
  /** Key and value of an SSTORE, little-endian. */
  readonly #entry = new Uint8Array(2 * WORD_BYTES)

  /** @param markerTarget 20 bytes; a call to it costs as one to a precompile that takes no gas */
  constructor(out: JsonWriter, markerTarget?: Uint8Array) {
    this.#markerTarget = markerTarget
    this.#text = new VmStepWriter(out)
    this.#writeNull = () => out.ascii('null')
    this.hooks = {
      enter: (call) => this.#enter(call),
      exit: (end) => this.#exit(end),
      step: (frame) => this.#step(frame),
      stepEnd: (frame, cost, _forwarded, halt) => this.#stepEnd(frame, cost, halt),
      isFull: () => out.isFull,
      drained: () => out.drained(),
    }
  }

  /** Must be called after the end of the message. */
  finish(): void {
    const level = this.#level(0)
    if (!level.isOpen) this.#emptyFrame(level.start)
  }

  #level(depth: number): Level {
    const openLevel = this.#levels[depth]
    if (openLevel !== undefined) return openLevel
    const level = new Level()
    this.#levels[depth] = level
    return level
  }

  #enter(start: CallStart): void {
    const level = this.#level(start.depth)
    level.start = start
    level.isOpen = false
    level.isWaiting = false
    level.steps = 0
  }

  #step(frame: FrameView): void {
    const level = this.#level(frame.depth)
    if (!level.isOpen) {
      level.isOpen = true
      this.#text.openFrame(frame.code)
    } else if (level.isWaiting) this.#resume(level, frame)
    const { opcode } = frame
    level.opcode = opcode
    level.pc = frame.pc
    level.gas = frame.gas
    level.steps++
    const memory = MEMORY_OPERANDS[opcode]
    if (memory !== undefined) {
      level.memoryOffset = operand(frame, memory.offset)
      level.memoryLength = typeof memory.length === 'number' ? memory.length : operand(frame, memory.length.operand)
    } else {
      level.memoryLength = 0
      if (opcode === SSTORE) this.#noteEntry(frame)
    }
  }

  #noteEntry({ stack, stackSize }: FrameView): void {
    if (stackSize < 2) return
    const top = stackSize * WORD_BYTES
    this.#entry.set(stack.subarray(top - WORD_BYTES, top))
    this.#entry.set(stack.subarray(top - 2 * WORD_BYTES, top - WORD_BYTES), WORD_BYTES)
  }

  #stepEnd(frame: FrameView, cost: number, halt: HaltReason | undefined): void {
    const level = this.#level(frame.depth)
    const { opcode, pc, gas } = level
    level.cost = cost
    if (halt !== undefined) this.#halted(level, frame, halt)
    else if (startsFrame(opcode)) {
      level.isWaiting = true
      this.#text.beginCall(pc)
    } else if (opcode === SSTORE) this.#text.storeStep(pc, cost, gas - cost, this.#entry)
    else if (opcode === RETURN && level.start !== undefined && isCreation(level.start)) level.isWaiting = true
    else if (opcode !== STOP || isShownStop(level, frame)) {
      this.#text.step(pc, cost, gas - cost, produced(frame, opcode), written(level, frame))
    }
  }

  /** Omits steps that halt their frame, except those that ran out of gas or jumped to an invalid destination. */
  #halted(level: Level, frame: FrameView, halt: HaltReason): void {
    const { pc, cost, gas, opcode } = level
    if (halt === 'INSUFFICIENT_GAS' && frame.depth > 0) this.#text.failedStep(pc, cost)
    else if (halt === 'INSUFFICIENT_GAS' || halt === 'INVALID_JUMP_DESTINATION') {
      this.#text.step(pc, cost, gas - cost, produced(frame, opcode))
    }
  }

  /** Completes the pending step when its frame continues after another frame. */
  #resume(level: Level, frame: FrameView): void {
    level.isWaiting = false
    const pushed = { stack: frame.stack, stackSize: frame.stackSize, produced: 1 }
    this.#text.endCall(level.cost, frame.gas, pushed, written(level, frame))
  }

  #exit(end: CallEnd): void {
    const level = this.#level(end.depth)
    const { start, isOpen } = level
    if (isOpen) {
      if (level.isWaiting) this.#returned(level, end)
      this.#text.closeFrame()
    }
    if (end.depth === 0 || start === undefined) return
    if (!isOpen && end.outcome === 'refused') this.#writeNull()
    else if (!isOpen) this.#emptyFrame(start)
    if (this.#markerTarget !== undefined && equalBytes(start.target, this.#markerTarget)) return
    this.#level(end.depth - 1).cost += forwardedGas(start, end, isOpen)
  }

  /** The last step of a creation. When the code is rejected, this step counts as the one that halted. */
  #returned({ pc, cost, gas }: Level, { atDeposit, depth, halt }: CallEnd): void {
    if (atDeposit && halt !== 'INSUFFICIENT_GAS') return
    if (atDeposit && depth > 0) this.#text.failedStep(pc, cost)
    else this.#text.step(pc, cost, gas - cost, NO_ITEMS)
  }

  /** A frame without steps; a creation still shows its init code. */
  #emptyFrame(start: CallStart | undefined): void {
    this.#text.openFrame(start !== undefined && isCreation(start) ? start.input : EMPTY_BYTES)
    this.#text.closeFrame()
  }
}

const NO_ITEMS: PushedItems = { stack: EMPTY_BYTES, stackSize: 0, produced: 0 }

function produced(frame: FrameView, opcode: number): PushedItems {
  const count = PRODUCED[opcode] as number
  return count === 0 ? NO_ITEMS : { stack: frame.stack, stackSize: frame.stackSize, produced: count }
}

/**
 * The memory area that the step names, with its content afterwards. For a call that is the whole output area,
 * regardless of the length of the output.
 */
function written({ memoryOffset, memoryLength }: Level, frame: FrameView): WrittenMemory | undefined {
  return memoryLength === 0 ? undefined : { memory: frame.memory, offset: memoryOffset, length: memoryLength }
}

/** Gas that a step costs beyond its own, because it started a frame. */
function forwardedGas(start: CallStart, { outcome, gasUsed }: CallEnd, hadSteps: boolean): number {
  if (outcome === 'refused') return 0
  if (start.runs === 'precompile') return gasUsed
  if (hadSteps || (isCreation(start) && start.input.length > 0)) return start.gas
  return start.kind === 'CALL' || start.kind === 'STATICCALL' ? start.gas : 0
}

/** Omits the implicit STOP after the end of the code, and the STOP of a transaction that does nothing else. */
function isShownStop({ pc, steps }: Level, { code, depth }: FrameView): boolean {
  return pc < code.length && !(depth === 0 && steps === 1)
}

/**
 * A stack word as a number, counted from the top. Reads only the low 48 bits: with a larger value the step halts, or
 * its length is 0.
 */
function operand({ stack, stackSize }: FrameView, below: number): number {
  const from = (stackSize - 1 - below) * WORD_BYTES
  if (from < 0) return 0
  let value = 0
  for (let i = from + 5; i >= from; i--) value = value * 256 + (stack[i] as number)
  return value
}

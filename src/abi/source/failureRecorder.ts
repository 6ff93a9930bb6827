/**
 * Records where an execution failed: for each call on the way to the failure, the position in its code and the
 * functions of its source that were running.
 * @module
 */
import { bytesToHex, EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'
import type { CallEnd, CallStart, ExecutionHooks, FrameView } from '../../evm/hooks.ts'
import type { Artifact } from '../artifact.ts'
import { CONSOLE_ADDRESS } from '../consoleAddress.ts'
import type { SourceMap } from './sourceMap.ts'

/** Facts about a piece of code. */
export interface CodeKnowledge {
  artifactOf(code: Uint8Array, isCreation: boolean): Artifact | undefined
  /** undefined: the artifact has no sources, or they have not been loaded. */
  mapOf(artifact: Artifact, isCreation: boolean, code: Uint8Array): SourceMap | undefined
}

/** A function of the source that was entered by a jump. */
export interface InnerCall {
  /** Position of the jump. */
  readonly pc: number
  /** Position that it jumped to. */
  readonly entry: number
}

/** A call or creation that failed. */
export interface FailedCall {
  readonly start: CallStart
  readonly artifact: Artifact | undefined
  readonly map: SourceMap | undefined
  /** Position of the failure, or of the call that caused it; undefined when no opcode failed. */
  readonly pc: number | undefined
  /** Outermost first. */
  readonly inner: readonly InnerCall[]
  /** Positions of the last jumps and branches before the failure, oldest first. */
  readonly jumps: readonly number[]
  readonly outcome: CallEnd['outcome']
  readonly output: Uint8Array
  /** Before the failure: what the code learned from the last account that it looked at or called. */
  readonly lastLook: Look | undefined
}

/** An account without code that was about to be called, or the answer of a call. */
export interface Look {
  readonly pc: number
  readonly address: string
  /** Whether the account has code; undefined for a look at its size alone. */
  readonly ranCode: boolean | undefined
  /** Bytes of the answer. */
  readonly outputLength: number
}

interface OpenCall {
  readonly start: CallStart
  /** undefined until a step needs it */
  code: { readonly artifact: Artifact | undefined; readonly map: SourceMap | undefined } | undefined
  readonly inner: InnerCall[]
  /** The last of them are the newest. */
  readonly jumps: number[]
  /** Position of the last call or creation. */
  callPc: number | undefined
  revertPc: number | undefined
  lastLook: Look | undefined
  /** The last call, if it failed, with the place from which it was made. */
  cause:
    | { readonly failed: readonly FailedCall[]; readonly pc: number | undefined; readonly inner: InnerCall[] }
    | undefined
}

export type FailureHooks = Required<Pick<ExecutionHooks, 'opcodes' | 'enter' | 'exit' | 'step'>>

const EXTCODESIZE = 0x3b
const JUMP = 0x56
const JUMPI = 0x57
const CALLS: readonly number[] = [0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa]
const REVERT = 0xfd
const WORD = 32
const ADDRESS_BYTES = 20
/** The stack of the EVM allows fewer. */
const MAX_INNER = 1024
const MAX_JUMPS = 32

export class FailureRecorder {
  readonly hooks: FailureHooks
  readonly #knowledge: CodeKnowledge
  readonly #open: OpenCall[] = []
  /** The code that runs at an address, by the address in hex. */
  readonly #codes = new Map<string, { readonly length: number; readonly code: OpenCall['code'] }>()
  /** The calls on the way to the failure, outermost first; empty after success. */
  failed: readonly FailedCall[] = []

  constructor(knowledge: CodeKnowledge) {
    this.#knowledge = knowledge
    const opcodes = new Uint8Array(256)
    for (const opcode of [EXTCODESIZE, JUMP, JUMPI, REVERT, ...CALLS]) opcodes[opcode] = 1
    this.hooks = {
      opcodes,
      enter: (call) => this.#enter(call),
      exit: (end) => this.#exit(end),
      step: (frame) => this.#step(frame),
    }
  }

  #enter(start: CallStart): void {
    this.#open.push({
      start,
      code: undefined,
      inner: [],
      jumps: [],
      callPc: undefined,
      revertPc: undefined,
      lastLook: undefined,
      cause: undefined,
    })
  }

  #step(frame: FrameView): void {
    const call = this.#open.at(-1)
    if (call === undefined) return
    const { opcode, pc } = frame
    switch (opcode) {
      case JUMP:
        this.#jump(call, frame)
        keepJump(call, pc)
        return
      case JUMPI:
        keepJump(call, pc)
        break
      case REVERT:
        call.revertPc = pc
        break
      case EXTCODESIZE:
        call.lastLook = { pc, address: addressOnTop(frame), ranCode: undefined, outputLength: 0 }
        break
      default:
        call.callPc = pc
    }
    this.#codeOf(call, frame)
  }

  #jump(call: OpenCall, frame: FrameView): void {
    const map = this.#codeOf(call, frame)?.map
    const kind = map?.jumpAt(frame.pc)
    if (kind === undefined || kind === 'other') return
    const { inner } = call
    const target = numberOnTop(frame)
    if (kind === 'in') {
      if (inner.length < MAX_INNER) inner.push({ pc: frame.pc, entry: target })
      return
    }
    // Optimised code may leave several functions with one jump.
    const left = inner.findLastIndex(({ pc }) => pc + 1 === target)
    inner.length = left === -1 ? Math.max(0, inner.length - 1) : left
  }

  #codeOf(call: OpenCall, frame: FrameView): OpenCall['code'] {
    if (call.code !== undefined) return call.code
    const { kind, target } = call.start
    const isCreation = kind === 'CREATE' || kind === 'CREATE2'
    const { code } = frame
    const key = bytesToHex(target)
    const known = isCreation ? undefined : this.#codes.get(key)
    if (known?.length === code.length) call.code = known.code
    else {
      const artifact = this.#knowledge.artifactOf(code, isCreation)
      const map = artifact && this.#knowledge.mapOf(artifact, isCreation, code)
      call.code = { artifact, map }
      if (!isCreation) this.#codes.set(key, { length: code.length, code: call.code })
    }
    return call.code
  }

  #exit(end: CallEnd): void {
    const call = this.#open.pop()
    if (call === undefined) return
    const parent = this.#open.at(-1)
    const failed = end.outcome === 'success' ? undefined : failedCalls(call, end)
    if (parent === undefined) {
      this.failed = failed ?? []
      return
    }
    const { target, runs } = call.start
    // Messages to the console are not calls of the program.
    if (equalBytes(target, CONSOLE_ADDRESS)) return
    const { callPc, inner } = parent
    parent.cause = failed && { failed, pc: callPc, inner: [...inner] }
    parent.lastLook =
      failed === undefined && callPc !== undefined
        ? { pc: callPc, address: bytesToHex(target), ranCode: runs !== 'nothing', outputLength: end.output.length }
        : undefined
  }
}

function keepJump({ jumps }: OpenCall, pc: number): void {
  if (jumps.length === 2 * MAX_JUMPS) jumps.splice(0, MAX_JUMPS)
  jumps.push(pc)
}

function failedCalls(call: OpenCall, end: CallEnd): readonly FailedCall[] {
  const { start, code, inner, revertPc, lastLook, cause } = call
  const output = end.outcome === 'revert' ? end.output : EMPTY_BYTES
  const common = { start, artifact: code?.artifact, map: code?.map, outcome: end.outcome, output }
  // A caller that does not handle a failure passes on its output, which is empty for a halt.
  if (cause !== undefined && equalBytes(cause.failed[0]?.output ?? EMPTY_BYTES, output)) {
    return [{ ...common, pc: cause.pc, inner: cause.inner, jumps: [], lastLook: undefined }, ...cause.failed]
  }
  const pc = end.outcome === 'revert' ? revertPc : end.haltPlace?.pc
  return [{ ...common, pc, inner, jumps: call.jumps.slice(-MAX_JUMPS), lastLook }]
}

function numberOnTop({ stack, stackSize }: FrameView): number {
  const at = (stackSize - 1) * WORD
  return stackSize === 0
    ? 0
    : (stack[at] as number) | ((stack[at + 1] as number) << 8) | ((stack[at + 2] as number) << 16)
}

function addressOnTop({ stack, stackSize }: FrameView): string {
  const at = Math.max(0, stackSize - 1) * WORD
  return bytesToHex(stack.slice(at, at + ADDRESS_BYTES).reverse())
}

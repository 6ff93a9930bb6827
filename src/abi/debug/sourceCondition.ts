/**
 * Conditions of searches that are about the source: lines, functions and their depth. One condition has all of them, as
 * they share the history of the functions that have been entered.
 * @module
 */
import type { FrameView } from '../../evm/hooks.ts'
import type { StepCall, StepCondition, StepView } from '../../tracing/steps/contract.ts'
import { isWithin } from '../layout/astNodes.ts'
import type { DebugCode, DebugKnowledge } from './debugContract.ts'
import { followJump, type InnerCall } from './innerCalls.ts'
import { enteredFunction, placeAt, type SourcePlace } from './runningFunctions.ts'

/** Where a search begins. */
export interface SearchOrigin {
  readonly path: string | undefined
  readonly line: number | undefined
  /** Number of open calls and of functions within them. */
  readonly depth: number
}

/** All given members must hold. */
export interface SourceWhere {
  /** A line of a source; its number is from 1. */
  readonly line?: { readonly source: string; readonly line: number } | undefined
  /** Another line than that of the origin, or another function. */
  readonly newLine?: boolean | undefined
  /** A function with this name, or with `Contract.name`, begins. */
  readonly function?: string | undefined
  /** No function that the one of the origin has called. */
  readonly sameFunction?: boolean | undefined
  readonly maxFunctionDepth?: number | undefined
}

interface OpenCode {
  readonly code: DebugCode | undefined
  readonly inner: InnerCall[]
}

/** Positions of one code, as bits. */
interface Selection {
  /** That may match, and jumps that enter or leave functions. */
  readonly seen: Uint8Array
  readonly candidates: Uint8Array
}

const JUMP = 0x56
const PUSH1 = 0x60
const PUSH32 = 0x7f
const NO_POSITIONS = new Uint8Array(0)

export class SourceCondition implements StepCondition {
  readonly hasHistory = true
  readonly #knowledge: DebugKnowledge
  readonly #where: SourceWhere
  readonly #origin: SearchOrigin | undefined
  readonly #open: OpenCode[] = []
  readonly #selections = new Map<DebugCode, Selection>()
  /** Of the open calls below the innermost. */
  #outerDepth = 0
  /** The position that the last jump has entered, if nothing was seen since. */
  #entered = -1

  /** @param origin undefined: the search begins at the start or the end of the execution */
  constructor(knowledge: DebugKnowledge, where: SourceWhere, origin: SearchOrigin | undefined) {
    this.#knowledge = knowledge
    this.#where = where
    this.#origin = origin
  }

  positions({ start: { kind } }: StepCall, code: Uint8Array): Uint8Array {
    const known = this.#knowledge.codeOf(code, kind === 'CREATE' || kind === 'CREATE2')
    const call = this.#open.at(-1)
    if (call !== undefined) this.#open[this.#open.length - 1] = { ...call, code: known }
    return known === undefined ? NO_POSITIONS : this.#selectionOf(known, code).seen
  }

  enter(): void {
    const caller = this.#open.at(-1)
    if (caller !== undefined) this.#outerDepth += 1 + caller.inner.length
    this.#open.push({ code: undefined, inner: [] })
  }

  exit(): void {
    this.#open.pop()
    const caller = this.#open.at(-1)
    if (caller !== undefined) this.#outerDepth -= 1 + caller.inner.length
  }

  step({ frame }: StepView): boolean {
    const call = this.#open.at(-1)
    if (call?.code === undefined) return false
    const holds = this.#holds(call, call.code, frame)
    this.#entered = -1
    if (frame.opcode === JUMP) {
      const before = call.inner.length
      followJump(call.inner, call.code.map?.jumpAt(frame.pc), frame)
      if (call.inner.length > before) this.#entered = call.inner.at(-1)?.entry ?? -1
    }
    return holds
  }

  #holds({ inner }: OpenCode, code: DebugCode, { pc }: FrameView): boolean {
    const { newLine, function: name, sameFunction, maxFunctionDepth } = this.#where
    const selection = this.#selections.get(code)
    if (selection === undefined || !hasBit(selection.candidates, pc)) return false
    if (name !== undefined && this.#entered !== pc) return false
    const depth = this.#outerDepth + 1 + inner.length
    const origin = this.#origin
    if (depth > (maxFunctionDepth ?? depth)) return false
    if (origin === undefined) return true
    if (sameFunction === true && depth > origin.depth) return false
    if (newLine !== true || depth !== origin.depth) return true
    const place = placeAt(code, pc)
    return place?.line !== origin.line || place?.path !== origin.path
  }

  #selectionOf(code: DebugCode, bytes: Uint8Array): Selection {
    const known = this.#selections.get(code)
    if (known !== undefined) return known
    const seen = new Uint8Array((bytes.length >> 3) + 1)
    const candidates = new Uint8Array(seen.length)
    for (let pc = 0; pc < bytes.length; pc++) {
      const opcode = bytes[pc] as number
      if (this.#isCandidate(code, pc)) setBit(candidates, pc)
      if (hasBit(candidates, pc) || (opcode === JUMP && code.map?.jumpAt(pc) !== 'other')) setBit(seen, pc)
      if (opcode >= PUSH1 && opcode <= PUSH32) pc += opcode - PUSH1 + 1
    }
    const selection = { seen, candidates }
    this.#selections.set(code, selection)
    return selection
  }

  #isCandidate(code: DebugCode, pc: number): boolean {
    const { line, newLine, function: name } = this.#where
    if (name !== undefined && !isEntryOf(code, pc, name)) return false
    if (line === undefined && newLine !== true) return true
    const place = placeAt(code, pc)
    if (place === undefined) return false
    if (line !== undefined && (place.line !== line.line || place.path !== line.source)) return false
    if (newLine !== true) return true
    return isInBody(code, place)
  }
}

/** The beginning and the end of a function have the place of its head. */
function isInBody({ contract }: DebugCode, { file, range }: SourcePlace): boolean {
  const body = contract.trees?.index.functionAround(range)?.body
  if (body !== undefined) return isWithin(range, body) && range.start > body.start
  const around = file.definitionAround(range.start, range.end)
  return around !== undefined && !(range.start <= around.start && around.end <= range.end)
}

function isEntryOf(code: DebugCode, pc: number, name: string): boolean {
  const fn = enteredFunction(code, pc)
  if (fn === undefined) return false
  const owner = fn.contract === undefined ? undefined : code.contract.trees?.index.contract(fn.contract)
  return fn.name === name || `${owner?.name}.${fn.name}` === name || `${code.contract.name}.${fn.name}` === name
}

function setBit(bits: Uint8Array, at: number): void {
  bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7))
}

function hasBit(bits: Uint8Array, at: number): boolean {
  return (((bits[at >> 3] ?? 0) >> (at & 7)) & 1) !== 0
}

/**
 * The functions of a source that are running in a call, and the words of their variables.
 * @module
 */
import { bytesToHexUnprefixed, readUint } from '../../base/primitives/bytes.ts'
import type { AstFunction } from '../layout/astFunction.ts'
import type { AstRange } from '../layout/astNodes.ts'
import { numberOf } from '../layout/decodeMemory.ts'
import { plainText } from '../plainText.ts'
import type { SourceFile } from '../source/sourceFile.ts'
import type { DebugCode } from './debugContract.ts'
import type { MomentFrame } from './moment.ts'
import { parameterWords } from './stackLayout.ts'
import { wordAt } from './wordsOfFrame.ts'

/** A place in a source. */
export interface SourcePlace {
  /** Cut. */
  readonly path: string
  /** From 1. */
  readonly line: number
  readonly range: AstRange
  readonly file: SourceFile
}

export interface RunningFunction {
  readonly fn: AstFunction
  /** Of the running instruction; undefined for generated code. */
  readonly place: SourcePlace | undefined
  /** Range of the running instruction; undefined at the entry of the function. */
  readonly range: AstRange | undefined
  /** Index of the first word of the parameters; undefined when it is not certain. */
  readonly base: number | undefined
  /** Whether it was called from outside. */
  readonly isExternal: boolean
}

const SELECTOR_BYTES = 4
const MAX_PATH_LENGTH = 512
const NO_RANGE: AstRange = { file: -1, start: -1, end: -1 }

/** @returns undefined for generated code, and for code that stands for a whole contract */
export function placeAt({ map, contract }: DebugCode, pc: number): SourcePlace | undefined {
  const range = map?.rangeAt(pc)
  const file = range && contract.files.get(range.file)
  if (range === undefined || file === undefined || file.isWholeContract(range.start, range.end)) return undefined
  const line = file.lineAt(range.start)
  return line === undefined ? undefined : { path: plainText(file.path, MAX_PATH_LENGTH), line, range, file }
}

/** @returns innermost first */
export function runningFunctions(frame: MomentFrame): RunningFunction[] {
  const { code, call, pc } = frame
  if (code?.contract.trees === undefined) return []
  const found: RunningFunction[] = []
  for (let i = call.inner.length - 1; i >= 0; i--) {
    const entered = call.inner[i]
    const at = call.inner[i + 1]?.pc ?? pc
    const fn = entered && enteredFunction(code, entered.entry)
    if (entered === undefined || fn === undefined) continue
    const base = isReturnKnown(frame, i) ? baseOf(fn, entered.height, code) : undefined
    found.push({
      fn,
      place: placeAt(code, at),
      range: at === entered.entry ? undefined : (code.map?.rangeAt(at) ?? NO_RANGE),
      base,
      isExternal: false,
    })
  }
  const inlined = runningConstructor(frame, code) ?? runningFallback(frame, code)
  if (inlined !== undefined) found.push(inlined)
  const outermost = found.pop()
  if (outermost !== undefined) found.push({ ...outermost, isExternal: isCalledFromOutside(outermost.fn, frame) })
  return found
}

/** The function whose entry is at a position. */
export function enteredFunction({ map, contract }: DebugCode, entry: number): AstFunction | undefined {
  const range = map?.rangeAt(entry)
  const fn = range && contract.trees?.index.functionAround(range)
  return fn?.range.start === range?.start && fn?.range.end === range?.end ? fn : undefined
}

function baseOf(fn: AstFunction, height: number, { contract }: DebugCode): number | undefined {
  const words = contract.trees && parameterWords(fn, contract.trees)
  // Below the parameters is the address of the return.
  return words === undefined || height - words < 1 ? undefined : height - words
}

/** Whether the word below the parameters is the position behind the jump, as the legacy code generator makes calls. */
function isReturnKnown(frame: MomentFrame, index: number): boolean {
  const { call, code } = frame
  const entered = call.inner[index]
  const fn = entered && code && enteredFunction(code, entered.entry)
  const base = fn && code && baseOf(fn, entered.height, code)
  if (entered === undefined || base === undefined) return false
  return stackNumber(frame, base - 1) === entered.pc + 1
}

function isCalledFromOutside(fn: AstFunction, { call }: MomentFrame): boolean {
  return fn.selector !== '' && fn.selector === bytesToHexUnprefixed(call.start.input.subarray(0, SELECTOR_BYTES))
}

/** Constructors run without a jump, on top of the parameters of those that derive from them. */
function runningConstructor({ call, pc }: MomentFrame, code: DebugCode): RunningFunction | undefined {
  const { kind } = call.start
  const { trees, contract } = code.contract
  if ((kind !== 'CREATE' && kind !== 'CREATE2') || trees === undefined || contract === undefined) return undefined
  const at = call.inner[0]?.pc ?? pc
  const range = code.map?.rangeAt(at)
  if (range === undefined) return undefined
  let base: number | undefined = 0
  for (const id of contract.linearized) {
    const fn = trees.index.functionsOf(id).find((each) => each.kind === 'constructor')
    if (fn === undefined) continue
    const isRunning = fn.range.file === range.file && fn.range.start <= range.start && range.end <= fn.range.end
    if (isRunning) return { fn, place: placeAt(code, at), range, base, isExternal: false }
    const words = parameterWords(fn, trees)
    base = words === undefined || base === undefined ? undefined : base + words
  }
  return undefined
}

/** Fallback functions run without a jump, behind the search for the selector. */
function runningFallback(frame: MomentFrame, code: DebugCode): RunningFunction | undefined {
  const { call, pc } = frame
  const { kind } = call.start
  const at = call.inner[0]?.pc ?? pc
  const range = code.map?.rangeAt(at)
  if (range === undefined || kind === 'CREATE' || kind === 'CREATE2') return undefined
  const fn = code.contract.trees?.index.functionAround(range)
  if (fn?.kind !== 'fallback' && fn?.kind !== 'receive') return undefined
  return { fn, place: placeAt(code, at), range, base: fallbackBase(frame, code), isExternal: false }
}

/** Where a contract has other functions, the selector stays on the stack. */
function fallbackBase(frame: MomentFrame, { contract }: DebugCode): number | undefined {
  const { input } = frame.call.start
  if (input.length < SELECTOR_BYTES) return 0
  const { index } = contract.trees ?? {}
  const ids = contract.contract?.linearized ?? []
  const hasFunctions = ids.some((id) => index?.functionsOf(id).some((each) => each.selector !== ''))
  const isOnStack = stackNumber(frame, 0) === readUint(input, 0, SELECTOR_BYTES)
  // Getters are functions, too, which the tree does not tell here.
  if (hasFunctions === isOnStack) return isOnStack ? 1 : 0
  return undefined
}

/** A word that is less than 2^32. @param index from the bottom */
function stackNumber({ stack, stackSize }: MomentFrame, index: number): number | undefined {
  return index < stackSize ? numberOf(wordAt({ stack }, index)) : undefined
}

/**
 * A debugger's view of a moment: the place in the source, the running functions with their arguments, and variables.
 * @module
 */
import { bigIntToBytesPadded, bytesToHex } from '../../base/primitives/bytes.ts'
import { CalldataDecoder } from '../layout/decodeCalldata.ts'
import { StackDecoder } from '../layout/decodeStack.ts'
import { type SlotSource, StorageDecoder } from '../layout/decodeStorage.ts'
import type { Preimages } from '../layout/preimages.ts'
import { WORD } from '../layout/solidityType.ts'
import type { StorageLayout } from '../layout/storageLayout.ts'
import { type DecodeBudget, decodeBudget, notKnown, type Variable } from '../layout/variable.ts'
import type { DebugCode } from './debugContract.ts'
import type { LineCost } from './lineCosts.ts'
import type { MomentFrame } from './moment.ts'
import { placeAt, type RunningFunction, runningFunctions, type SourcePlace } from './runningFunctions.ts'
import { type PlacedVariable, placedVariables } from './stackLayout.ts'
import { wordAt } from './wordsOfFrame.ts'

export interface ViewPlace {
  /** Contract. */
  readonly name: string
  /** Number of the source in the compilation. */
  readonly sourceId: number
  readonly path: string
  readonly line: number
  readonly column: number
  /** Bytes of UTF-8. */
  readonly start: number
  readonly length: number
}

export interface ViewFunction {
  /** Number of the call. */
  readonly frame: number
  readonly contract: string
  readonly name: string
  readonly source: ViewPlace | null
  readonly args: readonly Variable[]
}

export interface DebugView {
  readonly frame: number
  /** Number of open calls and of functions within them, as `maxFunctionDepth` of a search counts them. */
  readonly depth: number
  readonly source: ViewPlace | null
  /** Innermost first. */
  readonly functions: readonly ViewFunction[]
  readonly state: readonly Variable[]
  /** Parameters, then local variables. */
  readonly locals: readonly Variable[]
  readonly results: readonly Variable[]
  /** null: they were not recorded. */
  readonly lines: readonly LineCost[] | null
  /** By word of the stack, bottom first. */
  readonly pushedBy: readonly (number | null)[]
  /** Why parts are not known. */
  readonly notes: readonly string[]
}

export interface MomentParts {
  /** Innermost first. */
  readonly frames: readonly MomentFrame[]
  readonly preimages: Preimages
  /** The value of a slot at the moment. */
  readonly slot: SlotReader
  /** undefined: not recorded */
  readonly lines: readonly LineCost[] | undefined
  readonly pushedBy: readonly (number | null)[]
}

/** @param address 20 bytes @param slot 32 bytes @returns 32 bytes */
export type SlotReader = (address: Uint8Array, slot: Uint8Array, isTransient: boolean) => Uint8Array | undefined

const MAX_FUNCTIONS = 2_048
/** Functions whose arguments are decoded; those further out have their names only. */
const MAX_DECODED_FUNCTIONS = 64
const SELECTOR_BYTES = 4
const NOTES = {
  optimised: 'The code is optimised: only state variables and external arguments are known.',
  ir: 'The code was compiled by way of Yul: only state variables and external arguments are known.',
  unknown: 'The settings of the compiler are not known: only state variables and external arguments are known.',
} as const

export function debugView(parts: MomentParts): DebugView {
  const budget = decodeBudget()
  const [frame] = parts.frames
  const functions = functionsOf(parts, budget)
  const variables = frame && variablesOf(frame, parts, budget)
  return {
    frame: frame?.call.id ?? 0,
    depth: parts.frames.reduce((sum, { call }) => sum + 1 + call.inner.length, 0),
    source: frame === undefined ? null : placeOf(frame),
    functions,
    state: stateOf(parts, budget),
    locals: variables?.filter(({ role }) => role !== 'result').map((each) => each.variable) ?? [],
    results: variables?.filter(({ role }) => role === 'result').map((each) => each.variable) ?? [],
    lines: parts.lines ?? null,
    pushedBy: parts.pushedBy,
    notes: notesOf(frame?.code),
  }
}

/** Of the running instruction, or of the nearest caller in the same code whose place is known. */
function placeOf({ code, call, pc }: MomentFrame): ViewPlace | null {
  if (code === undefined) return null
  const positions = [pc, ...call.inner.map((inner) => inner.pc).reverse()]
  for (const at of positions) {
    const place = placeAt(code, at)
    if (place !== undefined) return viewPlace(place, code)
  }
  return null
}

function viewPlace({ file, path, line, range }: SourcePlace, { contract }: DebugCode): ViewPlace {
  const { start, end } = range
  const column = file.positionAt(start)?.column ?? 1
  return { name: contract.name, sourceId: range.file, path, line, column, start, length: end - start }
}

function functionsOf(parts: MomentParts, budget: DecodeBudget): ViewFunction[] {
  const found: ViewFunction[] = []
  for (const frame of parts.frames) {
    const { code, call } = frame
    if (code === undefined) continue
    for (const running of runningFunctions(frame)) {
      if (found.length >= MAX_FUNCTIONS) return found
      const { fn, place } = running
      const args = found.length < MAX_DECODED_FUNCTIONS ? argumentsOf(running, frame, parts, budget) : []
      found.push({
        frame: call.id,
        contract: contractOf(running, code),
        name: fn.name || fn.kind,
        source: place === undefined ? null : viewPlace(place, code),
        args,
      })
    }
  }
  return found
}

function contractOf({ fn }: RunningFunction, { contract }: DebugCode): string {
  const owner = fn.contract === undefined ? undefined : contract.trees?.index.contract(fn.contract)
  return owner?.name ?? contract.name
}

/** Of a function that was called from outside: as they were passed. */
function argumentsOf(
  running: RunningFunction,
  frame: MomentFrame,
  parts: MomentParts,
  budget: DecodeBudget,
): Variable[] {
  const { fn, isExternal } = running
  const types = frame.code?.contract.trees?.types
  if (types === undefined) return []
  if (!isExternal || fn.parameters.some((each) => each.location === 'storage')) {
    const known = onStack(running, frame, parts, budget)
    return fn.parameters.map(
      (each) => known.find(({ id }) => id === each.id)?.variable ?? notKnown(each.name, each.typeText),
    )
  }
  const items: { name: string; type: NonNullable<ReturnType<typeof types.of>> }[] = []
  for (const each of fn.parameters) {
    const type = types.of(each)
    if (type === undefined) return fn.parameters.map(({ name, typeText }) => notKnown(name, typeText))
    items.push({ name: each.name, type })
  }
  const decoder = new CalldataDecoder(frame.call.start.input, budget)
  return guarded(() => decoder.tuple(items, SELECTOR_BYTES).map((each) => ({ ...each, location: 'calldata' }))) ?? []
}

interface Shown {
  readonly id: number
  readonly role: PlacedVariable['role']
  readonly variable: Variable
}

/** Parameters, results and local variables of the innermost function. */
function variablesOf(frame: MomentFrame, parts: MomentParts, budget: DecodeBudget): Shown[] {
  const [running] = runningFunctions(frame)
  if (running === undefined) return []
  const known = onStack(running, frame, parts, budget)
  const shown = new Set(known.map(({ id }) => id))
  const declared = (variables: RunningFunction['fn']['parameters'], role: PlacedVariable['role']): Shown[] =>
    variables
      .filter(({ id }) => !shown.has(id))
      .map(({ id, name, typeText }) => ({ id, role, variable: notKnown(name, typeText) }))
  const { fn } = running
  const named = [...known, ...declared(fn.parameters, 'parameter'), ...declared(fn.results, 'result')]
  return [...named, ...declared(localsAround(running), 'local')].filter(({ variable }) => variable.name !== '')
}

/** Local variables that the source has here, known or not. */
function localsAround({ fn, range }: RunningFunction): RunningFunction['fn']['parameters'] {
  if (range === undefined) return []
  return fn.locals
    .filter(
      ({ scope, liveFrom }) =>
        scope.file === range.file && scope.start <= range.start && range.end <= scope.end && liveFrom <= range.start,
    )
    .map((local) => local.variable)
}

function onStack(
  { fn, range, base }: RunningFunction,
  frame: MomentFrame,
  parts: MomentParts,
  budget: DecodeBudget,
): Shown[] {
  const { code, call, stackSize } = frame
  const trees = code?.contract.trees
  if (base === undefined || trees === undefined || code?.contract.generator !== 'legacy') return []
  const { start } = call
  const decoder = new StackDecoder(
    {
      memory: frame.memory,
      calldata: start.kind === 'CREATE' || start.kind === 'CREATE2' ? new Uint8Array(0) : start.input,
      storage: slotsOf(start.address, parts, false),
    },
    budget,
  )
  return placedVariables(fn, range, { trees, contract: code.contract.contract }).flatMap((placed) => {
    const { variable, type, position, words, role } = placed
    if (base + position + words > stackSize) return []
    const raw = Array.from({ length: words }, (_, i) => wordAt(frame, base + position + i))
    const decoded = guarded(() => decoder.variable(variable.name, type, variable.location, raw))
    return decoded === undefined ? [] : [{ id: variable.id, role, variable: decoded }]
  })
}

/** A type of a lying artifact that cannot be laid out has no value. */
function guarded<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function slotsOf(address: Uint8Array, { preimages, slot }: MomentParts, isTransient: boolean): SlotSource {
  return {
    read: (at) => slot(address, bigIntToBytesPadded(at, WORD), isTransient),
    entries: (at) => preimages.entries(at),
  }
}

/** The state variables of the running contract; of a library, those of the contract that called it. */
function stateOf(parts: MomentParts, budget: DecodeBudget): Variable[] {
  const [innermost] = parts.frames
  if (innermost === undefined) return []
  const { address } = innermost.call.start
  const owner = bytesToHex(address)
  for (const { call, code } of parts.frames) {
    if (bytesToHex(call.start.address) !== owner) break
    const layout = code?.contract.layout
    if (layout !== undefined && code?.contract.contract?.isLibrary !== true)
      return variablesIn(layout, address, parts, budget)
  }
  return []
}

function variablesIn(layout: StorageLayout, address: Uint8Array, parts: MomentParts, budget: DecodeBudget): Variable[] {
  const storage = new StorageDecoder(slotsOf(address, parts, false), budget)
  const transient = new StorageDecoder(slotsOf(address, parts, true), budget)
  return [
    ...layout.variables.map(
      (each): Variable => ({ ...storage.variable(each.name, each.type, each), location: 'storage' }),
    ),
    ...layout.transient.map(
      (each): Variable => ({ ...transient.variable(each.name, each.type, each), location: 'transient' }),
    ),
  ]
}

function notesOf(code: DebugCode | undefined): string[] {
  if (code === undefined) return ['No artifact is known for this code.']
  const { contract, map } = code
  const notes: string[] = []
  if (map === undefined) notes.push('The artifact has no source map.')
  if (contract.trees === undefined) notes.push('The build has no syntax trees: functions and variables are not known.')
  if (contract.layout === undefined) notes.push('The layout of the storage is not known.')
  if (contract.generator !== 'legacy') notes.push(NOTES[contract.generator])
  return notes
}

/**
 * The Solidity stack trace of a failure.
 * @module
 */
import { bytesToHexUnprefixed } from '../../base/primitives/bytes.ts'
import type { Definition } from './definitions.ts'
import type { FailedCall } from './failureRecorder.ts'
import type { Position, SourceFile } from './sourceFile.ts'
import type { ContractSources } from './sourceLibrary.ts'
import type { SourceRange } from './sourceMap.ts'

/** A function of the source that was running. */
export interface StackFrame extends Position {
  /** undefined: code outside functions, such as the initial value of a variable */
  readonly definition: Definition | undefined
  readonly path: string
}

type Files = ReadonlyMap<number, SourceFile>
type Sources = Pick<ContractSources, 'files' | 'isOptimised'>

const SELECTOR_BYTES = 4

interface Place {
  readonly file: SourceFile
  readonly range: SourceRange
  readonly definition: Definition | undefined
}

/** @returns the functions of one call, innermost first; empty when no line is known */
export function stackFrames(call: FailedCall, { files, isOptimised }: Sources): StackFrame[] {
  const { map, pc, inner } = call
  if (map === undefined || pc === undefined) return []
  const placeOf = (at: number): Place | undefined => place(map.rangeAt(at), files)
  const frames: StackFrame[] = []
  /** The function whose helper, which is generated, has been left. */
  let helped: Definition | undefined
  for (let i = inner.length; i >= 0; i--) {
    const own = placeOf(inner[i]?.pc ?? pc)
    const caller = inner[i - 1]
    const entered = caller && placeOf(caller.entry)
    const at = isOptimised && i === inner.length ? sharedPlace(call, own, entered?.definition, files) : own
    // Generated code has no lines: the line is that of its caller. The code that dispatches a call is no function.
    if (at === undefined || (frames.length > 0 && coversDefinition(at))) continue
    if (helped === undefined || at.definition !== helped) addFrame(frames, at)
    const isFunction = entered !== undefined && coversDefinition(entered)
    helped = isFunction ? undefined : at.definition
    // A modifier, or a function that the optimiser inlined, runs within another function.
    if (isFunction && at.definition !== undefined && entered.definition !== at.definition) addFrame(frames, entered)
  }
  if (frames.length > 0) return frames
  const last = lastPlace(call, [pc, ...newestJumps(call)], files)
  if (last !== undefined) addFrame(frames, last)
  return frames
}

/**
 * The optimiser merges equal endings of functions, which then have the lines of one of them. The last jump to the ending
 * tells which function it was.
 */
function sharedPlace(
  call: FailedCall,
  own: Place | undefined,
  entered: Definition | undefined,
  files: Files,
): Place | undefined {
  const jumps = newestJumps(call)
  const before = lastPlace(call, jumps, files)
  if (before === undefined || before.definition === own?.definition || own?.definition === entered) return own
  return (entered && lastPlace(call, jumps, files, entered)) ?? before
}

/**
 * The last line of a function that ran, in the code that led to one of the positions.
 * @param wanted the function; default: any
 */
function lastPlace(
  { map }: FailedCall,
  positions: readonly number[],
  files: Files,
  wanted?: Definition,
): Place | undefined {
  for (const pc of positions) {
    for (const range of map?.rangesUpTo(pc) ?? []) {
      const found = place(range, files)
      const { definition } = found ?? {}
      if (found === undefined || definition === undefined || definition.kind === 'contract') continue
      if (!coversDefinition(found) && (wanted === undefined || definition === wanted)) return found
    }
  }
  return undefined
}

function newestJumps({ jumps }: FailedCall): number[] {
  return [...jumps].reverse()
}

/** The beginning of the called function, else of the contract, for failures in code without lines. */
export function callFrame({ artifact, start }: FailedCall, { files }: Sources): StackFrame | undefined {
  if (artifact === undefined) return undefined
  const selector = bytesToHexUnprefixed(start.input.subarray(0, SELECTOR_BYTES))
  const called = artifact.functions.find((each) => each.selector === selector)?.name
  return onlyFrame(files, called ?? '', artifact.name) ?? onlyFrame(files, artifact.name, undefined)
}

/** The beginning of the definition with a name, unless there are several. */
function onlyFrame(files: Files, name: string, contract: string | undefined): StackFrame | undefined {
  const found = [...files.values()].flatMap((file) =>
    file.definitionsOf(name, contract).map((definition) => ({ file, definition })),
  )
  const [{ file, definition } = {}] = found
  const position = definition && file?.positionAt(definition.start)
  if (found.length !== 1 || file === undefined || definition === undefined || position === undefined) return undefined
  return { path: file.path, definition, ...position }
}

/** @returns undefined for generated code, and for code that stands for a whole contract */
function place(range: SourceRange | undefined, files: Files): Place | undefined {
  const file = range && files.get(range.file)
  if (range === undefined || file === undefined || file.isWholeContract(range.start, range.end)) return undefined
  return { file, range, definition: file.definitionAround(range.start, range.end) }
}

function coversDefinition({ range, definition }: Place): boolean {
  if (definition === undefined || definition.kind === 'contract') return false
  return range.start <= definition.start && definition.end <= range.end
}

function addFrame(frames: StackFrame[], { file, range, definition }: Place): void {
  const position = file.positionAt(range.start)
  if (position !== undefined) frames.push({ path: file.path, definition, ...position })
}

/**
 * How the debugger moves: each move is one search, forwards or backwards.
 * @module
 */
import type { Ask } from '../../rpc/ask.ts'
import type { Breakpoint } from './breakpoints.ts'
import { whereOf } from './breakpoints.ts'
import type { FoundStep, Moment, Step, Target, Where } from './types.ts'

export type Direction = 'forward' | 'backward'

/** Where the debugger stands. */
export interface Standpoint {
  readonly step: Step
  /** undefined where the contract has no source, and until it is known */
  readonly moment: Moment | undefined
  /** Whether the moment is still on its way: moves by lines wait for it. */
  readonly isMomentAwaited: boolean
  readonly breakpoints: readonly Breakpoint[]
}

export interface Move {
  readonly id: string
  readonly label: string
  /** Shortcuts: a letter, and the function key of the browsers' devtools where there is one. */
  readonly keys: Readonly<Record<Direction, readonly string[]>>
  /** Whether it goes by lines where they are known. */
  readonly isByLines?: true
  /** Conditions any of which is enough; empty: there is nothing to search. */
  readonly where: (from: Standpoint) => readonly Where[]
}

const hasLine = ({ moment }: Standpoint): boolean => moment !== undefined && moment.source !== null

/** Whether a source is known; code of the compiler before the first function has no line. */
const hasSource = ({ moment }: Standpoint): boolean =>
  moment !== undefined && (moment.source !== null || moment.functions.length > 0 || moment.state.length > 0)

/** Without a source, lines are opcodes, and functions are calls. */
export const MOVES: readonly Move[] = [
  { id: 'opcode', label: 'Opcode', keys: { forward: ['n', 'F9'], backward: ['p', 'Shift+F9'] }, where: () => [{}] },
  {
    id: 'into',
    label: 'Into',
    keys: { forward: ['i', 'F11'], backward: ['I'] },
    isByLines: true,
    where: (from) => [hasSource(from) ? { newLine: true } : {}],
  },
  {
    id: 'over',
    label: 'Over',
    keys: { forward: ['o', 'F10'], backward: ['O', 'Shift+F10'] },
    isByLines: true,
    where: (from) =>
      hasLine(from)
        ? [{ newLine: true, maxFunctionDepth: from.moment?.depth ?? 0 }]
        : [{ ...(hasSource(from) ? { newLine: true } : {}), depth: { max: from.step.depth } }],
  },
  {
    id: 'out',
    label: 'Out',
    keys: { forward: ['u', 'Shift+F11'], backward: ['U'] },
    isByLines: true,
    where: (from) =>
      hasLine(from)
        ? [{ maxFunctionDepth: Math.max(0, (from.moment?.depth ?? 1) - 1) }]
        : [{ depth: { max: from.step.depth - 1 } }],
  },
  { id: 'call', label: 'Call', keys: { forward: ['c'], backward: ['C'] }, where: () => [{ call: true }] },
  { id: 'log', label: 'Log', keys: { forward: ['l'], backward: ['L'] }, where: () => [{ log: true }] },
  { id: 'write', label: 'Write', keys: { forward: ['w'], backward: ['W'] }, where: () => [{ write: true }] },
  { id: 'failure', label: 'Failure', keys: { forward: ['f'], backward: ['F'] }, where: () => [{ failure: true }] },
  {
    id: 'breakpoint',
    label: 'Breakpoint',
    keys: { forward: ['b', 'F8'], backward: ['B', 'Shift+F8'] },
    where: ({ breakpoints }) => breakpoints.map(whereOf),
  },
]

/** @returns the nearest step that meets one of the conditions; undefined when there is none */
export async function search(
  ask: Ask,
  target: Target,
  from: number | 'end',
  direction: Direction,
  where: readonly Where[],
): Promise<number | undefined> {
  const found = await Promise.all(
    where.map((one) => ask<FoundStep | null>('debug_findStep', target, { from, direction, where: one })),
  )
  const indexes = found.flatMap((step) => (step === null ? [] : [step.index]))
  if (indexes.length === 0) return undefined
  return direction === 'forward' ? Math.min(...indexes) : Math.max(...indexes)
}

/** The step at which the debugger opens: the failure, else the first line of a known source, else the first step. */
export async function openingStep(ask: Ask, target: Target): Promise<number> {
  const failure = await ask<FoundStep | null>('debug_findStep', target, {
    from: 'end',
    direction: 'backward',
    where: { failure: true },
  })
  if (failure !== null) return failure.index
  // A node without sources does not know the condition.
  const line = await ask<FoundStep | null>('debug_findStep', target, { where: { newLine: true } }).catch(() => null)
  return line?.index ?? 0
}

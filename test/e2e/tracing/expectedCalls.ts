/** Converts anvil's call traces into the ones expected of us. */
import { ERROR_NAMES, FLAT_ERRORS, type Met } from './differences.ts'

interface FrameLog {
  readonly index: string
}

export interface CallFrame {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly gas: string
  readonly value?: string
  readonly error?: string
  readonly calls?: readonly CallFrame[]
  readonly logs?: readonly FrameLog[]
}

export interface FlatEntry {
  readonly type: string
  readonly action: Readonly<Record<string, string>>
  readonly blockHash: string
  readonly result?: { readonly output?: string } | null
  readonly error?: string
  readonly revertReason?: string
  readonly subtraces: number
  readonly traceAddress: readonly number[]
}

const MODEXP = '0x0000000000000000000000000000000000000005'
const NOBODY = '0x0000000000000000000000000000000000000000'

/** @param executionGas gas of the transaction without its intrinsic gas */
export function expectedCallFrame(anvil: CallFrame, ours: CallFrame, executionGas: string, met: Met): CallFrame {
  const root = { ...expectedFrame(anvil, ours, undefined, met) }
  if (anvil.gas === executionGas) {
    met.add('callTracer: gas of the root')
    root.gas = ours.gas
  }
  if (root.error !== undefined && root.logs !== undefined) {
    met.add('callTracer: logs of a failed transaction')
    delete (root as { logs?: unknown }).logs
  }
  return withIndexesOf(
    root,
    logIndexes(root).sort((a, b) => a - b),
    met,
  )
}

function logIndexes({ logs = [], calls = [] }: CallFrame): number[] {
  return [...logs.map(({ index }) => Number(index)), ...calls.flatMap(logIndexes)]
}

/** @param left indexes of all logs that were not reverted, ascending; the transaction is the only one of its block */
function withIndexesOf(frame: CallFrame, left: readonly number[], met: Met): CallFrame {
  const { logs, calls } = frame
  const renumbered = logs?.map((log) => {
    const index = left.indexOf(Number(log.index))
    if (index !== Number(log.index)) met.add('callTracer: index of logs')
    return { ...log, index: `0x${index.toString(16)}` }
  })
  return {
    ...frame,
    ...(renumbered === undefined ? {} : { logs: renumbered }),
    ...(calls === undefined ? {} : { calls: calls.map((call) => withIndexesOf(call, left, met)) }),
  }
}

function expectedFrame(anvil: CallFrame, ours: CallFrame, parent: CallFrame | undefined, met: Met): CallFrame {
  if (isOwnSelfDestruct(anvil, ours, parent)) {
    met.add('self-destruct in favour of oneself')
    return { ...anvil, from: ours.from, to: ours.to as string, value: ours.value as string }
  }
  const calls = anvil.calls?.map((call, i) => {
    const own = ours.calls?.[i]
    return own === undefined ? call : expectedFrame(call, own, anvil, met)
  })
  if (anvil.to === MODEXP && anvil.error === 'precompiled failed' && ours.error === 'out of gas') {
    met.add('MODEXP of long numbers without gas')
    return { ...anvil, error: ours.error }
  }
  const error = namedAs(anvil.error, ours.error, ERROR_NAMES)
  if (error !== anvil.error) met.add('callTracer: names of errors')
  return { ...anvil, ...(error === undefined ? {} : { error }), ...(calls === undefined ? {} : { calls }) }
}

function isOwnSelfDestruct(anvil: CallFrame, ours: CallFrame, parent: CallFrame | undefined): boolean {
  if (anvil.type !== 'SELFDESTRUCT' || ours.type !== 'SELFDESTRUCT' || ours.from !== ours.to) return false
  const isNobody = anvil.from === NOBODY && anvil.to === undefined && anvil.value === undefined
  return isNobody || (anvil.from === parent?.from && anvil.to === parent.to && anvil.value === parent.value)
}

/** Our text, if the names allow it. */
function namedAs(
  anvil: string | undefined,
  ours: string | undefined,
  names: Readonly<Record<string, RegExp>>,
): string | undefined {
  return anvil !== undefined && ours !== undefined && names[anvil]?.test(ours) ? ours : anvil
}

export function expectedFlatEntries(
  anvil: readonly FlatEntry[],
  ours: readonly FlatEntry[],
  isPrecompile: (address: string) => boolean,
  met: Met,
): readonly FlatEntry[] {
  const begun = withoutUnbegun(anvil, isPrecompile, met)
  return begun.map((entry, i) => {
    const own = ours[i]
    return own === undefined ? entry : expectedEntry(entry, own, isPrecompile, met)
  })
}

function withoutUnbegun(
  entries: readonly FlatEntry[],
  isPrecompile: (address: string) => boolean,
  met: Met,
): readonly FlatEntry[] {
  /** Old path → new path and number of children. */
  const places = new Map<string, { readonly path: readonly number[]; children: number }>()
  const kept = entries.filter(({ type, action, error, traceAddress }) => {
    const parent = places.get(traceAddress.slice(0, -1).join())
    const isNested = traceAddress.length > 0
    const isRefused = isNested && error === 'Insufficient balance for transfer'
    const isBuiltIn = isNested && type === 'call' && isPrecompile(action['to'] as string)
    if (isRefused || isBuiltIn) {
      met.add('flat: calls that do not begin')
      return false
    }
    const path = parent === undefined ? [] : [...parent.path, parent.children++]
    places.set(traceAddress.join(), { path, children: 0 })
    return true
  })
  return kept.map((entry) => {
    const place = places.get(entry.traceAddress.join())
    return { ...entry, traceAddress: place?.path ?? [], subtraces: place?.children ?? 0 }
  })
}

function expectedEntry(
  entry: FlatEntry,
  ours: FlatEntry,
  isPrecompile: (address: string) => boolean,
  met: Met,
): FlatEntry {
  const { result, ...rest } = entry
  met.add('flat: block hash')
  let expected: FlatEntry = { ...rest, blockHash: ours.blockHash }
  if (entry.error === undefined) expected = { ...expected, ...(result === undefined ? {} : { result }) }
  else {
    met.add('flat: result beside an error')
    const isDear = entry.action['to'] === MODEXP && entry.error === 'Built-in failed' && ours.error === 'Out of gas'
    if (isDear) met.add('MODEXP of long numbers without gas')
    const error = isDear ? ours.error : (namedAs(entry.error, ours.error, FLAT_ERRORS) as string)
    if (!isDear && error !== entry.error) met.add('flat: names of errors')
    expected = { ...expected, error, ...revertReason(entry) }
  }
  if (
    result &&
    entry.type === 'call' &&
    entry.traceAddress.length === 0 &&
    isPrecompile(entry.action['to'] as string)
  ) {
    met.add('flat: output of a precompile that a transaction calls')
    return { ...expected, result: { ...result, output: '0x' } }
  }
  return isOwnSuicide(entry, ours) ? withOwnSuicide(expected, ours, met) : expected
}

/** anvil has the root's revert reason as output, or as code of a creation. */
function revertReason({ error, result, traceAddress }: FlatEntry): { revertReason?: string } {
  if (error !== 'Reverted' || traceAddress.length > 0) return {}
  const { output, code } = (result ?? {}) as { output?: string; code?: string }
  const data = output ?? code ?? '0x'
  return data === '0x' ? {} : { revertReason: data }
}

function isOwnSuicide({ type, action }: FlatEntry, ours: FlatEntry): boolean {
  if (type !== 'suicide' || ours.action['address'] !== ours.action['refundAddress']) return false
  return action['address'] !== action['refundAddress'] || action['address'] === NOBODY
}

function withOwnSuicide(entry: FlatEntry, { action }: FlatEntry, met: Met): FlatEntry {
  met.add('self-destruct in favour of oneself')
  return { ...entry, action }
}

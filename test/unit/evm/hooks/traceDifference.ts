/**
 * Compares the lines of ViewRecorder for the same message on the native and the reference EVM.
 * @module
 */

export interface TraceDifference {
  readonly line: number
  readonly native: string | undefined
  readonly reference: string | undefined
}

/** The first lines that differ in an unknown way; undefined when there are none. */
export function traceDifference(native: readonly string[], reference: readonly string[]): TraceDifference | undefined {
  const count = Math.max(native.length, reference.length)
  for (let line = 0; line < count; line++) {
    const [ours, theirs] = [native[line], reference[line]]
    if (ours === theirs) continue
    if (ours !== undefined && theirs !== undefined && KNOWN.some((isKnown) => isKnown(ours, theirs))) continue
    return { line, native: ours, reference: theirs }
  }
  return undefined
}

/** The rows of the table in src/evm/reference/tracing/messageTrace.ts. */
const KNOWN: readonly ((native: string, reference: string) => boolean)[] = [
  lacksWordsAndGas,
  (native, reference) =>
    /^\d+ exit halt INSUFFICIENT_GAS, used/.test(native) &&
    native.replace('INSUFFICIENT_GAS', 'PRECOMPILE_ERROR') === reference,
  callsDelegated,
]

const UNPAID = /costs \d+: INSUFFICIENT_GAS$/

function lacksWordsAndGas(native: string, reference: string): boolean {
  return (
    native.includes('INSUFFICIENT_STACK_ITEMS') &&
    native.replace('INSUFFICIENT_STACK_ITEMS', 'INSUFFICIENT_GAS') ===
      reference.replace(UNPAID, 'costs 0: INSUFFICIENT_GAS')
  )
}

/** EIP-2929 */
const ACCESS_COSTS: readonly number[] = [100, 2600]
const UNPAID_CALL = /^(\d+ \d+ (?:CALL|CALLCODE|DELEGATECALL|STATICCALL)) costs (\d+): INSUFFICIENT_GAS$/

function callsDelegated(native: string, reference: string): boolean {
  const ours = UNPAID_CALL.exec(native)
  const theirs = UNPAID_CALL.exec(reference)
  if (ours === null || theirs === null || ours[1] !== theirs[1]) return false
  return ACCESS_COSTS.includes(Number(theirs[2]) - Number(ours[2]))
}

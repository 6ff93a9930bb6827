/**
 * A JSON-RPC call: its facts, and their text.
 * @module
 */

import type { AbiIndex } from '../abi/abiIndex.ts'
import type { Artifact } from '../abi/artifact.ts'
import { type ContractNames, functionText } from '../abi/contractNames.ts'
import { outputReason } from '../abi/failureReason.ts'
import { MAX_METHOD_LENGTH, plainText } from '../abi/plainText.ts'
import type { NotedCall } from '../api/calls/notes.ts'
import { failureText } from '../api/contracts/failureText.ts'
import type { FailureTrace } from '../api/contracts/failureTracer.ts'
import { milliseconds } from '../base/primitives/amounts.ts'
import { hasHexPrefix, tryHexToBytes } from '../base/primitives/bytes.ts'
import type { TreeOptions } from './callPath.ts'
import type { CallEntry, CallError } from './entries.ts'
import { type Paint, row, withAddress } from './lines.ts'
import type { Report } from './output.ts'
import { consoleBlock, pathLines } from './reportParts.ts'
import { pathTexts, stackTexts } from './stackText.ts'

export interface CallFacts {
  readonly method: string
  readonly durationMs: number
  /** Executed call, such as `Token.balanceOf(0xabc…)`. */
  readonly call: string | undefined
  readonly error: { readonly code: number; readonly message: string } | undefined
  /** Decoded reason of a revert or halt. */
  readonly failure: string | undefined
  readonly path: readonly string[] | undefined
  /** The failed function first; undefined where no line of the source is known. */
  readonly stack: readonly string[] | undefined
  readonly console: readonly string[]
}

const NOTHING_EXECUTED = {
  call: undefined,
  error: undefined,
  failure: undefined,
  path: undefined,
  stack: undefined,
  console: [],
}
const MAX_MESSAGE_LENGTH = 1_000
/**
 * Methods whose result is the result of the executed call. In other methods the call is a step, shown only if it fails.
 */
const CALL_METHODS: ReadonlySet<string> = new Set(['eth_call', 'eth_estimateGas'])

export function callFacts(entry: CallEntry, tree: TreeOptions, trace: FailureTrace | undefined): CallFacts {
  const { method, error, durationMs = 0 } = entry
  const executed = isShown(entry) ? entry.executed : undefined
  const noted = executed && executedFacts(executed, tree, trace)
  return {
    method: plainText(method, MAX_METHOD_LENGTH),
    durationMs,
    error: error && { code: error.code, message: plainText(error.message, MAX_MESSAGE_LENGTH) },
    call: noted?.call,
    failure: noted?.failure ?? errorReason(error, tree.names.index),
    path: noted?.path,
    stack: noted?.stack,
    console: noted?.console ?? [],
  }
}

/** The report of a call that succeeded and executed nothing. */
export function plainCallReport({ method, durationMs = 0 }: CallEntry): Report {
  return {
    level: 'info',
    kind: 'call',
    text: (paint) => plainText(method, MAX_METHOD_LENGTH) + timeText(durationMs, paint),
    record: () => callRecord({ ...NOTHING_EXECUTED, method: plainText(method, MAX_METHOD_LENGTH), durationMs }),
  }
}

/** Whether the executed call is described. */
export function isShown({ method, error, executed }: CallEntry): boolean {
  return executed !== undefined && (error !== undefined || CALL_METHODS.has(method))
}

function executedFacts(
  { call: { to, data }, outcome }: NotedCall,
  tree: TreeOptions,
  trace: FailureTrace | undefined,
): Pick<CallFacts, 'call' | 'failure' | 'path' | 'stack' | 'console'> {
  const { names, code } = tree
  const contract = to === undefined ? names.created(data) : names.at(to, code)
  const result = outcome.kind === 'executed' ? outcome.result : undefined
  const failed = result === undefined || result.outcome === 'success' ? undefined : result
  const path = failed && trace && pathTexts(trace, names, code)
  return {
    call: targetText(to, data, contract, names),
    failure: failed && failureText(failed, tree, contract, trace),
    path,
    stack: path && trace && stackTexts(trace, path),
    console: result?.watchedCalls?.inputs.map((input) => tree.consoleText(input)) ?? [],
  }
}

/** An account without a name that receives no data has no function. */
function targetText(
  to: Uint8Array | undefined,
  data: Uint8Array,
  contract: Artifact | undefined,
  names: ContractNames,
): string {
  if (to === undefined) return `new ${contract?.name ?? 'contract'}`
  const name = contract?.name ?? names.address(to)
  return data.length === 0 && contract === undefined ? name : `${name}.${functionText(data, names.index, contract)}`
}

/** The reason in the data of an error. */
function errorReason(error: CallError | undefined, index: AbiIndex | undefined): string | undefined {
  const { data } = error ?? {}
  if (typeof data !== 'string' || !hasHexPrefix(data)) return undefined
  const output = tryHexToBytes(data)
  return output === undefined || output.length === 0 ? undefined : outputReason(output, index, undefined)
}

export function callText(
  { method, durationMs, call, error, failure, path, stack, console }: CallFacts,
  paint: Paint,
): string {
  const time = timeText(durationMs, paint)
  const target = call === undefined ? '' : `  ${paint('name', withAddress(call, paint))}`
  if (error === undefined) return method + target + time + consoleBlock(console, paint)
  const reason = paint('bad', `  error ${error.code}: ${error.message}`)
  const head = paint('bad', method) + target + time + reason + consoleBlock(console, paint)
  return (
    head + (failure === undefined ? '' : row(paint, 'failed', paint('bad', failure))) + pathLines(path, stack, paint)
  )
}

function timeText(durationMs: number, paint: Paint): string {
  return paint('dim', `  ${milliseconds(durationMs)}`)
}

export function callRecord({
  method,
  durationMs,
  call,
  error,
  failure,
  path,
  stack,
  console,
}: CallFacts): Record<string, unknown> {
  return {
    method,
    durationMs: Math.round(durationMs * 1000) / 1000,
    ...(call === undefined ? {} : { call }),
    ...(error === undefined ? {} : { error }),
    ...(failure === undefined ? {} : { failure }),
    ...(path === undefined ? {} : { path }),
    ...(stack === undefined ? {} : { stackTrace: stack }),
    ...(console.length === 0 ? {} : { console }),
  }
}

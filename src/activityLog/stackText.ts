/**
 * The lines of a stack trace.
 * @module
 */

import { failurePath, frameText } from '../abi/callRecorder.ts'
import type { CodeReader, ContractNames } from '../abi/contractNames.ts'
import { plainText } from '../abi/plainText.ts'
import type { StackFrame } from '../abi/source/stackTrace.ts'
import type { TracedCall } from '../api/contracts/executionRecorder.ts'
import type { FailureTrace } from '../api/contracts/failureTracer.ts'
import type { CallFrame } from '../tracing/geth/callTree.ts'

const MAX_PATH_LENGTH = 256
const UNKNOWN_CALL: TracedCall = { artifact: undefined, frames: [], called: undefined, isRefused: false }

/** The calls on the way to the failure, outermost first: `Vault.withdraw(7)`. */
export function pathTexts({ root, calls }: FailureTrace, names: ContractNames, code: CodeReader): string[] {
  return failurePath(root).map((frame, i) => frameText(frame, names, code, calls[i]?.artifact))
}

/**
 * The failed function first, without a call that was refused: `Vault.withdraw(7) (contracts/Vault.sol:42:9)`.
 * @param path of {@link pathTexts}
 * @returns undefined when no line is known
 */
export function stackTexts({ root, calls }: FailureTrace, path: readonly string[]): string[] | undefined {
  if (!calls.some(hasLine)) return undefined
  const frames = failurePath(root)
  const texts = path.map((text, i) => {
    const call = calls[i] ?? UNKNOWN_CALL
    return call.isRefused ? [] : callTexts(frames[i] as CallFrame, call, text)
  })
  return texts.reverse().flat()
}

function hasLine({ frames, called }: TracedCall): boolean {
  return frames.length > 0 || called !== undefined
}

/** Functions of one call; the outermost is the called one, whose arguments are known. */
function callTexts({ type }: CallFrame, { frames, called }: TracedCall, text: string): string[] {
  if (frames.length === 0) return [called === undefined ? text : `${text} ${placeText(called)}`]
  const isCreation = type === 'CREATE' || type === 'CREATE2'
  return frames.map((frame, i) => {
    const isCalled = i === frames.length - 1 && (isCreation ? isConstruction(frame) : isFunction(frame, text))
    return `${isCalled ? text : nameOf(frame, text)} ${placeText(frame)}`
  })
}

function isConstruction({ definition }: StackFrame): boolean {
  return definition === undefined || definition.kind === 'contract' || definition.name === 'constructor'
}

/** The source does not contain a variable's getter; the fallback function runs for any selector. */
function isFunction({ definition }: StackFrame, text: string): boolean {
  if (definition === undefined || definition.kind === 'contract') return true
  return definition.kind === 'function' && text.split('(')[0]?.endsWith(`.${definition.name}`) === true
}

function nameOf({ definition }: StackFrame, text: string): string {
  if (definition === undefined) return text
  const { contract, name } = definition
  return plainText(contract === undefined ? name : `${contract}.${name}`, MAX_PATH_LENGTH)
}

function placeText({ path, line, column }: StackFrame): string {
  return `(${plainText(path, MAX_PATH_LENGTH)}:${line}:${column})`
}

/** The line without the arguments of the call: `at Vault.withdraw (contracts/Vault.sol:42:9)`. */
export function withoutArguments(path: readonly string[]): string[] {
  return path.map((text) => text.replace(/\(.*$/s, ''))
}

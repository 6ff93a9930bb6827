/**
 * Explains reverts without data: the checks that the compiler inserts give no reason.
 * @module
 */
import { bytesToHexUnprefixed, hexToBytes } from '../../base/primitives/bytes.ts'
import { checksumAddress } from '../../types/address.ts'
import type { Artifact } from '../artifact.ts'
import type { FailedCall } from './failureRecorder.ts'
import type { SourceRange } from './sourceMap.ts'

const SELECTOR_BYTES = 4

/** @returns undefined when the failure has data, or when nothing but its place is known */
export function silentCause(call: FailedCall): string | undefined {
  const { outcome, output, artifact, start } = call
  if (outcome !== 'revert' || output.length > 0) return undefined
  const isCreation = start.kind === 'CREATE' || start.kind === 'CREATE2'
  if (artifact === undefined) return undefined
  return (isCreation ? refusedCreation(call, artifact) : refusedMessage(call, artifact)) ?? refusedAnswer(call)
}

function refusedCreation({ start: { value } }: FailedCall, { name, entries }: Artifact): string | undefined {
  return value > 0n && !entries.isConstructorPayable ? notPayable(`the constructor of ${name}`, value) : undefined
}

function refusedMessage({ start, inner }: FailedCall, artifact: Artifact): string | undefined {
  const { name, functions, hasAllFunctions, entries } = artifact
  const { input, value } = start
  const selector = bytesToHexUnprefixed(input.subarray(0, SELECTOR_BYTES))
  const called = input.length < SELECTOR_BYTES ? undefined : functions.find((each) => each.selector === selector)
  if (called !== undefined) {
    return value > 0n && !called.isPayable ? notPayable(`${name}.${called.name}`, value) : undefined
  }
  if (input.length === 0 && entries.hasReceive) return undefined
  if (entries.fallback === 'payable' || inner.length > 0 || !hasAllFunctions) return undefined
  if (entries.fallback === 'nonpayable') {
    return value > 0n ? notPayable(`the fallback function of ${name}`, value) : undefined
  }
  if (input.length === 0) return `${name} has no receive function and no fallback function`
  return `${name} has no function with the selector 0x${selector} and no fallback function`
}

function notPayable(what: string, value: bigint): string {
  return `${what} is not payable and was called with ${value} wei`
}

/** An external call whose answer the caller did not accept, in the same expression. */
function refusedAnswer({ map, pc, inner, lastLook }: FailedCall): string | undefined {
  if (lastLook === undefined || map === undefined || pc === undefined) return undefined
  const look = map.rangeAt(lastLook.pc)
  // The answer may be decoded by generated functions, which the expression calls.
  const failures = [pc, ...inner.map((call) => call.pc)].map((at) => map.rangeAt(at))
  if (look === undefined || !failures.some((range) => isSame(range, look))) return undefined
  const account = checksumAddress(hexToBytes(lastLook.address))
  return lastLook.ranCode === true
    ? `the answer of ${account} (${lastLook.outputLength} bytes) does not have the declared type`
    : `it called ${account}, which has no code`
}

function isSame(a: SourceRange | undefined, b: SourceRange): boolean {
  return a?.file === b.file && a.start === b.start && a.end === b.end
}

/**
 * Explains the output of a reverted message.
 * @module
 */

import { bytesToHex, bytesToHexUnprefixed } from '../base/primitives/bytes.ts'
import { revertReason } from '../evm/revertReason.ts'
import type { AbiIndex } from './abiIndex.ts'
import { shortHex } from './abiValue.ts'
import type { Artifact } from './artifact.ts'
import { plainText } from './plainText.ts'

/** Of a revert without data. */
export const NO_REASON = 'reverted without a reason'
const ERROR_SELECTOR = '08c379a0'
const PANIC_SELECTOR = '4e487b71'
const SELECTOR_BYTES = 4
const MAX_REASON_LENGTH = 1_000
/** Bytes shown of an error that is not known. */
const MAX_DATA_BYTES = 512

export function outputReason(output: Uint8Array, index: AbiIndex | undefined, contract: Artifact | undefined): string {
  if (output.length === 0) return NO_REASON
  if (output.length < SELECTOR_BYTES) return `reverted with ${bytesToHex(output)}`
  const selector = bytesToHexUnprefixed(output.subarray(0, SELECTOR_BYTES))
  const text = revertReason(bytesToHex(output.subarray(0, SELECTOR_BYTES + 2 * MAX_REASON_LENGTH)))
  if (text !== undefined && selector === PANIC_SELECTOR) return `Panic(0x${panicCode(output)}): ${text}`
  if (selector === ERROR_SELECTOR) return errorReason(text ?? revertReason(bytesToHex(output)), output)
  return index?.error(output, contract) ?? `custom error 0x${selector}${argumentsOf(output)}`
}

function errorReason(text: string | undefined, output: Uint8Array): string {
  return text === undefined
    ? `reverted with ${shortHex(output, MAX_DATA_BYTES)}`
    : `Error("${plainText(text, MAX_REASON_LENGTH)}")`
}

function panicCode(output: Uint8Array): string {
  return BigInt(bytesToHex(output.subarray(SELECTOR_BYTES, 36)))
    .toString(16)
    .padStart(2, '0')
}

function argumentsOf(output: Uint8Array): string {
  return output.length === SELECTOR_BYTES
    ? ''
    : `, arguments ${shortHex(output.subarray(SELECTOR_BYTES), MAX_DATA_BYTES)}`
}

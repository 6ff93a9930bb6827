/**
 * Validators in a contract: the call and its result.
 * @see docs/reference/consensus-ibft-qbft.md section 10
 * @module
 */
import { bytesToBigInt, bytesToHex, hexToBytes, isZeroBytes } from '../../base/primitives/bytes.ts'
import type { ParentCall, ParentCallResult } from '../../chain/engine.ts'
import { type Addresses, sortAddresses } from './addresses.ts'

/** `getValidators()`, returns `address[]` */
const GET_VALIDATORS = hexToBytes('b7ab4db5')
const WORD_BYTES = 32

export type ContractValidators =
  | { readonly kind: 'validators'; readonly validators: Addresses }
  | { readonly kind: 'unknown'; readonly reason: string }

export function validatorCall(contract: Uint8Array): ParentCall {
  return { to: contract, data: GET_VALIDATORS }
}

/** @param result undefined when the parent's state is not available */
export function validatorsOfCall({ to }: ParentCall, result: ParentCallResult | undefined): ContractValidators {
  const fail = (reason: string): ContractValidators => ({
    kind: 'unknown',
    reason: `the validator contract ${bytesToHex(to)} ${reason}`,
  })
  if (result === undefined) return fail("cannot be called: the parent's state is not available")
  if (result.kind === 'failed') return fail(`failed: ${result.reason}`)
  const addresses = decodeAddresses(result.output)
  if (addresses === undefined) return fail(`returned ${describe(result.output)}, which is not a list of addresses`)
  return { kind: 'validators', validators: sortAddresses(addresses) }
}

function describe(output: Uint8Array): string {
  return output.length === 0 ? 'nothing' : `${output.length} bytes`
}

/** Decodes one ABI value of type `address[]`. */
function decodeAddresses(output: Uint8Array): Uint8Array[] | undefined {
  const start = numberAt(output, 0)
  const length = start === undefined ? undefined : numberAt(output, start)
  if (start === undefined || length === undefined) return undefined
  const first = start + WORD_BYTES
  if (length > (output.length - first) / WORD_BYTES) return undefined
  const words = Array.from({ length }, (_, i) => output.subarray(first + i * WORD_BYTES, first + (i + 1) * WORD_BYTES))
  if (words.some((word) => !isZeroBytes(word.subarray(0, 12)))) return undefined
  return words.map((word) => word.slice(12))
}

/** @returns undefined when there is no word at the offset, or its value is larger than the output */
function numberAt(output: Uint8Array, offset: number): number | undefined {
  if (offset + WORD_BYTES > output.length) return undefined
  const value = bytesToBigInt(output.subarray(offset, offset + WORD_BYTES))
  return value > BigInt(output.length) ? undefined : Number(value)
}

/**
 * Delegation designators: code that names another account whose code runs instead.
 * @see EIP-7702
 * @module
 */

/** Prefix of the address. */
export const DELEGATION_DESIGNATOR: Uint8Array = Uint8Array.of(0xef, 0x01, 0x00)
const DESIGNATED_CODE_BYTES = 23

export function isDelegation(code: Uint8Array): boolean {
  return (
    code.length === DESIGNATED_CODE_BYTES &&
    code[0] === DELEGATION_DESIGNATOR[0] &&
    code[1] === DELEGATION_DESIGNATOR[1] &&
    code[2] === DELEGATION_DESIGNATOR[2]
  )
}

/** The address of the account whose code runs, 20 bytes; undefined when the code is not a delegation. */
export function delegationTarget(code: Uint8Array): Uint8Array | undefined {
  return isDelegation(code) ? code.subarray(DELEGATION_DESIGNATOR.length) : undefined
}

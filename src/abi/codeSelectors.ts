/**
 * Finds the selectors of functions in the code of a contract.
 * @module
 */
import { MAX_CODE_SELECTORS, MAX_SCANNED_CODE_BYTES } from '../base/limits/limits.ts'
import { bytesToHexUnprefixed, padLeft } from '../base/primitives/bytes.ts'

const PUSH1 = 0x60
const PUSH3 = 0x62
const PUSH4 = 0x63
const PUSH32 = 0x7f
const DUP1 = 0x80
const SWAP16 = 0x9f
const SUB = 0x03
const EQ = 0x14
const ISZERO = 0x15
const XOR = 0x18
const JUMPI = 0x57
const SELECTOR_BYTES = 4
/** A text of four bytes and a list of three bytes, in CBOR. */
const SOLC_MARK: readonly number[] = [0x64, 0x73, 0x6f, 0x6c, 0x63, 0x43]
const VERSION_BYTES = 3
const MAX_METADATA_BYTES = 128

/**
 * Selectors that the code compares with something in order to jump, which is how compilers find the called function:
 * `PUSH4 selector EQ PUSH2 function JUMPI`. Vyper and optimisers compare by XOR or SUB.
 * @returns in the order of the code, hex without prefix
 */
export function selectorsIn(code: Uint8Array): readonly string[] {
  const found = new Set<string>()
  const end = Math.min(code.length, MAX_SCANNED_CODE_BYTES)
  for (let at = 0; at < end && found.size < MAX_CODE_SELECTORS; at++) {
    const opcode = code[at] as number
    if (opcode < PUSH1 || opcode > PUSH32) continue
    const size = opcode - PUSH1 + 1
    // A selector that begins with a zero needs three bytes.
    if ((opcode === PUSH4 || opcode === PUSH3) && isComparedForJump(code, at + 1 + size)) {
      found.add(bytesToHexUnprefixed(padLeft(code.subarray(at + 1, at + 1 + size), SELECTOR_BYTES)))
    }
    at += size
  }
  return [...found]
}

/** Whether the value on the stack is compared next, and the result decides about a jump. */
function isComparedForJump(code: Uint8Array, start: number): boolean {
  let at = start
  if (isBetween(code[at], DUP1, SWAP16)) at++
  const comparison = code[at++]
  if (comparison !== EQ && comparison !== SUB && comparison !== XOR) return false
  if (code[at] === ISZERO) at++
  const push = code[at]
  if (!isBetween(push, PUSH1, PUSH4)) return false
  return code[at + 2 + (push as number) - PUSH1] === JUMPI
}

function isBetween(value: number | undefined, low: number, high: number): boolean {
  return value !== undefined && low <= value && value <= high
}

/** The version of Solidity in the metadata at the end of the code, such as `0.8.30`; undefined: it is not there. */
export function compilerInCode(code: Uint8Array): string | undefined {
  const first = Math.max(0, code.length - MAX_METADATA_BYTES)
  for (let at = code.length - SOLC_MARK.length - VERSION_BYTES; at >= first; at--) {
    if (!SOLC_MARK.every((byte, i) => code[at + i] === byte)) continue
    const start = at + SOLC_MARK.length
    return code.subarray(start, start + VERSION_BYTES).join('.')
  }
  return undefined
}

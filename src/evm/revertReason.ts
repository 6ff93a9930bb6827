import { tryHexToBytes } from '../base/primitives/bytes.ts'

/** First four bytes of keccak256('Error(string)') and keccak256('Panic(uint256)'). */
const ERROR_STRING = '0x08c379a0'
const PANIC_UINT256 = '0x4e487b71'

/** Solidity's panic codes in go-ethereum's wording. */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
])

const WORD_DIGITS = 64
const SELECTOR_DIGITS = 10

/**
 * The reason text in a contract's revert output.
 * @param output 0x-prefixed hex
 * @returns undefined unless the output is a well-formed `Error(string)` or `Panic(uint256)`
 * @see Solidity documentation, "Panic via assert and Error via require"
 */
export function revertReason(output: string): string | undefined {
  const selector = output.slice(0, SELECTOR_DIGITS).toLowerCase()
  if (selector === PANIC_UINT256) {
    const code = word(output, SELECTOR_DIGITS)
    return code === undefined ? undefined : (PANICS.get(code) ?? `unknown panic code: 0x${code.toString(16)}`)
  }
  return selector === ERROR_STRING ? errorString(output) : undefined
}

function errorString(output: string): string | undefined {
  const offset = word(output, SELECTOR_DIGITS)
  if (offset === undefined || offset > BigInt(output.length)) return undefined
  const lengthAt = SELECTOR_DIGITS + Number(offset) * 2
  const length = word(output, lengthAt)
  if (length === undefined || length > BigInt(output.length)) return undefined
  const start = lengthAt + WORD_DIGITS
  const digits = output.slice(start, start + Number(length) * 2)
  if (digits.length !== Number(length) * 2) return undefined
  const bytes = tryHexToBytes(`0x${digits}`)
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
}

function word(hex: string, at: number): bigint | undefined {
  const digits = hex.slice(at, at + WORD_DIGITS)
  return digits.length === WORD_DIGITS && /^[0-9a-f]+$/i.test(digits) ? BigInt(`0x${digits}`) : undefined
}

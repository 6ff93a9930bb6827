import { CODE_OF, NAME_OF } from '../../fuzz/opcodes.mjs'

/** @param text mnemonics, and numbers to push, separated by blanks; `data:` precedes bytes in hex */
export function evmCode(text: string): Uint8Array {
  return Uint8Array.from(text.split(/\s+/).filter(Boolean).flatMap(encode))
}

function encode(token: string): number[] {
  const opcode = CODE_OF.get(token)
  if (opcode !== undefined) return [opcode]
  if (token.startsWith('data:')) return bytesOf(token.slice(5))
  const bytes = bytesOf(BigInt(token).toString(16))
  return [0x5f + bytes.length, ...bytes]
}

function bytesOf(digits: string): number[] {
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  return (even.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16))
}

/** Name of an opcode; for an opcode without a name, its number in hex. */
export function opcodeName(opcode: number): string {
  return NAME_OF.get(opcode) ?? `0x${opcode.toString(16)}`
}

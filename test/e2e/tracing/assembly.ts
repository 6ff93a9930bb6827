/** EVM code as text with labels, for the contracts of the traced chain. */
import { assemble } from '../../fuzz/assembler.mjs'

/**
 * @param text mnemonics; numbers are pushed; `@name` pushes the offset of the label set by `:name`; `data:0x…` inserts
 *   bytes
 */
export function assembled(text: string): Uint8Array {
  return assemble('code', { code: text.split(/\s+/).filter(Boolean).map(token) })
}

function token(word: string): string {
  if (word.startsWith('data:')) return `DATA ${word.slice(5)}`
  if (word.startsWith('@')) return `PUSH ${word}`
  if (!/^\d/.test(word)) return word
  const digits = BigInt(word).toString(16)
  return digits === '0' ? 'PUSH 0x' : `PUSH 0x${digits.padStart(digits.length + (digits.length % 2), '0')}`
}

/** Code that writes bytes to memory from offset 0. */
export function put(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += 32) {
    const word = Buffer.alloc(32)
    word.set(bytes.subarray(at, at + 32))
    lines.push(`0x${word.toString('hex')} ${at} MSTORE`)
  }
  return lines.join(' ')
}

/**
 * Programs as lists of tokens, so that they are readable and still work after tokens have been removed.
 *
 *   ADD            an opcode
 *   PUSH 0x0102    PUSH2 with these bytes; the digits determine the size, `0x` is PUSH0
 *   PUSH @name     PUSH2 with the position of a label, or of an included program
 *   SIZE name      PUSH2 with the length of another program
 *   :name          a JUMPDEST with a label
 *   @name          a label without a JUMPDEST
 *   DATA 0x5b60    these bytes
 *   CODE name      includes another program
 */
import { CODE_OF } from './opcodes.mjs'

const PUSH0 = 0x5f
const PUSH2 = 0x61
const JUMPDEST = 0x5b

/**
 * @param {string} name
 * @param {Record<string, string[]>} programs
 * @param {Map<string, Uint8Array>} done programs that are already assembled
 * @returns {Uint8Array}
 */
export function assemble(name, programs, done = new Map()) {
  const known = done.get(name)
  if (known !== undefined) return known
  const tokens = programs[name]
  if (tokens === undefined) throw new Error(`no program ${name}`)
  const bytes = []
  const labels = new Map()
  const references = []
  const define = (label) => labels.set(label, bytes.length)
  const refer = (label) => {
    references.push([bytes.length + 1, label])
    bytes.push(PUSH2, 0, 0)
  }
  for (const token of tokens) {
    const [word, argument = ''] = token.split(' ')
    if (word.startsWith(':')) {
      define(word.slice(1))
      bytes.push(JUMPDEST)
    } else if (word.startsWith('@')) define(word.slice(1))
    else if (word === 'PUSH' && argument.startsWith('@')) refer(argument.slice(1))
    else if (word === 'PUSH') {
      const data = bytesOf(argument)
      bytes.push(PUSH0 + data.length, ...data)
    } else if (word === 'DATA') bytes.push(...bytesOf(argument))
    else if (word === 'SIZE') {
      const { length } = assemble(argument, programs, done)
      bytes.push(PUSH2, length >> 8, length & 0xff)
    } else if (word === 'CODE') {
      define(argument)
      for (const byte of assemble(argument, programs, done)) bytes.push(byte)
    } else {
      const code = CODE_OF.get(word)
      if (code === undefined) throw new Error(`no opcode ${word}`)
      bytes.push(code)
    }
  }
  for (const [at, label] of references) {
    const place = labels.get(label)
    if (place === undefined) throw new Error(`no label ${label}`)
    bytes[at] = place >> 8
    bytes[at + 1] = place & 0xff
  }
  const code = Uint8Array.from(bytes)
  done.set(name, code)
  return code
}

/** @param {string} hex */
function bytesOf(hex) {
  const bytes = []
  for (let at = 2; at < hex.length; at += 2) bytes.push(Number.parseInt(hex.slice(at, at + 2), 16))
  return bytes
}

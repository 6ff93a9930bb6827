/**
 * Values of an ABI from the text that a reader writes into a form.
 * @module
 */
import { type AbiType, canonicalName } from '../../../src/abi/abiType.ts'
import { type AbiInput, encodeAbi } from '../../../src/abi/encodeAbi.ts'
import { parseInteger } from '../format/numbers.ts'

/**
 * @param text elementary values as they are, arrays and tuples as JSON lists: `[1, 2]`, `["0x…", true]`
 * @param name of the argument, for errors
 * @throws {TypeError} with a message for the reader
 */
export function readValue(type: AbiType, text: string, name: string): AbiInput {
  const value = inputOf(type, text, name)
  encodeAbi([type], [value], [name])
  return value
}

function inputOf(type: AbiType, text: string, name: string): AbiInput {
  switch (type.kind) {
    case 'string':
      return text
    case 'array':
    case 'tuple':
      return readList(type, text, name)
    case 'uint':
    case 'int':
      return parseInteger(text) ?? text.trim()
    default:
      return text.trim()
  }
}

function readList(type: AbiType, text: string, name: string): readonly AbiInput[] {
  try {
    // Numbers are quoted first: JSON would round those above 2^53.
    const list: unknown = JSON.parse(quoteNumbers(text.trim()))
    if (Array.isArray(list)) return list
  } catch {
    // The message below says what is wrong.
  }
  throw new TypeError(`${name}: expected a list for ${canonicalName(type)}, such as ${exampleOf(type)}`)
}

/** Outside of strings. */
function quoteNumbers(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:0x[0-9a-fA-F]+|\d+)\b/g, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  )
}

/** `["0x…", 1]` */
export function exampleOf(type: AbiType): string {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return '1'
    case 'bool':
      return 'true'
    case 'string':
      return '"text"'
    case 'array':
      return `[${exampleOf(type.item)}]`
    case 'tuple':
      return `[${type.members.map(exampleOf).join(', ')}]`
    default:
      return '"0x…"'
  }
}

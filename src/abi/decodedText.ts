/**
 * Decoded calls and errors as they are written in Solidity.
 * @module
 */
import type { Argument, ArgumentValue, Decoded } from './decoded.ts'
import { plainText } from './plainText.ts'

const MAX_ITEMS = 16
const MAX_TEXT_LENGTH = 256
const MAX_HEX_LENGTH = 130
const MAX_LENGTH = 1_000

/** `deposit(5)` */
export function decodedText({ name, args }: Pick<Decoded, 'name' | 'args'>): string {
  return plainText(`${name}(${args.map(argumentText).join(', ')})`, MAX_LENGTH)
}

function argumentText({ type, value, components }: Argument): string {
  if (components !== undefined) return listText(components.map(argumentText), type)
  return valueText(value, type)
}

function valueText(value: ArgumentValue, type: string): string {
  if (typeof value === 'string') return type === 'string' ? `"${plainText(value, MAX_TEXT_LENGTH)}"` : cutHex(value)
  if (typeof value === 'boolean') return String(value)
  if ('hash' in value) return `hash ${value.hash}`
  const itemType = type.slice(0, type.lastIndexOf('['))
  return listText(
    value.slice(0, MAX_ITEMS + 1).map((item) => valueText(item, itemType)),
    type,
  )
}

function cutHex(value: string): string {
  return value.length > MAX_HEX_LENGTH ? `${value.slice(0, MAX_HEX_LENGTH)}…` : value
}

function listText(items: readonly string[], type: string): string {
  const shown = items.length > MAX_ITEMS ? [...items.slice(0, MAX_ITEMS), '…'] : items
  return type.endsWith(')') ? `(${shown.join(', ')})` : `[${shown.join(', ')}]`
}

/**
 * How values of ABIs are written.
 * @module
 */
import { plainText } from '../../../src/abi/plainText.ts'
import { checksummed, isAddress } from '../format/hex.ts'
import { grouped } from '../format/numbers.ts'
import type { Argument, ArgumentValue, Decoded } from '../rpc/isonode.ts'

const MAX_TEXT = 300
const MAX_STRING = 4000

/** `transfer(to: 0x…, value: 5)`, cut to a length for one line. */
export function callText({ name, args }: Decoded): string {
  const text = `${name}(${args.map((argument) => `${argument.name === '' ? '' : `${argument.name}: `}${valueText(argument)}`).join(', ')})`
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

export function valueText(argument: Argument): string {
  const { value, components } = argument
  if (components !== undefined && components.length > 0) {
    const isList = argument.type.endsWith(']')
    const parts = components
      .slice(0, 20)
      .map((part) => (isList || part.name === '' ? valueText(part) : `${part.name}: ${valueText(part)}`))
    if (components.length > parts.length) parts.push('…')
    return isList ? `[${parts.join(', ')}]` : `(${parts.join(', ')})`
  }
  return plainValue(value, argument.type)
}

function plainValue(value: ArgumentValue, type: string): string {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string') {
    if (type === 'string') return `"${plainText(value, MAX_STRING)}"`
    if (type === 'address' && isAddress(value)) return checksummed(value)
    return /^-?\d{5,}$/.test(value) && /^u?int/.test(type) ? grouped(BigInt(value)) : value
  }
  if ('hash' in value) return `hash ${value.hash}`
  return `[${value
    .slice(0, 20)
    .map((item) => plainValue(item, type.replace(/\[\d*\]$/, '')))
    .join(', ')}${value.length > 20 ? ', …' : ''}]`
}

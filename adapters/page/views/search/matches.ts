/**
 * Finds a text among the names of contracts.
 * @module
 */
import type { AbiEvent, AbiItem, AbiItems } from '../../../../src/abi/abiItem.ts'

export interface Contract {
  readonly name: string
  readonly sourceName: string | null
  /** Where it is deployed; undefined: not known. */
  readonly address: string | undefined
  readonly items: Pick<AbiItems, 'functions' | 'events' | 'errors'>
}

export interface Match {
  readonly kind: 'function' | 'event' | 'error'
  readonly signature: string
  /** Four bytes of a function or an error, the topic of an event; in hex with `0x`. */
  readonly selector: string
  readonly contract: Contract
}

const MAX_MATCHES = 500
/** Fewer digits would fit by accident. */
const MIN_DIGITS = 4

/** @returns contracts whose name or source has the text */
export function matchingContracts(contracts: readonly Contract[], query: string): Contract[] {
  const text = query.toLowerCase()
  return contracts.filter(({ name, sourceName }) => `${name}\n${sourceName ?? ''}`.toLowerCase().includes(text))
}

/** @returns functions, events and errors whose signature has the text, or whose selector begins with it; exact names first */
export function matchingItems(contracts: readonly Contract[], query: string): Match[] {
  const text = query.toLowerCase()
  const digits = /^(?:0x)?([0-9a-f]+)$/.exec(text)?.[1]
  const fits = (signature: string, selector: string): boolean =>
    signature.toLowerCase().includes(text) ||
    (digits !== undefined && digits.length >= MIN_DIGITS && selector.startsWith(digits))
  const matches: Match[] = []
  for (const contract of contracts) {
    for (const [kind, item, selector] of itemsOf(contract)) {
      if (matches.length >= MAX_MATCHES) break
      if (!fits(item.signature, selector)) continue
      matches.push({ kind, signature: item.signature, selector: `0x${selector}`, contract })
    }
  }
  const isExact = ({ signature }: Match): boolean => signature.toLowerCase().split('(', 1)[0] === text
  return matches.sort((a, b) => Number(isExact(b)) - Number(isExact(a)))
}

function* itemsOf({ items }: Contract): Generator<readonly [Match['kind'], AbiItem | AbiEvent, selector: string]> {
  for (const item of items.functions) yield ['function', item, item.selector]
  for (const item of items.events) yield ['event', item, item.topic]
  for (const item of items.errors) yield ['error', item, item.selector]
}

/**
 * Where a text of the search box leads.
 * @module
 */
import { isAddress, isHash } from '../format/hex.ts'

/** @returns a path with its query; undefined for an empty text */
export function searchTarget(text: string): string | undefined {
  const query = text.trim()
  if (query === '') return undefined
  const number = query.replace(/[\s_,#\u202f]/g, '')
  if (/^\d{1,15}$/.test(number)) return `/block/${Number(number)}`
  const hex = query.startsWith('0x') ? query : `0x${query}`
  if (isAddress(hex)) return `/address/${hex}`
  // The view of the transaction leads on when the hash is that of a block.
  if (isHash(hex)) return `/tx/${hex}`
  return `/search?q=${encodeURIComponent(query)}`
}

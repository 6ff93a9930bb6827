import { isZeroBytes } from '../../../base/primitives/bytes.ts'
import type { ChainIndex } from '../../../chain/contract.ts'

/** Number of leading zero bytes in the addresses of precompiled contracts. */
const PRECOMPILE_ZEROS = 18

/**
 * Returns the first block from `from` to `to`, both inclusive, that may have calls for all lists of accounts; an empty
 * list matches any block. Queried one by one, since the chain may change between two queries.
 */
export function nextPossibleBlock(
  index: ChainIndex,
  lists: readonly (readonly Uint8Array[])[],
  from: number,
  to: number,
): number | undefined {
  // The index does not contain all calls of precompiled contracts.
  const indexed = lists.filter((list) => list.length > 0 && !list.some(mayBePrecompile))
  let number = from
  for (let agreed = 0; agreed < indexed.length; ) {
    const next = firstOf(index.blocksWithAccounts(indexed[agreed] as readonly Uint8Array[], number, to))
    if (next === undefined) return undefined
    // Lists that agreed before must be queried again from this block on.
    agreed = next === number || agreed === 0 ? agreed + 1 : 0
    number = next
  }
  return number <= to ? number : undefined
}

function mayBePrecompile(address: Uint8Array): boolean {
  return isZeroBytes(address.subarray(0, PRECOMPILE_ZEROS))
}

function firstOf(numbers: Iterable<number>): number | undefined {
  for (const number of numbers) return number
  return undefined
}

import type { ChainIndex } from '../../../chain/contract.ts'
import { isZeroBytes } from '../../../primitives/bytes.ts'

/** Bytes of an address that are zero in those of precompiled contracts. */
const PRECOMPILE_ZEROS = 18

/**
 * The first block from `from` to `to`, both inclusive, that may have calls of all the lists of accounts; an empty list is
 * met by any block. Asked for one by one, since the chain may change from one to the next.
 */
export function nextCandidate(
  index: ChainIndex,
  lists: readonly (readonly Uint8Array[])[],
  from: number,
  to: number,
): number | undefined {
  // The index does not know all calls of precompiled contracts.
  const indexed = lists.filter((list) => list.length > 0 && !list.some(mayBePrecompile))
  let number = from
  for (let agreed = 0; agreed < indexed.length; ) {
    const next = firstOf(index.blocksWithAccounts(indexed[agreed] as readonly Uint8Array[], number, to))
    if (next === undefined) return undefined
    // Those that were asked before have to be asked again from here.
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

import type { BlockRun, ChainHeader, ChainReader } from './contract.ts'

type AncestorHeader = Pick<ChainHeader, 'header' | 'hash' | 'run'>

/** Finds canonical ancestors. */
export interface CanonicalIndex {
  isCanonical(hash: Uint8Array): boolean
  canonicalHash(number: number): Uint8Array | undefined
}

const BLOCK_HASH_WINDOW = 256

/**
 * Hashes of the last 256 blocks up to `parent`: from the canonical index if the parent is canonical, otherwise along
 * parent links.
 */
export function ancestorHashes(
  parent: AncestorHeader,
  index: CanonicalIndex,
  headerOf: (hash: Uint8Array) => AncestorHeader | undefined,
): (number: bigint) => Uint8Array | undefined {
  const newest = Number(parent.header.number)
  const walked: AncestorHeader[] = [parent]
  return (number) => {
    const distance = newest - Number(number)
    if (distance < 0 || distance >= BLOCK_HASH_WINDOW || number < 0n) return undefined
    while (walked.length <= distance) {
      const last = walked[walked.length - 1] as AncestorHeader
      if (index.isCanonical(last.hash)) return index.canonicalHash(Number(number))
      if (last.run !== undefined) return hashBelow(last.run.run, number, index, headerOf)
      const next = headerOf(last.header.parentHash)
      if (next === undefined) return undefined
      walked.push(next)
    }
    return walked[distance]?.hash
  }
}

/** Hash of an ancestor of a block of a run. */
function hashBelow(
  run: BlockRun,
  number: bigint,
  index: CanonicalIndex,
  headerOf: (hash: Uint8Array) => AncestorHeader | undefined,
): Uint8Array | undefined {
  if (Number(number) >= run.first - 1) return run.hashOf(Number(number))
  const before = headerOf(run.hashOf(run.first - 1))
  return before && ancestorHashes(before, index, headerOf)(number)
}

/** Like {@link ancestorHashes}, for a ChainReader. */
export function storedAncestorHashes(
  chain: ChainReader,
  parent: ChainHeader,
): (number: bigint) => Uint8Array | undefined {
  return ancestorHashes(parent, chain, (hash) => chain.headerByHash(hash))
}

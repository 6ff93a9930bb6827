/**
 * The latest blocks of the chain as the page knows them, and what a new head does to them.
 * @module
 */
import { count } from '../format/hex.ts'
import type { Block } from '../rpc/types.ts'

export const MAX_RECENT = 32

export interface Recent {
  /** The head first; each block is the parent of the one before it. */
  readonly blocks: readonly Block[]
  /** Blocks that were known and are no longer part of the chain. */
  readonly removed: readonly Block[]
}

/** @returns null: the node has no such block */
export type FetchBlock = (number: number) => Promise<Block | null>

/**
 * @param known the head first
 * @param fetchBlock all blocks that are missing are asked for in one turn
 */
export async function followHead(known: readonly Block[], head: Block, fetchBlock: FetchBlock): Promise<Recent> {
  const number = count(head.number)
  const lowest = Math.max(0, number - MAX_RECENT + 1)
  const knownNumber = known[0] === undefined ? -1 : count(known[0].number)
  const gap = await fetchRange(Math.max(lowest, knownNumber + 1), number - 1, fetchBlock)
  const added = linked([head, ...gap])
  const joint = known.findIndex(({ hash }) => hash === added.at(-1)?.parentHash)
  const isExtension = joint === 0 || (known.length > 0 && knownNumber < lowest && joint < 0)
  if (isExtension || known.length === 0) {
    return { blocks: [...added, ...(joint === 0 ? known : [])].slice(0, MAX_RECENT), removed: [] }
  }
  const all = linked([head, ...(await fetchRange(lowest, number - 1, fetchBlock))])
  const hashes = new Set(all.map(({ hash }) => hash))
  return { blocks: all, removed: known.filter((block) => count(block.number) >= lowest && !hashes.has(block.hash)) }
}

/** Highest first. */
async function fetchRange(from: number, to: number, fetchBlock: FetchBlock): Promise<Block[]> {
  const requests: Promise<Block | null>[] = []
  for (let number = to; number >= from; number--) requests.push(fetchBlock(number))
  return (await Promise.all(requests)).filter((block) => block !== null)
}

/** The blocks up to the first that is not the parent of the one before it: the chain may move between two requests. */
function linked(blocks: readonly Block[]): Block[] {
  const end = blocks.findIndex((block, i) => i > 0 && blocks[i - 1]?.parentHash !== block.hash)
  return blocks.slice(0, end < 0 ? blocks.length : end)
}

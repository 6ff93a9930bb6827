/**
 * Which branch is the canonical one, and the way from one head to another.
 * @module
 */
import type { ChainConfig } from '../config/chainConfig.ts'
import { bytesToHex, equalBytes } from '../primitives/bytes.ts'
import { corrupt } from './blockRecord.ts'
import type { BlockStore, StoredHeader } from './blockStore.ts'
import type { ChainHeader, ForkChoice, ForkChoiceOutcome } from './contract.ts'

/**
 * Whether an imported block becomes the head. A block on top of the head does; else, under proof of work, one of a
 * greater total difficulty (of equal ones the first seen stays). Under proof of stake only fork choice changes branches.
 */
export function becomesHead(candidate: ChainHeader, head: ChainHeader, config: ChainConfig): boolean {
  if (equalBytes(candidate.header.parentHash, head.hash)) return true
  if (config.isProofOfStake(candidate.header) || config.isProofOfStake(head.header)) return false
  return candidate.totalDifficulty > head.totalDifficulty
}

/** The way from one block to another over their common ancestor. */
export interface BranchPath {
  readonly commonAncestor: StoredHeader
  /** Newest first. */
  readonly removed: readonly StoredHeader[]
  /** Oldest first. */
  readonly added: readonly StoredHeader[]
}

export function pathBetween(from: StoredHeader, to: StoredHeader, blocks: BlockStore): BranchPath {
  const removed: StoredHeader[] = []
  const added: StoredHeader[] = []
  let left = from
  let right = to
  while (!equalBytes(left.hash, right.hash)) {
    const [leftNumber, rightNumber] = [left.header.number, right.header.number]
    if (leftNumber >= rightNumber) {
      removed.push(left)
      left = parentOf(left, blocks)
    }
    if (rightNumber >= leftNumber) {
      added.push(right)
      right = parentOf(right, blocks)
    }
  }
  return { commonAncestor: left, removed, added: added.reverse() }
}

/** Whether `ancestor` is `block` or one of its ancestors. */
function isAncestor(ancestor: StoredHeader, block: StoredHeader, blocks: BlockStore): boolean {
  let current = block
  while (current.header.number > ancestor.header.number) {
    if (blocks.isCanonical(current.hash)) return blocks.isCanonical(ancestor.hash)
    current = parentOf(current, blocks)
  }
  return equalBytes(current.hash, ancestor.hash)
}

export type ResolvedForkChoice =
  | Exclude<ForkChoiceOutcome, { kind: 'updated' }>
  | {
      readonly kind: 'resolved'
      readonly head: StoredHeader
      readonly pointers: { readonly safe?: StoredHeader; readonly finalized?: StoredHeader }
    }

/** The blocks that a fork choice names; all of them stored, and safe and finalized on the way to the head. */
export function resolveForkChoice(choice: ForkChoice, blocks: BlockStore): ResolvedForkChoice {
  const head = blocks.header(choice.head)
  if (head === undefined) return { kind: 'unknown', which: 'head' }
  const pointers: { safe?: StoredHeader; finalized?: StoredHeader } = {}
  for (const which of ['safe', 'finalized'] as const) {
    const hash = choice[which]
    if (hash === undefined) continue
    const block = blocks.header(hash)
    if (block === undefined) return { kind: 'unknown', which }
    if (!isAncestor(block, head, blocks)) return { kind: 'notAncestor', which }
    pointers[which] = block
  }
  return { kind: 'resolved', head, pointers }
}

function parentOf({ header }: StoredHeader, blocks: BlockStore): StoredHeader {
  const parent = header.number === 0n ? undefined : blocks.header(header.parentHash)
  if (parent === undefined) throw corrupt(`block ${bytesToHex(header.parentHash)} is missing`)
  return parent
}

/**
 * Selects the canonical branch, and finds the path between two heads.
 * @module
 */

import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import { hasState } from '../state/contract.ts'
import type { Header } from '../types/block.ts'
import { corrupt } from './blockRecord.ts'
import type { BlockStore } from './blockStore.ts'
import type { StoredHeader } from './blockTables.ts'
import type { ChainHeader, ForkChoice, ForkChoiceOutcome } from './contract.ts'
import type { ConsensusSchedule } from './engine.ts'

/**
 * Whether an imported block becomes the head, by the finality of both engines. A block on top of the head does.
 * Otherwise the greater total difficulty wins if both engines use it (the engine may decide between equal ones), and a
 * block of immediate finality wins over blocks that are not final. With fork choice only the consensus client switches
 * branches.
 */
export function becomesHead(
  candidate: ChainHeader,
  head: ChainHeader,
  consensus: ConsensusSchedule,
  blocks: Pick<BlockStore, 'header' | 'engineRecord'>,
): boolean {
  if (equalBytes(candidate.header.parentHash, head.hash)) return true
  const ruling = consensus.claimedBy(head.header)
  if (ruling.finality !== 'difficulty') return false
  const engine = consensus.claimedBy(candidate.header)
  if (engine.finality === 'immediate') return candidate.header.number > head.header.number
  if (engine.finality !== 'difficulty') return false
  if (candidate.totalDifficulty !== head.totalDifficulty) return candidate.totalDifficulty > head.totalDifficulty
  if (engine.prefers === undefined || engine.name !== ruling.name) return false
  return engine.prefers({
    candidate,
    head,
    headers: { headerByHash: (hash) => blocks.header(hash)?.header },
    store: { get: (key) => blocks.engineRecord(engine.name, key) },
  })
}

/** @returns why a block may not coexist with the canonical block of its height; undefined when it may */
export function checkFinality(
  header: Header,
  hash: Uint8Array,
  blocks: Pick<BlockStore, 'headerByNumber'>,
  consensus: ConsensusSchedule,
): string | undefined {
  if (consensus.claimedBy(header).finality !== 'immediate') return undefined
  const final = blocks.headerByNumber(Number(header.number))
  return final === undefined || equalBytes(final.hash, hash)
    ? undefined
    : `block ${header.number} of this chain is final: ${bytesToHex(final.hash)}`
}

/** The path between two blocks via their common ancestor. */
export interface BranchPath {
  readonly commonAncestor: StoredHeader
  /** Newest first. */
  readonly removed: readonly StoredHeader[]
  /** Oldest first. */
  readonly added: readonly StoredHeader[]
}

/** Chains with different genesis blocks have no common ancestor: `commonAncestor` is then the new genesis block. */
export function pathBetween(from: StoredHeader, to: StoredHeader, blocks: BlockStore): BranchPath {
  const removed: StoredHeader[] = []
  const added: StoredHeader[] = []
  let left = from
  let right = to
  while (!equalBytes(left.hash, right.hash)) {
    const [leftNumber, rightNumber] = [left.header.number, right.header.number]
    // Another chain was loaded.
    if (leftNumber === 0n && rightNumber === 0n) {
      return { commonAncestor: right, removed: [...removed, left], added: [...added, right].reverse() }
    }
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

/** Resolves the blocks of a fork choice; all must be stored, and safe and finalized must be ancestors of the head. */
export function resolveForkChoice(choice: ForkChoice, blocks: BlockStore): ResolvedForkChoice {
  const head = blocks.header(choice.head)
  if (head === undefined) return { kind: 'unknown', which: 'head' }
  if (!hasState(head)) return { kind: 'stateNotAvailable' }
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

export function parentOf({ header }: StoredHeader, blocks: Pick<BlockStore, 'header'>): StoredHeader {
  return headerOf(header.parentHash, blocks)
}

/** @throws {NodeError} STORE_DAMAGED when the block is not stored */
export function headerOf(hash: Uint8Array, blocks: Pick<BlockStore, 'header'>): StoredHeader {
  const header = blocks.header(hash)
  if (header === undefined) throw corrupt(`block ${bytesToHex(hash)} is missing`)
  return header
}

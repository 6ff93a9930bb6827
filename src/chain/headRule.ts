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
import type { BlockRun, ChainHeader, ForkChoice, ForkChoiceOutcome } from './contract.ts'
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

/** Derived blocks of a run between two numbers, both inclusive. */
export interface RunPiece {
  readonly run: BlockRun
  readonly first: number
  readonly last: number
}

/** The path between two blocks via their common ancestor. */
export interface BranchPath {
  readonly commonAncestor: StoredHeader
  /** Newest first, without derived blocks. */
  readonly removed: readonly StoredHeader[]
  /** Oldest first, without derived blocks. */
  readonly added: readonly StoredHeader[]
  readonly removedRuns: readonly RunPiece[]
  readonly addedRuns: readonly RunPiece[]
}

/** Chains with different genesis blocks have no common ancestor: `commonAncestor` is then the new genesis block. */
export function pathBetween(from: StoredHeader, to: StoredHeader, blocks: BlockStore): BranchPath {
  const left = new Descent(from, blocks)
  const right = new Descent(to, blocks)
  while (!equalBytes(left.at.hash, right.at.hash)) {
    const [{ at: leftBlock }, { at: rightBlock }] = [left, right]
    const [leftNumber, rightNumber] = [leftBlock.header.number, rightBlock.header.number]
    // Another chain was loaded.
    if (leftNumber === rightNumber && leftNumber === BigInt(blocks.firstNumber)) {
      left.passed.push(leftBlock)
      right.passed.push(rightBlock)
      break
    }
    if (leftNumber >= rightNumber) left.step(rightBlock)
    if (rightNumber >= leftNumber) right.step(leftBlock)
  }
  return {
    commonAncestor: right.at,
    removed: left.passed,
    added: right.passed.reverse(),
    removedRuns: left.pieces,
    addedRuns: right.pieces.reverse(),
  }
}

/** The way from a block down its branch. The derived blocks of a run are passed together. */
class Descent {
  readonly passed: StoredHeader[] = []
  readonly pieces: RunPiece[] = []
  at: StoredHeader
  readonly #blocks: BlockStore

  constructor(block: StoredHeader, blocks: BlockStore) {
    this.at = block
    this.#blocks = blocks
  }

  /** @param other the present block of the other branch, which is not higher */
  step(other: StoredHeader): void {
    const block = this.at
    const run = derivingRun(block)
    if (run === undefined) {
      this.passed.push(block)
      this.at = parentOf(block, this.#blocks)
      return
    }
    const last = Number(block.header.number)
    const next = Math.min(last - 1, Math.max(run.first - 1, lowestShared(run, other)))
    this.pieces.push({ run, first: next + 1, last })
    this.at = this.#blocks.runBlock(run, next)
  }
}

/** The run of a block that is not stored. */
export function derivingRun({ run }: Pick<StoredHeader, 'run'>): BlockRun | undefined {
  return run?.isStored === false ? run.run : undefined
}

/** Lowest number that a run may have in common with the branch of another block. */
function lowestShared(run: BlockRun, { header, run: position }: StoredHeader): number {
  const other = position?.run
  // A run begins above stored blocks, so that two runs have only the blocks before both in common.
  return other === undefined || equalBytes(other.id, run.id) ? Number(header.number) : run.first - 1
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

export function parentOf(block: StoredHeader, blocks: Pick<BlockStore, 'parentOf'>): StoredHeader {
  const parent = blocks.parentOf(block)
  if (parent === undefined) throw corrupt(`block ${bytesToHex(block.header.parentHash)} is missing`)
  return parent
}

/** @throws {NodeError} STORE_DAMAGED when the block is not stored */
export function headerOf(hash: Uint8Array, blocks: Pick<BlockStore, 'header'>): StoredHeader {
  const header = blocks.header(hash)
  if (header === undefined) throw corrupt(`block ${bytesToHex(hash)} is missing`)
  return header
}

import { MAX_ATOMIC_MOVE_BLOCKS, MAX_MOVE_STEP_BLOCKS } from '../base/limits/limits.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import { corrupt } from './blockRecord.ts'
import type { BlockStore } from './blockStore.ts'
import type { StoredHeader } from './blockTables.ts'
import type { BlockRun } from './contract.ts'
import { derivingRun, headerOf, parentOf } from './headRule.ts'

/** How a change of the head is divided into batches. */
export interface MoveBounds {
  /** A change that removes and adds at most this number of blocks in total is one batch. */
  readonly atomicBlocks: number
  /** Blocks per batch of a longer change. */
  readonly stepBlocks: number
}

export const MOVE_BOUNDS: MoveBounds = { atomicBlocks: MAX_ATOMIC_MOVE_BLOCKS, stepBlocks: MAX_MOVE_STEP_BLOCKS }

/** Maximum number of cached hashes of the target's branch; beyond it every second one is dropped. */
const MAX_MILESTONES = 4096

interface Milestone {
  readonly number: number
  readonly hash: Uint8Array
}

/**
 * The path from the head to any stored block. It only stores milestones: the head reverts to the common ancestor along
 * the canonical index, and advances along the target's branch, whose hashes are found again from the next milestone.
 */
export class HeadMove {
  readonly target: StoredHeader
  /** Blocks of the target's branch, highest first, `#spacing` apart. */
  #milestones: Milestone[]
  #spacing = 1
  /** Lowest examined block of the target's branch; finally the common ancestor. */
  #lowest: StoredHeader
  /** Derived blocks above `#lowest` on the target's branch. */
  #derivedBlocks = 0
  #isFound = false
  #isOnBranch = false

  constructor(target: StoredHeader) {
    this.target = target
    this.#lowest = target
    this.#milestones = [milestoneOf(target)]
  }

  /**
   * Walks down the target's branch to the canonical chain, which ends at the head. After a store miss a repeated call
   * resumes where it stopped.
   * @param limit maximum number of headers to read
   * @returns whether the common ancestor was found
   * @throws {StoreMiss}
   */
  findAncestor(blocks: BlockStore, limit: number): boolean {
    for (let read = 0; !this.#isFound; read++) {
      if (blocks.isCanonical(this.#lowest.hash)) {
        this.#isFound = true
        break
      }
      if (read >= limit) return false
      const before = numberOf(this.#lowest)
      const run = derivingRun(this.#lowest)
      if (run === undefined) this.#lowest = parentOf(this.#lowest, blocks)
      else {
        this.#lowest = blocks.runBlock(run, newestCanonical(run, before, blocks))
        this.#derivedBlocks += before - numberOf(this.#lowest)
      }
      this.#addMilestone(this.#lowest)
    }
    return true
  }

  /** Number of blocks that the change removes and adds, without derived ones. */
  length(head: StoredHeader, blocks: BlockStore): number {
    const lowest = numberOf(this.#lowest)
    const derived = this.#derivedBlocks + blocks.runs.count(lowest + 1, numberOf(head))
    return numberOf(head) + numberOf(this.target) - 2 * lowest - derived
  }

  /**
   * The next head: the target, or a block on the path to it.
   * @param head the current position: first the original head, then the result of the preceding call
   * @throws {StoreMiss}
   */
  next(head: StoredHeader, blocks: BlockStore, stepBlocks: number): StoredHeader {
    const at = numberOf(head)
    this.#isOnBranch ||= equalBytes(head.hash, this.#lowest.hash)
    if (!this.#isOnBranch) {
      const number = Math.max(numberOf(this.#lowest), at - stepBlocks)
      const block = blocks.headerByNumber(number)
      if (block === undefined) throw corrupt(`block ${number} is not in the canonical index`)
      const run = derivingRun(block)
      return run === undefined ? block : blocks.runBlock(run, Math.max(numberOf(this.#lowest), run.first - 1))
    }
    return this.#branchBlock(Math.min(numberOf(this.target), at + stepBlocks), blocks)
  }

  #branchBlock(number: number, blocks: BlockStore): StoredHeader {
    const from = this.#milestones.findLast((milestone) => milestone.number >= number)
    let block = from === undefined ? this.target : headerOf(from.hash, blocks)
    while (numberOf(block) > number) {
      const parent = parentOf(block, blocks)
      const run = derivingRun(parent)
      // A step passes a whole run, which costs as much as one block.
      if (run === undefined) block = parent
      else if (run.first > number) block = blocks.runBlock(run, run.first - 1)
      else return block
    }
    return block
  }

  #addMilestone(block: StoredHeader): void {
    if ((numberOf(this.target) - numberOf(block)) % this.#spacing !== 0) return
    this.#milestones.push(milestoneOf(block))
    if (this.#milestones.length < MAX_MILESTONES) return
    this.#milestones = this.#milestones.filter((_, i) => i % 2 === 0)
    this.#spacing *= 2
  }
}

/** The highest canonical block of a run below a number, or the block before the run. */
function newestCanonical(run: BlockRun, below: number, blocks: BlockStore): number {
  let low = run.first - 1
  let high = below - 1
  // Canonical blocks of a run are its first ones.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const hash = blocks.canonicalHash(middle)
    if (hash !== undefined && equalBytes(hash, run.hashOf(middle))) low = middle
    else high = middle - 1
  }
  return low
}

function milestoneOf(block: StoredHeader): Milestone {
  return { number: numberOf(block), hash: block.hash }
}

function numberOf({ header }: StoredHeader): number {
  return Number(header.number)
}

import { MAX_ATOMIC_MOVE_BLOCKS, MAX_MOVE_STEP_BLOCKS } from '../base/limits/limits.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import { corrupt } from './blockRecord.ts'
import type { BlockStore } from './blockStore.ts'
import type { StoredHeader } from './blockTables.ts'
import { headerOf, parentOf } from './headRule.ts'

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
      this.#lowest = parentOf(this.#lowest, blocks)
      this.#addMilestone(this.#lowest)
    }
    return true
  }

  /** Number of blocks that the change removes and adds. */
  length(head: StoredHeader): number {
    return numberOf(head) + numberOf(this.target) - 2 * numberOf(this.#lowest)
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
      return block
    }
    return this.#branchBlock(Math.min(numberOf(this.target), at + stepBlocks), blocks)
  }

  #branchBlock(number: number, blocks: BlockStore): StoredHeader {
    const from = this.#milestones.findLast((milestone) => milestone.number >= number)
    let block = from === undefined ? this.target : headerOf(from.hash, blocks)
    while (numberOf(block) > number) block = parentOf(block, blocks)
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

function milestoneOf(block: StoredHeader): Milestone {
  return { number: numberOf(block), hash: block.hash }
}

function numberOf({ header }: StoredHeader): number {
  return Number(header.number)
}

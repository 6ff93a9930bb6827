import { MAX_ATOMIC_MOVE_BLOCKS, MAX_MOVE_STEP_BLOCKS } from '../config/limits.ts'
import { bytesToHex, equalBytes } from '../primitives/bytes.ts'
import { corrupt } from './blockRecord.ts'
import type { BlockStore, StoredHeader } from './blockStore.ts'

/** How a move of the head is cut into batches. */
export interface MoveBounds {
  /** A move over at most this many blocks, removed and added ones together, is one batch. */
  readonly atomicBlocks: number
  /** Blocks of one batch of a longer move. */
  readonly stepBlocks: number
}

export const MOVE_BOUNDS: MoveBounds = { atomicBlocks: MAX_ATOMIC_MOVE_BLOCKS, stepBlocks: MAX_MOVE_STEP_BLOCKS }

/** Hashes of the target's branch kept at once; from then on every second one is dropped. */
const MAX_MILESTONES = 4096

interface Milestone {
  readonly number: number
  readonly hash: Uint8Array
}

/**
 * The way from the head to any stored block, of which only milestones are kept: the head goes back to the common ancestor
 * along the canonical index, and forward along the target's branch, whose hashes are found again from the next milestone.
 */
export class HeadMove {
  readonly target: StoredHeader
  /** Blocks of the target's branch, highest first, `#spacing` apart. */
  #milestones: Milestone[]
  #spacing = 1
  /** Lowest block of the target's branch that was looked at; the common ancestor once it is canonical. */
  #lowest: StoredHeader
  #isFound = false
  #isOnBranch = false

  constructor(target: StoredHeader) {
    this.target = target
    this.#lowest = target
    this.#milestones = [milestoneOf(target)]
  }

  /**
   * Walks down the target's branch to the canonical chain, which ends at the head. After a miss the same call goes on
   * where it stopped.
   * @param limit headers to read at most
   * @returns whether the common ancestor is found
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

  /** Blocks that the move removes and adds. */
  length(head: StoredHeader): number {
    return numberOf(head) + numberOf(this.target) - 2 * numberOf(this.#lowest)
  }

  /**
   * The block that the next step makes the head: the target, or one on the way to it.
   * @param head where the move stands: the head that it began with, then the block that the last call gave
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

function parentOf({ header }: StoredHeader, blocks: BlockStore): StoredHeader {
  return headerOf(header.parentHash, blocks)
}

function headerOf(hash: Uint8Array, blocks: BlockStore): StoredHeader {
  const header = blocks.header(hash)
  if (header === undefined) throw corrupt(`block ${bytesToHex(hash)} is missing`)
  return header
}

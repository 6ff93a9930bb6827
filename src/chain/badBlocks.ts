import { MAX_BAD_BLOCKS } from '../base/limits/limits.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import type { Emitter } from '../base/primitives/events.ts'
import type { BadBlock, ChainEvents } from './contract.ts'
import type { PreparedBlock } from './preparedBlock.ts'

/** The latest blocks that were rejected as invalid, each once. */
export class BadBlocks {
  readonly #events: Emitter<ChainEvents>
  readonly #blocks: BadBlock[] = []

  constructor(events: Emitter<ChainEvents>) {
    this.#events = events
  }

  /** Newest first. */
  get list(): readonly BadBlock[] {
    return [...this.#blocks]
  }

  clear(): void {
    this.#blocks.length = 0
  }

  add({ block, hash, rlp }: PreparedBlock, reason: string): void {
    const index = this.#blocks.findIndex((bad) => equalBytes(bad.hash, hash))
    if (index >= 0) this.#blocks.splice(index, 1)
    const bad: BadBlock = { block, hash, rlp, reason }
    this.#blocks.unshift(bad)
    if (this.#blocks.length > MAX_BAD_BLOCKS) this.#blocks.pop()
    this.#events.emit('badBlock', bad)
  }
}

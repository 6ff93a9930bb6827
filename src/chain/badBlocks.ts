import { BAD_BLOCK_BYTES, MAX_BAD_BLOCKS } from '../base/limits/limits.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import type { Emitter } from '../base/primitives/events.ts'
import type { BadBlock, ChainEvents } from './contract.ts'
import type { PreparedBlock } from './preparedBlock.ts'

/** The latest blocks that were rejected as invalid, each once. */
export class BadBlocks {
  readonly #events: Emitter<ChainEvents>
  readonly #blocks: BadBlock[] = []
  #bytes = 0

  constructor(events: Emitter<ChainEvents>) {
    this.#events = events
  }

  /** Newest first. */
  get list(): readonly BadBlock[] {
    return [...this.#blocks]
  }

  clear(): void {
    this.#blocks.length = 0
    this.#bytes = 0
  }

  add({ hash, rlp }: PreparedBlock, reason: string): void {
    // The RLP may be part of a larger message.
    const bad: BadBlock = { hash, rlp: new Uint8Array(rlp), reason }
    this.#remove(this.#blocks.findIndex((other) => equalBytes(other.hash, hash)))
    if (rlp.length <= BAD_BLOCK_BYTES) {
      this.#blocks.unshift(bad)
      this.#bytes += rlp.length
      while (this.#bytes > BAD_BLOCK_BYTES || this.#blocks.length > MAX_BAD_BLOCKS)
        this.#remove(this.#blocks.length - 1)
    }
    this.#events.emit('badBlock', bad)
  }

  /** @param index -1: none */
  #remove(index: number): void {
    if (index < 0) return
    for (const { rlp } of this.#blocks.splice(index, 1)) this.#bytes -= rlp.length
  }
}

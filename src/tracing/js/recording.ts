import type { RecordedParts } from './batch.ts'
import { MISS_MEMORY, MISS_MEMORY_SIZE, MISS_WORDS } from './program/layout.ts'

/** After this many repetitions, a trace runs without batches. */
const MAX_REPETITIONS = 8
const DETAIL = 0xffff
const STACK_LIMIT = 1024

/** Opcodes that read memory for others: hashes, copies to the outside, logs, calls, creations and returns. */
const READERS: readonly number[] = [0x20, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xfa, 0xfd]

/**
 * Chooses the parts of each step that are recorded for a tracer. A tracer that uses more ends its trace, which then
 * runs again with more, because recording everything would take most of the time.
 */
export class Recording {
  #words = 0
  #hasMemorySize = false
  #memory: Uint8Array | undefined
  #isLive: boolean
  #repetitions = 0

  /** @param isLive whether to begin without batches, for an execution that cannot be repeated */
  constructor(isLive: boolean) {
    this.#isLive = isLive
  }

  /** Whether each step is traced when it happens. */
  get isLive(): boolean {
    return this.#isLive
  }

  /** Parts to record until the trace runs again. */
  get parts(): RecordedParts {
    if (this.#isLive) return { words: STACK_LIMIT, memorySize: true, memory: undefined }
    return { words: this.#words, memorySize: this.#hasMemorySize, memory: this.#memory }
  }

  /** @param miss the part that the tracer lacked, see layout.ts */
  learn(miss: number): void {
    const detail = miss & DETAIL
    switch (miss - detail) {
      case MISS_WORDS:
        this.#words = [8, 32].find((words) => detail <= words) ?? STACK_LIMIT
        break
      case MISS_MEMORY_SIZE:
        this.#hasMemorySize = true
        break
      case MISS_MEMORY: {
        const memory = this.#memory ?? new Uint8Array(256)
        for (const opcode of READERS.includes(detail) ? READERS : [detail]) memory[opcode] = 1
        this.#memory = memory
        break
      }
      default:
        this.goLive()
    }
    this.#repetitions++
    if (this.#repetitions > MAX_REPETITIONS) this.goLive()
  }

  goLive(): void {
    this.#isLive = true
  }
}

/** A trace must run again, because its recording has learned. It never leaves {@link runScript}. */
export class TraceRestart extends Error {
  override readonly name = 'TraceRestart'
}

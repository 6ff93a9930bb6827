import { bytesToHexUnprefixed, equalBytes } from '../base/primitives/bytes.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import { changeBytes, type StateChange } from './stateChange.ts'

/**
 * The effect of one step of a block. The first step precedes the transactions; each transaction is one further step.
 */
export interface BlockStep {
  readonly change: StateChange
  readonly logs: number
}

interface Entry {
  /** The state on which the block ran. It is part of the key because a dev chain can amend it. */
  readonly baseRoot: Uint8Array
  readonly steps: readonly BlockStep[]
}

const NO_STEPS: readonly BlockStep[] = []

/** Caches the first steps of recently replayed blocks. */
export class TracedChanges {
  readonly #blocks: LruCache<string, Entry>

  constructor(bytes: number) {
    this.#blocks = new LruCache(bytes)
  }

  /** @param baseRoot root of the state after the parent, 32 bytes */
  of(blockHash: Uint8Array, baseRoot: Uint8Array): readonly BlockStep[] {
    const entry = this.#blocks.get(bytesToHexUnprefixed(blockHash))
    return entry !== undefined && equalBytes(entry.baseRoot, baseRoot) ? entry.steps : NO_STEPS
  }

  /** Stores the steps if they are more than those already cached. */
  keep(blockHash: Uint8Array, baseRoot: Uint8Array, steps: readonly BlockStep[]): void {
    if (steps.length <= this.of(blockHash, baseRoot).length) return
    let bytes = 0
    for (const { change } of steps) bytes += changeBytes(change)
    this.#blocks.set(bytesToHexUnprefixed(blockHash), { baseRoot, steps }, bytes)
  }
}

import { TRACED_CHANGES_BYTES } from '../config/limits.ts'
import { bytesToHexUnprefixed, equalBytes } from '../primitives/bytes.ts'
import { LruCache } from '../primitives/lruCache.ts'
import { changeBytes, type StateChange } from './stateChange.ts'

/** What one step of a block did: the first is what it does before its transactions, then there is one a transaction. */
export interface BlockStep {
  readonly change: StateChange
  readonly logs: number
}

interface Entry {
  /** What the block was run on: on the dev chain it may have been set from outside. */
  readonly baseRoot: Uint8Array
  readonly steps: readonly BlockStep[]
}

const NO_STEPS: readonly BlockStep[] = []

/** Steps of blocks that were run again lately, from the first on. */
export class TracedChanges {
  readonly #blocks = new LruCache<string, Entry>(TRACED_CHANGES_BYTES)

  /** @param baseRoot root of the state after the parent, 32 bytes */
  of(blockHash: Uint8Array, baseRoot: Uint8Array): readonly BlockStep[] {
    const entry = this.#blocks.get(bytesToHexUnprefixed(blockHash))
    return entry !== undefined && equalBytes(entry.baseRoot, baseRoot) ? entry.steps : NO_STEPS
  }

  /** Takes over the steps when they are more than what is there. */
  keep(blockHash: Uint8Array, baseRoot: Uint8Array, steps: readonly BlockStep[]): void {
    if (steps.length <= this.of(blockHash, baseRoot).length) return
    let bytes = 0
    for (const { change } of steps) bytes += changeBytes(change)
    this.#blocks.set(bytesToHexUnprefixed(blockHash), { baseRoot, steps }, bytes)
  }
}

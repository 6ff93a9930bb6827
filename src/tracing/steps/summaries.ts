import { STEP_SUMMARIES_BYTES } from '../../base/limits/limits.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import type { RunSummary } from './contract.ts'

/** Where the summary of one execution is kept. */
export interface SummaryPlace {
  summary: RunSummary | undefined
}

/** Memory of an entry in addition to its key (estimate). */
const ENTRY_BYTES = 256

/** Summaries of executions that were followed to their end lately. */
export class StepSummaries {
  readonly #summaries = new LruCache<string, RunSummary>(STEP_SUMMARIES_BYTES)

  /** @param key names the execution and the state on which it runs; undefined: it cannot be named, nothing is kept */
  place(key: string | undefined): SummaryPlace {
    if (key === undefined) return { summary: undefined }
    const summaries = this.#summaries
    return {
      get summary() {
        return summaries.get(key)
      },
      set summary(summary) {
        if (summary !== undefined) summaries.set(key, summary, ENTRY_BYTES + 2 * key.length)
      },
    }
  }
}

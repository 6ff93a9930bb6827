import { REFRESH_MS, SEARCH_MS, SWEEP_MS } from './rules.ts'

export type UpkeepTask = 'sweep' | 'refresh' | 'search'

const INTERVALS: Readonly<Record<UpkeepTask, number>> = { sweep: SWEEP_MS, refresh: REFRESH_MS, search: SEARCH_MS }

/** Times of the tasks that recur. */
export class Upkeep {
  readonly #atMs: Record<UpkeepTask, number>

  constructor(nowMs: number) {
    this.#atMs = { sweep: nowMs + SWEEP_MS, refresh: nowMs + REFRESH_MS, search: nowMs + SEARCH_MS }
  }

  /** Monotonic time of the next task. */
  get nextAtMs(): number {
    return Math.min(this.#atMs.sweep, this.#atMs.refresh, this.#atMs.search)
  }

  /** @returns whether the time of a task has come, once per interval */
  isDue(task: UpkeepTask, nowMs: number): boolean {
    if (nowMs < this.#atMs[task]) return false
    this.#atMs[task] = nowMs + INTERVALS[task]
    return true
  }
}

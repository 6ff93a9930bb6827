import { MAX_METHOD_LENGTH, plainText } from '../abi/plainText.ts'
import { grouped } from '../base/primitives/amounts.ts'
import type { CallEntry } from './entries.ts'
import type { Report } from './output.ts'

/** Longest time before the number of repetitions is printed. */
const MAX_RUN_MS = 10_000

/**
 * Consecutive equal calls, as polling clients make them: with the same method and the same error, if any. The first is
 * printed, the others are counted.
 */
export class RepeatedCalls {
  #method: string | undefined
  #error: string | undefined
  #count = 0
  #sinceMs = 0

  get isCounting(): boolean {
    return this.#count > 0
  }

  isDue(nowMs: number): boolean {
    return this.isCounting && nowMs - this.#sinceMs >= MAX_RUN_MS
  }

  /** @returns whether the call was counted and is not printed */
  count({ method, error, executed, startedMs }: CallEntry): boolean {
    if (method !== this.#method || error?.message !== this.#error || executed !== undefined) return false
    if (this.#count++ === 0) this.#sinceMs = startedMs
    return true
  }

  /**
   * A call that is printed.
   * @param reports receives the end of the run before it
   */
  begin({ method, error, executed }: CallEntry, reports: Report[]): void {
    this.end(reports)
    this.#method = executed === undefined ? method : undefined
    this.#error = error?.message
  }

  /** Ends the run and reports its repetitions; the next call is printed. */
  end(reports: Report[]): void {
    const method = this.#method
    const count = this.#count
    this.#method = undefined
    this.#count = 0
    if (method !== undefined && count > 0) reports.push(repetitions(method, count))
  }
}

function repetitions(method: string, count: number): Report {
  return {
    level: 'info',
    kind: 'calls',
    text: (paint) => plainText(method, MAX_METHOD_LENGTH) + paint('dim', `  ${grouped(count)} more`),
    record: () => ({ method: plainText(method, MAX_METHOD_LENGTH), count }),
  }
}

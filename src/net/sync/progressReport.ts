/**
 * Shows the progress of synchronisation: a line in a terminal, messages in a log.
 * @module
 */

import { SYNC_REPORT_INTERVAL_MS } from '../../base/limits/networkLimits.ts'
import type { Clock, Logger } from '../../base/ports/host.ts'
import type { ShowProgress } from '../../base/ports/progress.ts'
import type { ImportProgress } from '../../chain/importReport.ts'

export interface ProgressReportDeps {
  readonly clock: Clock
  readonly logger: Logger
  readonly showProgress?: ShowProgress | undefined
}

/** Numbers of blocks. */
export interface ProgressRange {
  readonly first: bigint
  readonly current: bigint
  readonly highest: bigint
}

const WORK = 'synchronising'
const SECOND_MS = 1000
const GAS_PER_MEGAGAS = 1e6

/** Counters since the last rate was computed. */
interface Interval {
  startedMs: number
  blocks: number
  gas: bigint
}

/** Covers all rounds from the start of synchronisation to its end. */
export class ProgressReport {
  readonly #deps: ProgressReportDeps
  readonly #startedMs: number
  readonly #first: bigint
  #blocks = 0
  #interval: Interval
  /** Counters of the current round that are already included. */
  #counted = { blocks: 0, gas: 0n }
  #rate = { blocksPerSecond: 0, megagasPerSecond: 0 }

  constructor(deps: ProgressReportDeps, { current, highest }: ProgressRange, peer: string) {
    const now = deps.clock.monotonic()
    this.#deps = deps
    this.#startedMs = now
    this.#first = current
    this.#interval = { startedMs: now, blocks: 0, gas: 0n }
    deps.logger.info(WORK, { from: current, to: highest, peer })
  }

  /** A further round begins, whose counters start at 0. */
  nextRound(): void {
    this.#counted = { blocks: 0, gas: 0n }
  }

  add({ imported, gasUsed }: ImportProgress, range: ProgressRange, peers: number): void {
    this.#blocks += imported - this.#counted.blocks
    this.#interval.blocks += imported - this.#counted.blocks
    this.#interval.gas += gasUsed - this.#counted.gas
    this.#counted = { blocks: imported, gas: gasUsed }
    const elapsedMs = this.#deps.clock.monotonic() - this.#interval.startedMs
    const isDue = elapsedMs >= SYNC_REPORT_INTERVAL_MS
    if (isDue || this.#rate.blocksPerSecond === 0) this.#measure(elapsedMs)
    if (isDue) this.#interval = { startedMs: this.#deps.clock.monotonic(), blocks: 0, gas: 0n }
    this.#show(range, peers, isDue)
  }

  end(current: bigint): void {
    const seconds = rounded((this.#deps.clock.monotonic() - this.#startedMs) / SECOND_MS)
    this.#deps.logger.info('in sync', { block: current, imported: this.#blocks, seconds })
  }

  #measure(elapsedMs: number): void {
    const seconds = Math.max(elapsedMs, 1) / SECOND_MS
    const { blocks, gas } = this.#interval
    this.#rate = { blocksPerSecond: blocks / seconds, megagasPerSecond: Number(gas) / GAS_PER_MEGAGAS / seconds }
  }

  #show({ current, highest }: ProgressRange, peers: number, isDue: boolean): void {
    const { showProgress, logger } = this.#deps
    if (showProgress === undefined && !isDue) return
    const { blocksPerSecond, megagasPerSecond } = this.#rate
    const blocksLeft = Number(highest - current)
    const remainingMs = blocksPerSecond > 0 ? (blocksLeft / blocksPerSecond) * SECOND_MS : undefined
    const fields = {
      block: current,
      of: highest,
      'blocks/s': Math.round(blocksPerSecond),
      'Mgas/s': rounded(megagasPerSecond),
      peers,
    }
    if (showProgress !== undefined) {
      const whole = Number(highest - this.#first)
      const fraction = whole <= 0 ? 1 : Math.min(1, Math.max(0, 1 - blocksLeft / whole))
      showProgress({ work: WORK, fields, fraction, remainingMs })
      return
    }
    const remaining = remainingMs === undefined ? {} : { remainingSeconds: Math.round(remainingMs / SECOND_MS) }
    logger.info(WORK, { ...fields, ...remaining })
  }
}

function rounded(value: number): number {
  return Number(value.toFixed(1))
}

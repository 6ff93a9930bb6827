/**
 * The log of the dev chain: calls, transactions and blocks, in the order in which they began. Nothing is prepared while
 * a request is answered; entries are printed together, a few times per second, within a share of the time.
 * @module
 */

import { CONSOLE_ADDRESS } from '../abi/consoleAddress.ts'
import {
  LOG_FLUSH_BUDGET_MS,
  LOG_FLUSH_ENTRIES,
  LOG_FLUSH_MS,
  LOG_NEXT_FLUSH_MS,
  LOG_TIME_SHARE,
  MAX_LOG_PAUSE_MS,
} from '../base/limits/limits.ts'
import type { Clock } from '../base/ports/host.ts'
import type { Timer, Timers } from '../base/ports/timers.ts'
import type { ChainEvents, ChainReader } from '../chain/contract.ts'
import type { DerivedBlocks } from '../chain/sealRun.ts'
import type { SealedBlock } from '../chain/writeTask.ts'
import { ActivityReports, type ReportSources } from './activityReports.ts'
import { type BlockEntry, CallEntry, type Entry, type Explain } from './entries.ts'
import { EntryQueue } from './entryQueue.ts'
import type { ActivityOutput, Report } from './output.ts'
import { RepeatedCalls } from './repeatedCalls.ts'
import { backReport, blockReport, droppedReport, emptyReport, noteReport, omittedPathsReport } from './smallReports.ts'

export interface ActivityLogOptions extends ReportSources {
  readonly chain: ReportSources['chain'] & Pick<ChainReader, 'head'>
  readonly output: ActivityOutput
  readonly clock: Clock
  readonly timers: Timers
}

/** Methods that change something. The explorer asks all the time, so its other calls are not logged. */
const ACTION = /^(?:eth_send|evm_|anvil_|hardhat_|ganache_|isonode_set|personal_|wallet_)/

/** Time that an unfinished call delays later entries; it is then printed at its end. */
const CALL_WAIT_MS = 250

export class ActivityLog {
  readonly watchedAddress: Uint8Array = CONSOLE_ADDRESS
  readonly #options: ActivityLogOptions
  readonly #reports: ActivityReports
  readonly #queue = new EntryQueue()
  readonly #repeated = new RepeatedCalls()
  /** The last call that looked at the clock: its start on the monotonic clock, and its time since 1970. */
  #lastStartedMs = Number.NEGATIVE_INFINITY
  #lastTimeMs = 0
  #timer: Timer | undefined
  /** The report that waits for a trace or for files, as far as it is known. */
  #waiting: (() => Report) | undefined
  #isClosed = false
  /** The pause grows after a long write, so that the log never takes more than its share of the time. */
  #pauseMs = LOG_FLUSH_MS

  constructor(options: ActivityLogOptions) {
    this.#options = options
    this.#reports = new ActivityReports(options, (line) => this.note('warn', line))
  }

  /**
   * Called before a JSON-RPC method runs.
   * @param startedMs monotonic, milliseconds
   */
  begin(method: string, startedMs: number, isOwnPage = false): CallEntry | undefined {
    if (isOwnPage && !ACTION.test(method)) return undefined
    const { output, contracts } = this.#options
    const explains = contracts.library !== undefined
    if (!output.isOn && !explains) return undefined
    const start = { startedMs, timeMs: this.#timeOf(startedMs) }
    const entry = new CallEntry(method, start, CONSOLE_ADDRESS, this.#ended, explains ? this.#explain : undefined)
    if (!output.isOn) return entry
    if (!this.#queue.add(entry)) entry.isDropped = true
    this.#schedule()
    return entry
  }

  /** Calls that begin within a millisecond have the same time, so that batches need not look at the clock each time. */
  #timeOf(startedMs: number): number {
    const { clock } = this.#options
    if (startedMs - this.#lastStartedMs >= 1) {
      this.#lastStartedMs = startedMs
      this.#lastTimeMs = clock.now()
    }
    return this.#lastTimeMs
  }

  readonly #explain: Explain = (entry, error) => this.#reports.explain(entry, error)

  readonly #ended = (entry: CallEntry): void => {
    if (!entry.isDetached) return
    this.#queue.add(entry)
    this.#schedule()
  }

  /** Called when a block of the producer is committed. */
  sealed(block: SealedBlock): void {
    if (!this.#options.output.isOn) return
    this.#queue.addBlock(block, this.#options.clock.now())
    this.#schedule()
  }

  /** Called with empty blocks that are not stored. */
  derived({ first, last }: DerivedBlocks): void {
    if (!this.#options.output.isOn) return
    this.#queue.addEmpty(first, last, this.#options.clock.now())
    this.#schedule()
  }

  /** Called when the head has changed. */
  headMoved({ head, added, removed }: ChainEvents['head']): void {
    if (removed.length === 0 || added.length > 0 || !this.#options.output.isOn) return
    this.#queue.add({ kind: 'back', head, timeMs: this.#options.clock.now() })
    this.#schedule()
  }

  note(level: 'info' | 'warn', text: string): void {
    this.#queue.add({ kind: 'note', level, text, timeMs: this.#options.clock.now() })
    this.#schedule()
  }

  /** Prints everything that is known, without call paths that would have to be computed. */
  flush(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    const reports: Report[] = []
    if (this.#waiting !== undefined) reports.push(this.#waiting())
    this.#waiting = undefined
    for (let entry = this.#queue.first; entry !== undefined; entry = this.#queue.first) {
      if (entry.kind === 'block') this.#addBlock(entry, reports)
      else if (entry.kind !== 'call' || entry.durationMs !== undefined) this.#addSmall(entry, reports)
      this.#queue.shift()
    }
    this.#repeated.end(reports)
    this.#write(reports)
  }

  close(): void {
    this.flush()
    this.#isClosed = true
  }

  #schedule(): void {
    if (this.#waiting !== undefined || this.#isClosed) return
    this.#timer ??= this.#options.timers.schedule(this.#pauseMs, () => {
      this.#timer = undefined
      this.#run()
    })
  }

  /** Prints entries until the time is used up, or until a report has to wait. */
  #run(): void {
    const { clock, output } = this.#options
    const reports: Report[] = []
    const startedMs = clock.monotonic()
    // Entries pile up to a limit; beyond it they are only counted.
    for (let left = output.isBehind ? 0 : LOG_FLUSH_ENTRIES; left > 0; left--) {
      const entry = this.#queue.first
      if (entry === undefined) break
      if (entry.kind === 'call' && entry.durationMs !== undefined && entry.executed === undefined) {
        this.#queue.shift()
        this.#addCall(entry, reports)
        continue
      }
      if (entry.kind === 'call' && this.#mustWait(entry, startedMs)) break
      if (this.#add(entry, reports) || clock.monotonic() - startedMs >= LOG_FLUSH_BUDGET_MS) break
    }
    if (this.#repeated.isDue(startedMs)) this.#repeated.end(reports)
    this.#write(reports)
    const isLeft = this.#queue.size > 0
    const pauseMs = (clock.monotonic() - startedMs) / LOG_TIME_SHARE
    this.#pauseMs = Math.min(Math.max(isLeft ? LOG_NEXT_FLUSH_MS : LOG_FLUSH_MS, pauseMs), MAX_LOG_PAUSE_MS)
    if (isLeft || this.#repeated.isCounting) this.#schedule()
  }

  /** The next entry waits for this report. */
  #await(entry: Entry, pending: Promise<Report>, known: () => Report): void {
    const waiting = (): Report => timed(entry, known())
    this.#waiting = waiting
    const print = (report: Report): void => {
      // A flush has printed it.
      if (this.#waiting !== waiting) return
      this.#waiting = undefined
      this.#write([timed(entry, report)])
      if (this.#queue.size > 0) this.#schedule()
    }
    pending.then(print, () => print(known()))
  }

  /** A call that runs too long leaves the queue. */
  #mustWait(entry: CallEntry, nowMs: number): boolean {
    if (entry.durationMs !== undefined || entry.isDetached) return false
    return nowMs - entry.startedMs < CALL_WAIT_MS
  }

  /** @returns whether the next entry has to wait for this report */
  #add(entry: Entry, reports: Report[]): boolean {
    if (entry.kind === 'block') return this.#addTransaction(entry, reports)
    this.#queue.shift()
    if (entry.kind === 'call' && entry.durationMs === undefined) {
      entry.isDetached = true
      return false
    }
    if (entry.kind === 'call') {
      const pending = this.#reports.lateCall(entry)
      if (pending !== undefined) {
        this.#repeated.end(reports)
        this.#await(entry, pending, () => this.#reports.call(entry))
        return true
      }
    }
    this.#addSmall(entry, reports)
    return false
  }

  #addTransaction(entry: BlockEntry, reports: Report[]): boolean {
    const { sealed } = entry
    if (entry.next === 0) this.#beginBlock(entry, reports)
    const index = entry.next++
    if (entry.next >= sealed.included.length) this.#queue.shift()
    const pending = this.#reports.lateTransaction(sealed, index)
    if (pending === undefined) reports.push(timed(entry, this.#reports.transaction(sealed, index)))
    else this.#await(entry, pending, () => this.#reports.transaction(sealed, index))
    return pending !== undefined
  }

  #beginBlock(entry: BlockEntry, reports: Report[]): void {
    this.#repeated.end(reports)
    if (entry.sealed.included.length > 1) reports.push(timed(entry, blockReport(entry.sealed)))
  }

  #addBlock(entry: BlockEntry, reports: Report[]): void {
    const { sealed, next } = entry
    if (next === 0) this.#beginBlock(entry, reports)
    for (let index = next; index < sealed.included.length; index++)
      reports.push(timed(entry, this.#reports.transaction(sealed, index)))
  }

  #addCall(entry: CallEntry, reports: Report[]): void {
    if (entry.isDropped || this.#repeated.count(entry)) return
    this.#repeated.begin(entry, reports)
    reports.push(timed(entry, this.#reports.call(entry)))
  }

  #addSmall(entry: Exclude<Entry, BlockEntry>, reports: Report[]): void {
    if (entry.kind === 'call') {
      this.#addCall(entry, reports)
      return
    }
    this.#repeated.end(reports)
    switch (entry.kind) {
      case 'empty':
        reports.push(timed(entry, emptyReport(entry)))
        break
      case 'back':
        reports.push(timed(entry, backReport(entry)))
        break
      case 'note':
        reports.push(timed(entry, noteReport(entry)))
    }
  }

  #write(reports: Report[]): void {
    const dropped = this.#queue.takeDropped()
    if (dropped !== undefined) reports.push(droppedReport(dropped))
    const paths = this.#reports.takeOmittedPaths()
    if (paths > 0) reports.push(omittedPathsReport(paths))
    if (reports.length > 0) this.#options.output.write(reports)
  }
}

function timed({ timeMs }: Entry, report: Report): Report {
  report.timeMs = timeMs
  return report
}

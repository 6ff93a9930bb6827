/**
 * Unsent bytes of all connections of a node: answers, streamed results, notifications, and texts under construction for
 * an answer.
 *
 * There are four levels. Below the first all work may begin. Below the second only connections without a backlog may
 * begin work, so that clients that read are served while others do not; below the third only those whose clients have
 * waited for each answer. Above the fourth the connection with the largest backlog is terminated immediately. Between
 * the first and the fourth, connections without progress for a while are terminated, largest first.
 * @module
 */
import {
  MAX_CONNECTION_BACKLOG_BYTES,
  MAX_OUTBOUND_BYTES,
  OUTBOUND_CHECK_MS,
  OUTBOUND_STALL_MS,
  OUTBOUND_URGENT_STALL_MS,
  RESPONSE_STALL_MS,
  RPC_TIME_SLICE_MS,
} from '../../base/limits/limits.ts'
import type { Clock } from '../../base/ports/host.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'
import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import type { PendingAccount } from '../../base/primitives/byteStream.ts'

export interface OutboundBudgetOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly yieldToHost: YieldToHost
  readonly timers: Timers
  readonly maxBytes?: number
  /** A connection without progress for this time is terminated when others need its memory. */
  readonly stallMs?: number
  /** Such a connection is terminated after this time while no work may begin. */
  readonly urgentStallMs?: number
  /** Called with the number of terminated connections. */
  readonly onEnded?: (count: number) => void
}

export interface OutboundOwner {
  /** Terminates the connection immediately. */
  end(reason: string): void
  /** Returns the unsent bytes that have to be polled, beside those that are reported by `add` and `sent`. */
  measure?(): number
}

/** Bytes of waiting requests that are allowed on one connection while others keep the budget full. */
const MAX_PATIENT_BYTES = 65_536

interface Waiting {
  readonly account: OutboundAccount
  readonly gate: Pick<PendingAccount, 'mayBegin'>
  readonly run: () => void
}

export class OutboundBudget {
  /** Below it connections with a backlog may begin work. */
  readonly busyLimit: number
  /** Below it connections without a backlog may begin work. */
  readonly idleLimit: number
  /** Below it texts for answers may be built, and patient clients are served. */
  readonly holdLimit: number
  readonly #options: OutboundBudgetOptions
  readonly #maxBytes: number
  readonly #backlogged = new Set<OutboundAccount>()
  #waiting = new Set<Waiting>()
  #total = 0
  #isWaking = false
  #turnEnd: number | undefined
  #nextCheck: Timer | undefined

  constructor(options: OutboundBudgetOptions) {
    this.#options = options
    this.#maxBytes = options.maxBytes ?? MAX_OUTBOUND_BYTES
    this.busyLimit = this.#maxBytes / 4
    this.idleLimit = this.#maxBytes / 2
    this.holdLimit = (this.#maxBytes / 4) * 3
  }

  /** Number of connections that are not read until others have less unsent output; set by the server. */
  unread = 0

  /** Unsent bytes of all connections. */
  get total(): number {
    return this.#total
  }

  /** Whether only connections without a backlog may begin work. */
  get isBusy(): boolean {
    return this.#total >= this.busyLimit
  }

  /** Opens the account of a connection, to be closed with it. */
  open(owner: OutboundOwner): OutboundAccount {
    return new OutboundAccount(this, owner)
  }

  now(): number {
    return this.#options.clock.monotonic()
  }

  /** End of the time slice that all connections together have in this turn of the event loop. */
  turnEnd(): number {
    if (this.#turnEnd === undefined) {
      this.#turnEnd = this.now() + RPC_TIME_SLICE_MS
      void this.#options.yieldToHost().then(() => {
        this.#turnEnd = undefined
      })
    }
    return this.#turnEnd
  }

  /** For accounts only. */
  change(account: OutboundAccount, bytes: number): void {
    this.#total += bytes
    if (account.weight > 0) {
      this.#backlogged.add(account)
      this.#nextCheck ??= this.#checkLater()
    } else this.#backlogged.delete(account)
    if (bytes < 0) this.#wakeSoon()
    if (this.#total > this.#maxBytes) this.#makeRoom()
  }

  /** For accounts only. */
  wait(waiting: Waiting): void {
    this.#waiting.add(waiting)
    if (waiting.gate.mayBegin) this.#wakeSoon()
  }

  /** For accounts only. */
  forget(account: OutboundAccount): void {
    for (const waiting of this.#waiting) if (waiting.account === account) this.#waiting.delete(waiting)
  }

  #checkLater(): Timer {
    return this.#options.timers.schedule(OUTBOUND_CHECK_MS, () => {
      this.#nextCheck = this.#checkLater()
      this.#check()
    })
  }

  #wakeSoon(): void {
    if (this.#isWaking || this.#waiting.size === 0) return
    this.#isWaking = true
    void this.#options.yieldToHost().then(() => {
      this.#isWaking = false
      this.#wake()
    })
  }

  #wake(): void {
    const end = this.turnEnd()
    for (const waiting of this.#waiting) {
      if (this.#total >= this.holdLimit) return
      if (!waiting.gate.mayBegin) continue
      if (this.now() > end) {
        this.#wakeSoon()
        return
      }
      this.#waiting.delete(waiting)
      waiting.run()
    }
  }

  /**
   * Terminates the largest connections until the rest fits. An account that only holds texts under construction cannot
   * be terminated.
   */
  #makeRoom(): void {
    let ended = 0
    while (this.#total > this.#maxBytes) {
      const largest = this.#largest(() => true)
      if (largest === undefined) break
      largest.end('too much unsent output')
      ended++
    }
    if (ended > 0) this.#options.onEnded?.(ended)
  }

  #check(): void {
    for (const account of this.#backlogged) account.measure()
    const ended = this.#endStalled()
    if (ended > 0) this.#options.onEnded?.(ended)
    if (this.#backlogged.size > 0 || this.#waiting.size > 0) return
    this.#nextCheck?.cancel()
    this.#nextCheck = undefined
  }

  #endStalled(): number {
    const { stallMs = OUTBOUND_STALL_MS, urgentStallMs = OUTBOUND_URGENT_STALL_MS } = this.#options
    let ended = 0
    for (;;) {
      const isUrgent = this.#total >= this.idleLimit || (this.unread > 0 && this.isBusy)
      const isTight = this.#waiting.size > 0 && this.isBusy
      const limitMs = isUrgent ? urgentStallMs : isTight ? stallMs : RESPONSE_STALL_MS
      const since = this.now() - limitMs
      const stalled = this.#largest((account) => account.isStalled(since))
      if (stalled === undefined) return ended
      stalled.end('the peer does not read')
      ended++
    }
  }

  #largest(counts: (account: OutboundAccount) => boolean): OutboundAccount | undefined {
    let largest: OutboundAccount | undefined
    for (const account of this.#backlogged) {
      if (counts(account) && (largest === undefined || account.weight > largest.weight)) largest = account
    }
    return largest
  }
}

/** The unsent output of one connection. */
export class OutboundAccount {
  /** Whether the client has waited for each of its answers; set by the server. */
  isPatient = false
  readonly #budget: OutboundBudget
  readonly #owner: OutboundOwner
  /** Unsent bytes by `add` and `sent`. */
  #reported = 0
  /** Further unsent bytes by `observe`. */
  #measured = 0
  #queued = 0
  #lastProgress = 0
  #isClosed = false

  constructor(budget: OutboundBudget, owner: OutboundOwner) {
    this.#budget = budget
    this.#owner = owner
  }

  /** Bytes that are still buffered here. */
  get backlog(): number {
    return this.#reported + this.#measured
  }

  /** Memory that is freed with the connection: its backlog and its waiting requests. */
  get weight(): number {
    return this.backlog + this.#queued
  }

  /** Time when bytes last left, a request last began, or the first request began to wait. */
  get lastProgress(): number {
    return this.#lastProgress
  }

  /**
   * Whether there was no progress since then. A few requests that wait for other connections do not count as stalled.
   */
  isStalled(since: number): boolean {
    return this.#lastProgress <= since && (this.backlog > 0 || this.#queued > MAX_PATIENT_BYTES)
  }

  /** Whether work for another answer may begin. */
  get mayBegin(): boolean {
    const { total, busyLimit, idleLimit, holdLimit } = this.#budget
    const isPatient = this.isPatient && this.#queued <= MAX_PATIENT_BYTES
    const { backlog } = this
    if (backlog === 0) return total < (isPatient ? holdLimit : idleLimit)
    return total < busyLimit && backlog <= MAX_CONNECTION_BACKLOG_BYTES
  }

  /** Calls `run` once, as soon as work may begin; never if the connection ends first. */
  whenRoom(run: () => void, gate: Waiting['gate'] = this): void {
    if (this.#isClosed) return
    if (gate.mayBegin) run()
    else this.#budget.wait({ account: this, gate, run })
  }

  /**
   * The same account for the stream of a batch, whose requests take memory beside its answers: it only goes on below the
   * first level.
   */
  ofBatch(): PendingAccount {
    const budget = this.#budget
    const gate = {
      get mayBegin(): boolean {
        return !budget.isBusy
      },
    }
    return {
      get mayBegin(): boolean {
        return gate.mayBegin
      },
      whenRoom: (run) => this.whenRoom(run, gate),
      add: (bytes) => this.add(bytes),
      sent: (bytes) => this.sent(bytes),
    }
  }

  /** Calls `run` in a later turn of the event loop. */
  inTurn(run: () => void): void {
    if (!this.#isClosed) this.#budget.wait({ account: this, gate: this, run })
  }

  /** See {@link OutboundBudget.turnEnd}. */
  turnEnd(): number {
    return this.#budget.turnEnd()
  }

  /** Whether the turn of the event loop has time for more. */
  get hasTurn(): boolean {
    return this.#budget.now() < this.#budget.turnEnd()
  }

  /** Adds waiting requests of `bytes` bytes; negative: removes them. May terminate this or another connection. */
  queue(bytes: number): void {
    if (this.#isClosed) return
    if (bytes < 0 || this.weight === 0) this.#lastProgress = this.#budget.now()
    this.#queued += bytes
    this.#budget.change(this, bytes)
  }

  /** Adds unsent bytes. May terminate this or another connection. */
  add(bytes: number): void {
    if (this.#isClosed) return
    if (this.weight === 0) this.#lastProgress = this.#budget.now()
    this.#reported += bytes
    this.#budget.change(this, bytes)
  }

  /** Subtracts bytes that are no longer buffered here. */
  sent(bytes: number): void {
    if (this.#isClosed) return
    this.#lastProgress = this.#budget.now()
    this.#reported -= bytes
    this.#budget.change(this, -bytes)
  }

  /** Polls the owner for its unsent bytes that are not reported. */
  measure(): void {
    const bytes = this.#owner.measure?.()
    if (bytes !== undefined) this.observe(bytes)
  }

  /** Sets the unsent bytes that are measured. */
  observe(bytes: number): void {
    if (this.#isClosed) return
    const change = bytes - this.#measured
    if (change === 0) return
    if (change < 0 || this.weight === 0) this.#lastProgress = this.#budget.now()
    this.#measured = bytes
    this.#budget.change(this, change)
  }

  /**
   * Counts a text that is built for an answer. It counts beyond the end of the connection, until it is released.
   * @returns false when it does not fit
   */
  hold(bytes: number): boolean {
    if (this.#budget.total + bytes > this.#budget.holdLimit) return false
    this.#budget.change(this, bytes)
    return true
  }

  release(bytes: number): void {
    this.#budget.change(this, -bytes)
  }

  end(reason: string): void {
    this.close()
    this.#owner.end(reason)
  }

  /** Closes the account and removes its backlog. Idempotent. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const bytes = this.weight
    this.#reported = 0
    this.#measured = 0
    this.#queued = 0
    this.#budget.forget(this)
    this.#budget.change(this, -bytes)
  }
}

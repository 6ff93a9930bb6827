/**
 * The requests to one address: joined into batches, within its limits.
 * @module
 */
import { MAX_REMOTE_ANSWER_BYTES, MAX_REMOTE_LIMITED_MS, REMOTE_SILENCE_MS } from '../base/limits/limits.ts'
import type { RemoteTransport, TransportAnswer } from '../base/ports/remoteTransport.ts'
import type { Timer, Timers } from '../base/ports/timers.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import { maxAnswerBytes } from './answerBytes.ts'
import { BatchSize } from './batchSize.ts'
import type { CallFailure, RemoteCall, Route } from './call.ts'
import { CallQueue } from './callQueue.ts'
import type { RemoteResult } from './contract.ts'
import type { UnavailableDetails } from './errors.ts'
import { type Outcomes, outcomesOf } from './outcomes.ts'
import { RateGate, type RateGateOptions } from './rateGate.ts'
import type { ReadBudget } from './readBudget.ts'
import { verdictOf } from './verdict.ts'
import { bodyOf } from './wire.ts'

/** Receives the outcome of attempts. */
export interface LaneEvents {
  answered(call: RemoteCall, result: RemoteResult, lane: Lane): void
  failed(calls: readonly RemoteCall[], failure: CallFailure, lane: Lane): void
  /** No answer has come for a while. */
  silent(calls: readonly RemoteCall[], lane: Lane): void
  /** The remote refuses requests for a while. */
  paused(lane: Lane): void
  /** Requests wait for a limit of rate. */
  waiting(lane: Lane, waitMs: number): void
  batchesKnown(has: boolean): void
}

export interface LaneOptions extends RateGateOptions {
  readonly origin: string
  readonly transport: RemoteTransport
  readonly timers: Timers
  readonly timeoutMs: number
  readonly maxBatch: number
  readonly events: LaneEvents
  readonly reading: ReadBudget
}

/** One attempt: a request or a batch that is on its way. */
interface Flight {
  readonly calls: readonly RemoteCall[]
  readonly firstId: number
  readonly sentMs: number
  readonly controller: AbortController
  readonly timers: readonly Timer[]
  /** Calls whose answer is still of use. */
  live: number
  /** Bytes of the answer that were read. */
  bytes: number
  hasEnded: boolean
}

export class Lane implements Route {
  readonly origin: string
  /** Until then the other addresses come first, because this one failed. Monotonic. */
  lateUntilMs: number = Number.NEGATIVE_INFINITY
  requests = 0
  calls = 0
  retries = 0
  bytesSent = 0
  bytesReceived = 0
  readonly #options: LaneOptions
  readonly #gate: RateGate
  readonly #batch: BatchSize
  readonly #flights = new Map<RemoteCall, Flight>()
  readonly #queue = new CallQueue(this)
  #nextId = 1
  #pumping: Timer | undefined
  #waitingSinceMs: number | undefined
  #waitedMs = 0
  #hasBatches: boolean | undefined
  #hasAnswered = false

  constructor(options: LaneOptions) {
    this.origin = options.origin
    this.#options = options
    this.#gate = new RateGate(options)
    this.#batch = new BatchSize(options.maxBatch)
  }

  /** Whether the limit of rate delays the next request for a longer time. */
  get isPaused(): boolean {
    return this.#gate.waitMs > REMOTE_SILENCE_MS
  }

  get waiting(): number {
    return this.#queue.size
  }

  get waitedMs(): number {
    return this.#waitedMs + (this.#waitingSinceMs === undefined ? 0 : this.#now() - this.#waitingSinceMs)
  }

  /** Sends the calls in a later turn of the event loop, together with others of this turn. */
  add(calls: readonly RemoteCall[]): void {
    this.#queue.push(calls)
    this.#pumpIn(0)
  }

  /** The call needs no answer from here. */
  release(call: RemoteCall): void {
    call.leave(this)
    const flight = this.#flights.get(call)
    if (flight === undefined) {
      this.#queue.forget()
      if (this.#queue.size === 0) this.#stopPumping()
    } else if (--flight.live === 0) {
      this.#end(flight)
      flight.controller.abort()
    }
  }

  /** @returns the calls that were not sent yet */
  takeQueue(): readonly RemoteCall[] {
    this.#stopPumping()
    return this.#queue.takeAll()
  }

  /** Ends all attempts without an outcome. @returns the calls that have no answer */
  close(): readonly RemoteCall[] {
    const flying = [...this.#flights.keys()].filter((call) => call.isAt(this))
    for (const flight of new Set(this.#flights.values())) {
      this.#end(flight)
      flight.controller.abort()
    }
    for (const call of flying) call.leave(this)
    this.#options.transport.close()
    return [...flying, ...this.takeQueue()]
  }

  #pumpIn(ms: number): void {
    this.#pumping ??= this.#options.timers.schedule(ms, () => {
      this.#pumping = undefined
      this.#pump()
    })
  }

  /** Nothing waits. */
  #stopPumping(): void {
    this.#pumping?.cancel()
    this.#pumping = undefined
    this.#noteWait(false)
  }

  /** Sends as much as the limits allow. */
  #pump(): void {
    for (;;) {
      if (this.#queue.size === 0 || this.#gate.isFull) {
        this.#noteWait(false)
        return
      }
      const { waitMs } = this.#gate
      if (waitMs > 0) {
        this.#noteWait(true)
        this.#pumpIn(Math.ceil(waitMs))
        this.#options.events.waiting(this, waitMs)
        return
      }
      this.#noteWait(false)
      this.#fly(this.#queue.take(Math.min(this.#batch.value, this.#gate.room)))
    }
  }

  #noteWait(isWaiting: boolean): void {
    this.#waitedMs = this.waitedMs
    this.#waitingSinceMs = isWaiting ? this.#now() : undefined
  }

  #fly(calls: readonly RemoteCall[]): void {
    const { transport, timers, timeoutMs, events } = this.#options
    const firstId = this.#nextId
    this.#nextId += calls.length
    const body = bodyOf(
      calls.map(({ text }) => text),
      firstId,
    )
    const maxBytes = calls.reduce((sum, { method }) => sum + maxAnswerBytes(method), 0)
    const controller = new AbortController()
    const sentMs = this.#now()
    const flight: Flight = {
      calls,
      firstId,
      sentMs,
      controller,
      timers: [
        timers.schedule(timeoutMs, () => this.#failed(flight, `no answer within ${timeoutMs / 1000} s`)),
        timers.schedule(REMOTE_SILENCE_MS, () => events.silent(this.#liveOf(flight), this)),
      ],
      live: calls.length,
      bytes: 0,
      hasEnded: false,
    }
    for (const call of calls) {
      call.firstSentMs ??= sentMs
      this.#flights.set(call, flight)
    }
    this.requests++
    this.calls += calls.length
    this.bytesSent += body.length
    this.#gate.sent(calls.length)
    const options = {
      signal: controller.signal,
      maxBytes: Math.min(maxBytes, MAX_REMOTE_ANSWER_BYTES),
      onBytes: (bytes: number) => this.#read(flight, bytes),
    }
    transport.send(body, options).then(
      (answer) => this.#answered(flight, answer),
      (error: unknown) => this.#thrown(flight, error),
    )
  }

  /** @throws {NodeError} when too much is being read */
  #read(flight: Flight, bytes: number): void {
    if (flight.hasEnded) return
    flight.bytes += bytes
    this.#options.reading.add(bytes)
  }

  #liveOf({ calls }: Flight): readonly RemoteCall[] {
    return calls.filter((call) => call.isAt(this))
  }

  /** @returns the calls that still need an answer; undefined when the attempt had ended before */
  #end(flight: Flight): readonly RemoteCall[] | undefined {
    if (flight.hasEnded) return undefined
    flight.hasEnded = true
    for (const timer of flight.timers) timer.cancel()
    for (const call of flight.calls) this.#flights.delete(call)
    this.#gate.ended()
    this.#options.reading.release(flight.bytes)
    if (this.#queue.size > 0) this.#pumpIn(0)
    const live = this.#liveOf(flight)
    for (const call of live) call.leave(this)
    return live
  }

  #thrown(flight: Flight, error: unknown): void {
    const reason = isNodeError(error, 'FORK_UNAVAILABLE') ? (error.details as UnavailableDetails).reason : undefined
    const isTooLong = reason === 'answerTooLong'
    if (reason === 'answersTooLong' || (isTooLong && flight.calls.length > 1)) {
      if (isTooLong) this.#batch.answerTooLong(flight.calls.length)
      else this.#gate.sendFewer()
      this.#again(this.#end(flight))
      return
    }
    // Other errors may contain the address.
    this.#failed(flight, isNodeError(error) ? error.message : 'the connection failed', isTooLong)
  }

  #failed(flight: Flight, reason: string, isFinal = false): void {
    const calls = this.#end(flight)
    flight.controller.abort()
    if (calls !== undefined) this.#fail(calls, { reason, isLimit: false, isFinal })
  }

  #fail(calls: readonly RemoteCall[], failure: CallFailure): void {
    if (calls.length === 0) return
    this.#options.events.failed(calls, { ...failure, reason: this.#redacted(failure.reason) }, this)
  }

  /** Sends calls before all others. */
  #again(calls: readonly RemoteCall[] | undefined): void {
    if (calls === undefined || calls.length === 0) return
    this.retries += calls.length
    this.#queue.putBack(calls)
    this.#pumpIn(0)
  }

  #answered(flight: Flight, answer: TransportAnswer): void {
    const { calls, firstId } = flight
    const live = this.#end(flight)
    if (live === undefined) return
    this.bytesReceived += answer.text.length
    const verdict = verdictOf(answer, firstId, calls.length)
    // A gateway that has never answered has failed, rather than too much to do.
    if (verdict.kind === 'limited' && verdict.isOverload === true && !this.#hasAnswered)
      this.#fail(live, { reason: verdict.reason, isLimit: false, isFinal: false })
    else if (verdict.kind === 'limited') this.#limited(flight, live, { ...verdict, served: 0 })
    else if (verdict.kind === 'failed') this.#fail(live, { ...verdict, isLimit: false })
    else if (verdict.kind === 'members') this.#sort(flight, new Set(live), outcomesOf(calls, verdict.members, firstId))
    else {
      const isRefused = verdict.kind === 'batchesRefused'
      this.#batch.tooLarge(calls.length, isRefused ? 1 : verdict.most)
      if (isRefused) this.#knowBatches(false)
      this.#again(live)
    }
  }

  #sort(flight: Flight, live: ReadonlySet<RemoteCall>, outcomes: Outcomes): void {
    const { answered, limited, limit, tooMany, allowed, missing, failed } = outcomes
    const count = flight.calls.length
    const isLive = (call: RemoteCall): boolean => live.has(call)
    if (answered.length > 0) {
      this.#hasAnswered = true
      this.#gate.served(answered.length)
      if (count > 1) this.#knowBatches(true)
      if (answered.length === count) this.#batch.served(count)
    }
    if (tooMany.length > 0) this.#batch.tooLarge(count, allowed)
    for (const [call, result] of answered)
      if (isLive(call)) this.#options.events.answered(call, this.#withoutSecrets(result), this)
    this.#again([...tooMany, ...missing].filter(isLive))
    for (const [reason, calls] of failed) this.#fail(calls.filter(isLive), { reason, isLimit: false, isFinal: false })
    if (limited.length === 0) return
    this.#limited(flight, limited.filter(isLive), { reason: limit, served: answered.length })
  }

  #limited({ calls, sentMs }: Flight, live: readonly RemoteCall[], limit: Limit): void {
    const gate = this.#gate
    const { served, retryAfterMs } = limit
    gate.refused({ sentMs, calls: calls.length, served, retryAfterMs })
    const refusedForMs = this.#now() - (gate.refusedSinceMs ?? this.#now())
    if (refusedForMs > MAX_REMOTE_LIMITED_MS || gate.waitMs > MAX_REMOTE_LIMITED_MS)
      this.#fail(live, { reason: limit.reason, isLimit: true, isFinal: true })
    else {
      // The time for a request is for remotes that fail, not for those that ask for patience.
      for (const call of live) call.firstSentMs = undefined
      this.#again(live)
    }
    if (this.isPaused) this.#options.events.paused(this)
  }

  /** A remote may repeat the key that it was asked with. */
  #withoutSecrets(result: RemoteResult): RemoteResult {
    if (result.kind === 'result') return { ...result, origin: this.origin }
    const { code, message, data } = result.error
    const error = {
      code,
      message: this.#redacted(message),
      ...(data === undefined ? {} : { data: typeof data === 'string' ? this.#redacted(data) : data }),
    }
    return { kind: 'error', error, origin: this.origin }
  }

  #redacted(text: string): string {
    return this.#options.transport.redacted?.(text) ?? text
  }

  #knowBatches(has: boolean): void {
    if (this.#hasBatches === has) return
    this.#hasBatches = has
    this.#options.events.batchesKnown(has)
  }

  #now(): number {
    return this.#options.clock.monotonic()
  }
}

interface Limit {
  readonly reason: string
  readonly retryAfterMs?: number | undefined
  /** Requests of the batch that were answered. */
  readonly served: number
}

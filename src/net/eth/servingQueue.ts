/**
 * Serves the requests of all peers in turns: one request of each peer per round, within the budget of the peer, and in
 * slices of time. A peer that does not read its answers has to wait; if its requests pile up, it is no longer read.
 * @see docs/reference/p2p.md section 4
 * @module
 */
import {
  MAX_WAITING_REQUEST_BYTES,
  SERVED_REQUEST_BYTES_PAUSE,
  SERVED_REQUESTS_PAUSE,
  SERVED_REQUESTS_RESUME,
  SERVING_SLICE_MS,
} from '../../base/limits/limits.ts'
import type { Clock, Logger } from '../../base/ports/host.ts'
import type { Residency } from '../../base/ports/keyValueStore.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'
import { retryMissesMaybe } from '../../storage/retryMisses.ts'
import type { Answer } from '../protocols/answer.ts'
import { PEER_BUDGET, PeerBudget, type PeerBudgetSettings } from '../protocols/peerBudget.ts'

export interface ServingDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly logger: Logger
  /** Needed over a store that is not fully resident. */
  readonly residency?: Residency | undefined
  readonly budget?: PeerBudgetSettings | undefined
}

/** The connection of a lane. */
export interface ServedConnection {
  /** Stops reading requests. */
  pause(): void
  resume(): void
}

/** A request that waits. */
export interface ServedRequest {
  /** Memory that it takes while it waits. */
  readonly bytes: number
  /** May throw `StoreMiss`. */
  answer(): Answer
  /** @returns false when the peer has to read first */
  send(answer: Answer): boolean
}

export class ServingQueue {
  readonly deps: ServingDeps
  /** Lanes with waiting requests, in the order of their turns. */
  readonly #waiting = new Set<ServingLane>()
  #timer: Timer | undefined
  #timerAtMs = Number.POSITIVE_INFINITY
  #isServing = false
  /** Of the waiting requests of all lanes. */
  bytes = 0

  constructor(deps: ServingDeps) {
    this.deps = deps
  }

  open(connection: ServedConnection): ServingLane {
    return new ServingLane(this, connection)
  }

  /** The lane has requests that can be answered. */
  wake(lane: ServingLane): void {
    this.#waiting.add(lane)
    // A pending turn follows a full slice or awaits a budget: the latter may be later than the turn of this lane.
    if (this.#timerAtMs > this.deps.clock.monotonic()) this.#serve()
  }

  remove(lane: ServingLane): void {
    this.#waiting.delete(lane)
  }

  #serve(): void {
    if (this.#isServing) return
    this.#isServing = true
    const { clock } = this.deps
    const endMs = clock.monotonic() + SERVING_SLICE_MS
    let delayMs = 0
    do {
      delayMs = this.#serveNext(clock.monotonic())
    } while (delayMs === 0 && clock.monotonic() < endMs)
    this.#isServing = false
    if (this.#waiting.size > 0) this.#schedule(delayMs)
  }

  /**
   * Serves the first lane whose peer has a budget.
   * @returns 0 when it did; otherwise milliseconds until one has
   */
  #serveNext(nowMs: number): number {
    let leastMs = Number.POSITIVE_INFINITY
    for (const lane of this.#waiting) {
      const delayMs = lane.delayMs(nowMs)
      if (delayMs === 0) {
        this.#waiting.delete(lane)
        lane.serve()
        if (lane.isReady) this.#waiting.add(lane)
        return 0
      }
      leastMs = Math.min(leastMs, delayMs)
    }
    return leastMs
  }

  #schedule(delayMs: number): void {
    const atMs = this.deps.clock.monotonic() + delayMs
    if (atMs >= this.#timerAtMs) return
    this.#timer?.cancel()
    this.#timerAtMs = atMs
    this.#timer = this.deps.timers.schedule(delayMs, () => {
      this.#timerAtMs = Number.POSITIVE_INFINITY
      this.#serve()
    })
  }

  close(): void {
    this.#timer?.cancel()
    this.#waiting.clear()
  }
}

/** The requests of one peer. */
export class ServingLane {
  readonly #queue: ServingQueue
  readonly #connection: ServedConnection
  readonly #budget: PeerBudget
  readonly #requests: ServedRequest[] = []
  #bytes = 0
  /** The peer does not read. */
  #isBlocked = false
  /** An answer waits for data. */
  #isLoading = false
  #isPaused = false
  #isClosed = false

  constructor(queue: ServingQueue, connection: ServedConnection) {
    this.#queue = queue
    this.#connection = connection
    this.#budget = new PeerBudget(queue.deps.budget ?? PEER_BUDGET, queue.deps.clock.monotonic())
  }

  /** Whether a request waits and can be answered. */
  get isReady(): boolean {
    return this.#requests.length > 0 && !this.#isBlocked && !this.#isLoading && !this.#isClosed
  }

  /** @returns false when too many wait: the peer is disconnected */
  add(request: ServedRequest): boolean {
    if (this.#isClosed) return true
    if (!this.#budget.arrive()) return false
    this.#requests.push(request)
    this.#count(request.bytes)
    if (this.isReady) this.#queue.wake(this)
    if (this.#isFull && !this.#isPaused) {
      this.#isPaused = true
      this.#connection.pause()
    }
    return true
  }

  /** A lane without waiting requests is read from, however full the others are. */
  get #isFull(): boolean {
    if (this.#requests.length >= SERVED_REQUESTS_PAUSE || this.#bytes >= SERVED_REQUEST_BYTES_PAUSE) return true
    return this.#requests.length > 0 && this.#queue.bytes >= MAX_WAITING_REQUEST_BYTES
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.#queue.bytes += bytes
  }

  /** The peer has read. */
  drained(): void {
    this.#isBlocked = false
    if (this.isReady) this.#queue.wake(this)
  }

  close(): void {
    this.#isClosed = true
    this.#requests.length = 0
    this.#count(-this.#bytes)
    this.#queue.remove(this)
  }

  delayMs(nowMs: number): number {
    return this.#budget.delayMs(nowMs)
  }

  /** Answers the oldest request. */
  serve(): void {
    const request = this.#requests.shift()
    if (request === undefined) return
    this.#count(-request.bytes)
    const { clock, residency, logger } = this.#queue.deps
    const startMs = clock.monotonic()
    try {
      const answer = retryMissesMaybe(() => request.answer(), residency)
      if (answer instanceof Promise) this.#await(answer, request)
      else this.#send(request, answer, startMs)
    } catch (error) {
      this.#spend(0, startMs)
      logger.error('failed to answer a peer request', { error })
    }
    this.#resume()
  }

  #await(answer: Promise<Answer>, request: ServedRequest): void {
    this.#isLoading = true
    const { clock, logger } = this.#queue.deps
    const finish = (): void => {
      this.#isLoading = false
      if (this.isReady) this.#queue.wake(this)
    }
    answer.then(
      (loaded) => {
        this.#send(request, loaded, clock.monotonic())
        finish()
      },
      (error: unknown) => {
        this.#spend(0, clock.monotonic())
        logger.error('failed to answer a peer request', { error })
        finish()
      },
    )
  }

  #send(request: ServedRequest, answer: Answer, startMs: number): void {
    if (this.#isClosed) return
    if (!request.send(answer)) this.#isBlocked = true
    this.#spend(answer.payload.length, startMs)
  }

  #spend(bytes: number, startMs: number): void {
    const nowMs = this.#queue.deps.clock.monotonic()
    this.#budget.spend({ bytes, workMs: nowMs - startMs }, nowMs)
  }

  #resume(): void {
    if (!this.#isPaused || this.#isClosed || this.#requests.length > SERVED_REQUESTS_RESUME || this.#isFull) return
    this.#isPaused = false
    this.#connection.resume()
  }
}

/**
 * Decides in which pass of the event loop HTTP connections are read. Node parses all data of one read, up to 64 KiB of
 * pipelined requests, before it does anything else, and in one pass it reads every connection with data. A pass that
 * takes too long because of pipelining is cut short: clients that send one request at a time are read in the next pass,
 * all others a few per pass. The more bytes are waiting to be sent, the fewer connections are read: first those that
 * pipeline have to wait, then new ones as well. Among new ones the newest are read first: they did not come with the
 * flood.
 * @module
 */
import type { Socket } from 'node:net'
import { clearImmediate, clearTimeout, setImmediate, setTimeout } from 'node:timers'
import { OUTBOUND_CHECK_MS, RPC_TIME_SLICE_MS } from '../../../src/base/limits/limits.ts'
import type { OutboundBudget } from '../../../src/rpc/connection/outboundBudget.ts'

/** Pipelining connections that are read in one pass of the event loop; each read may bring 64 KiB. */
const READS_PER_TURN = 2

/** State of a connection. */
export interface TurnState {
  readonly socket: Socket
  /** The pass in which its last request arrived. */
  lastTurn: number | undefined
  /** Bytes that had been read when its last request arrived. */
  lastBytesRead: number
  /** Whether it has sent its second request of this pass. */
  hasAskedAgain: boolean
  /** Whether it has sent several requests in one pass. */
  isPipelining: boolean
  /** Whether it has sent several requests, each after the answer to the previous one. */
  isSequential: boolean
}

export class ReadTurns {
  readonly #budget: OutboundBudget
  readonly #open = new Set<TurnState>()
  /** Connections to read in the next pass. */
  readonly #next = new Set<TurnState>()
  /** Connections to read in later passes, a few in each, in order. */
  readonly #parked = new Set<TurnState>()
  /** Connections that were never read; they wait in the same way. */
  readonly #fresh = new Set<TurnState>()
  #current = 0
  #startedMs = 0
  #isCut = false
  #immediate: NodeJS.Immediate | undefined
  #retry: NodeJS.Timeout | undefined

  constructor(budget: OutboundBudget) {
    this.#budget = budget
  }

  open(socket: Socket): TurnState {
    const state: TurnState = {
      socket,
      lastTurn: undefined,
      lastBytesRead: 0,
      hasAskedAgain: false,
      isPipelining: false,
      isSequential: false,
    }
    this.#open.add(state)
    if (this.#budget.isBusy) {
      this.#turn()
      this.#park(state)
    }
    return state
  }

  /** Called when a request has arrived. */
  arrived(state: TurnState): void {
    const turn = this.#turn()
    const { bytesRead } = state.socket
    const isOtherRead = bytesRead !== state.lastBytesRead
    state.lastBytesRead = bytesRead
    if (turn !== state.lastTurn) {
      state.isSequential = state.lastTurn !== undefined && !state.isPipelining
      state.lastTurn = turn
      state.hasAskedAgain = false
      return
    }
    // A pass lasts until after the next reads. A paused client that is answered at its beginning may ask again in it.
    if (state.isSequential && isOtherRead && !state.hasAskedAgain) {
      state.hasAskedAgain = true
      return
    }
    state.isPipelining = true
    this.#park(state)
    if (!this.#isCut && performance.now() - this.#startedMs > RPC_TIME_SLICE_MS) this.#cut(turn)
  }

  /** Called when the connection is closed, or no longer speaks HTTP. */
  forget(state: TurnState): void {
    this.#open.delete(state)
    if (this.#next.delete(state) || this.#parked.delete(state) || this.#fresh.delete(state)) state.socket.resume()
    this.#countUnread()
  }

  close(): void {
    clearImmediate(this.#immediate)
    clearTimeout(this.#retry)
    for (const state of this.#open) this.forget(state)
  }

  /** Number of the current pass of the event loop, which begins with the first call in it. */
  #turn(): number {
    if (this.#immediate === undefined) {
      this.#immediate = setImmediate(() => this.#end())
      this.#startedMs = performance.now()
    }
    return this.#current
  }

  /** Pauses the connections that this pass has not read, so that the event loop does not deliver their data. */
  #cut(turn: number): void {
    this.#isCut = true
    for (const state of this.#open) {
      if (state.lastTurn === turn || this.#parked.has(state) || this.#fresh.has(state)) continue
      if (state.isSequential) {
        state.socket.pause()
        this.#next.add(state)
      } else this.#park(state)
    }
  }

  #park(state: TurnState): void {
    const waiting = state.lastTurn === undefined ? this.#fresh : this.#parked
    if (waiting.has(state)) return
    state.socket.pause()
    waiting.add(state)
    this.#countUnread()
  }

  #countUnread(): void {
    this.#budget.unread = this.#parked.size + this.#fresh.size
  }

  #end(): void {
    this.#immediate = undefined
    this.#current++
    this.#isCut = false
    for (const { socket } of this.#next) socket.resume()
    this.#next.clear()
    this.#resumeParked()
  }

  #resumeParked(): void {
    let resumed = 0
    const { busyLimit, idleLimit } = this.#budget
    // This leaves room in the budget for the answers to their first requests.
    while (resumed < READS_PER_TURN && this.#budget.total < (busyLimit + idleLimit) / 2) {
      const newest = lastOf(this.#fresh)
      if (newest === undefined) break
      this.#fresh.delete(newest)
      newest.socket.resume()
      resumed++
    }
    for (const state of this.#parked) {
      if (resumed === READS_PER_TURN || this.#budget.isBusy) break
      resumed++
      this.#parked.delete(state)
      state.socket.resume()
    }
    this.#countUnread()
    if (this.#budget.unread === 0) return
    if (resumed > 0) this.#turn()
    else {
      this.#retry ??= setTimeout(() => {
        this.#retry = undefined
        this.#resumeParked()
      }, OUTBOUND_CHECK_MS)
    }
  }
}

function lastOf<T>(set: ReadonlySet<T>): T | undefined {
  let last: T | undefined
  for (const item of set) last = item
  return last
}

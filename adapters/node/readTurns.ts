/**
 * Turns in which HTTP connections are read. Node parses everything that one read of a connection brings, up to 64 KiB of
 * pipelined requests, before it does anything else, and reads every connection that has data in one pass of the event
 * loop. A pass that takes too long because of pipelining is cut short: clients that send one request at a time are read in
 * the next pass, all others a few per pass, and none of the others while too many bytes wait to be sent.
 * @module
 */
import type { Socket } from 'node:net'
import { clearImmediate, clearTimeout, setImmediate, setTimeout } from 'node:timers'
import { HTTP_READS_PER_TURN, OUTBOUND_CHECK_MS, RPC_TIME_SLICE_MS } from '../../src/config/limits.ts'
import type { OutboundBudget } from '../../src/rpc/outboundBudget.ts'

/** A connection as the turns know it. */
export interface TurnState {
  readonly socket: Socket
  /** The turn that its last request arrived in. */
  lastTurn: number | undefined
  /** It has sent several requests at once. */
  isPipelining: boolean
  /** It has sent several requests, each after the answer to the one before. */
  isSequential: boolean
}

export class ReadTurns {
  readonly #budget: OutboundBudget
  readonly #open = new Set<TurnState>()
  /** Read in the next turn. */
  readonly #next = new Set<TurnState>()
  /** Read in later turns, a few in each, in order. */
  readonly #parked = new Set<TurnState>()
  #current = 0
  #startedMs = 0
  #isCut = false
  #immediate: NodeJS.Immediate | undefined
  #retry: NodeJS.Timeout | undefined

  constructor(budget: OutboundBudget) {
    this.#budget = budget
  }

  open(socket: Socket): TurnState {
    const state: TurnState = { socket, lastTurn: undefined, isPipelining: false, isSequential: false }
    this.#open.add(state)
    return state
  }

  /** A request has arrived. */
  arrived(state: TurnState): void {
    const turn = this.#turn()
    if (turn !== state.lastTurn) {
      state.isSequential = state.lastTurn !== undefined && !state.isPipelining
      state.lastTurn = turn
      return
    }
    state.isPipelining = true
    this.#park(state)
    if (!this.#isCut && performance.now() - this.#startedMs > RPC_TIME_SLICE_MS) this.#cut(turn)
  }

  /** The connection is closed, or no longer speaks HTTP. */
  forget(state: TurnState): void {
    this.#open.delete(state)
    if (this.#next.delete(state) || this.#parked.delete(state)) state.socket.resume()
    this.#budget.unread = this.#parked.size
  }

  close(): void {
    clearImmediate(this.#immediate)
    clearTimeout(this.#retry)
    for (const state of this.#open) this.forget(state)
  }

  /** Number of this pass of the event loop, which begins with the first call in it. */
  #turn(): number {
    if (this.#immediate === undefined) {
      this.#immediate = setImmediate(() => this.#end())
      this.#startedMs = performance.now()
    }
    return this.#current
  }

  /** Stops reading what this turn has not read: the event loop then drops the data that it was about to bring. */
  #cut(turn: number): void {
    this.#isCut = true
    for (const state of this.#open) {
      if (state.lastTurn === turn || this.#parked.has(state)) continue
      if (state.isSequential) {
        state.socket.pause()
        this.#next.add(state)
      } else this.#park(state)
    }
  }

  #park(state: TurnState): void {
    if (this.#parked.has(state)) return
    state.socket.pause()
    this.#parked.add(state)
    this.#budget.unread = this.#parked.size
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
    for (const state of this.#parked) {
      if (resumed === HTTP_READS_PER_TURN || this.#budget.isBusy) break
      resumed++
      this.#parked.delete(state)
      state.socket.resume()
    }
    this.#budget.unread = this.#parked.size
    if (this.#parked.size === 0) return
    if (resumed > 0) this.#turn()
    else {
      this.#retry ??= setTimeout(() => {
        this.#retry = undefined
        this.#resumeParked()
      }, OUTBOUND_CHECK_MS)
    }
  }
}

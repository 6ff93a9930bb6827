/**
 * Notices that a chain makes no blocks although they are due, and says why: a network of validators without a quorum
 * looks healthy otherwise.
 * @module
 */
import { MAX_CLOCK_DRIFT_MS } from '../base/limits/limits.ts'
import type { Clock, Logger } from '../base/ports/host.ts'
import type { Timer, Timers } from '../base/ports/timers.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import type { Unsubscribe } from '../base/primitives/events.ts'
import type { Chain } from '../chain/chain.ts'
import type { Attendance } from '../sealing/contract.ts'
import type { Lifecycle } from './lifecycle.ts'

export interface StandstillDeps {
  readonly chain: Pick<Chain, 'head' | 'events' | 'consensus'>
  readonly clock: Clock
  readonly timers: Timers
  readonly logger: Logger
  /** undefined: this node does not validate */
  attendance(): Attendance | undefined
  /** undefined: the node has no network */
  peerCount(): number | undefined
}

/** The cause may change while the chain stands still: it is read again after this time. */
const REVIEW_MS = 60_000
const SHOWN_ADDRESSES = 10

export class StandstillWatch implements Lifecycle {
  readonly name = 'standstill watch'
  readonly #deps: StandstillDeps
  /** Monotonic time of the newest block, or of the start. */
  #lastMs: number | undefined
  /** The cause that was logged; undefined while blocks arrive. */
  #logged: string | undefined
  #timer: Timer | undefined
  #unsubscribe: Unsubscribe | undefined

  constructor(deps: StandstillDeps) {
    this.#deps = deps
  }

  /** Begins the watch, when the node serves clients and has peers. */
  open(): void {
    this.#lastMs = this.#deps.clock.monotonic()
    this.#unsubscribe = this.#deps.chain.events.on('head', () => this.#onHead())
    this.#schedule()
  }

  stop(): void {
    this.#timer?.cancel()
    this.#unsubscribe?.()
    this.#lastMs = undefined
  }

  /** Such as `no block for 35 s: 2 of 4 validators heard, 3 needed; silent: 0x…`; undefined while none is overdue. */
  get reason(): string | undefined {
    return this.#isStanding ? `no block for ${Math.floor(this.#elapsedMs / 1000)} s: ${this.#cause()}` : undefined
  }

  get #isStanding(): boolean {
    const limitMs = this.#limitMs
    return this.#lastMs !== undefined && limitMs !== undefined && this.#elapsedMs >= limitMs
  }

  get #elapsedMs(): number {
    return this.#deps.clock.monotonic() - (this.#lastMs ?? 0)
  }

  get #limitMs(): number | undefined {
    const { head, consensus } = this.#deps.chain
    const { header, totalDifficulty } = head
    const next = { number: header.number + 1n, timestamp: header.timestamp + 1n }
    return consensus.nextBlock(next, totalDifficulty).engine.standstillMs
  }

  #onHead(): void {
    const { clock, logger, chain } = this.#deps
    if (this.#logged !== undefined) {
      const seconds = Math.floor(this.#elapsedMs / 1000)
      logger.info('the chain continues', { number: chain.head.header.number, seconds })
      this.#logged = undefined
      this.#timer?.cancel()
      this.#timer = undefined
    }
    this.#lastMs = clock.monotonic()
    if (this.#timer === undefined) this.#schedule()
  }

  /** The timer runs on while blocks arrive, and is set again when it has run. */
  #schedule(): void {
    const limitMs = this.#limitMs
    if (limitMs === undefined || this.#lastMs === undefined) return
    const delayMs = this.#logged === undefined ? Math.max(limitMs - this.#elapsedMs, 1) : REVIEW_MS
    this.#timer = this.#deps.timers.schedule(delayMs, () => {
      this.#timer = undefined
      this.#review()
      this.#schedule()
    })
  }

  #review(): void {
    if (!this.#isStanding) return
    const cause = this.#cause()
    if (cause === this.#logged) return
    this.#logged = cause
    const seconds = Math.floor(this.#elapsedMs / 1000)
    this.#deps.logger.warn(`the chain stands still: ${cause}`, { number: this.#deps.chain.head.header.number, seconds })
  }

  #cause(): string {
    const { chain, clock } = this.#deps
    if (Number(chain.head.header.timestamp) * 1000 - clock.now() > MAX_CLOCK_DRIFT_MS)
      return "the newest block is later than this node's clock"
    const attendance = this.#deps.attendance()
    if (attendance?.obstacle !== undefined) return attendance.obstacle
    if (attendance !== undefined) return attendanceText(attendance)
    const peers = this.#deps.peerCount()
    return peers === undefined || peers === 0 ? 'no peers' : `peers: ${peers}; none has a newer block`
  }
}

function attendanceText({ validators, quorum, silent }: Attendance): string {
  const heard = `${validators - silent.length} of ${validators} validators heard, ${quorum} needed`
  if (silent.length === 0) return heard
  const addresses = silent.slice(0, SHOWN_ADDRESSES).map((address) => bytesToHex(address))
  const more = silent.length - addresses.length
  return `${heard}; silent: ${addresses.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
}

/**
 * The time of new blocks: the wall clock, moved and steered on the dev chain.
 * @module
 */
import type { Clock } from '../ports/host.ts'

/** What a snapshot keeps of the clock. */
export interface ChainClockState {
  readonly offset: bigint
  readonly nextTimestamp: bigint | undefined
  readonly blockInterval: bigint | undefined
}

/** All times in seconds. */
export class ChainClock {
  readonly #clock: Clock
  #offset = 0n
  #nextTimestamp: bigint | undefined
  #blockInterval: bigint | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** What the chain's clock is ahead of the wall clock. */
  get offset(): bigint {
    return this.#offset
  }

  get now(): bigint {
    return this.#wall() + this.#offset
  }

  get state(): ChainClockState {
    return { offset: this.#offset, nextTimestamp: this.#nextTimestamp, blockInterval: this.#blockInterval }
  }

  set state({ offset, nextTimestamp, blockInterval }: ChainClockState) {
    this.#offset = offset
    this.#nextTimestamp = nextTimestamp
    this.#blockInterval = blockInterval
  }

  increase(seconds: bigint): bigint {
    this.#offset += seconds
    return this.#offset
  }

  /** The clock stands at `timestamp` now. */
  set(timestamp: bigint): bigint {
    this.#offset = timestamp - this.#wall()
    return this.#offset
  }

  /** Of the next block only; the clock goes on from there. */
  setNextTimestamp(timestamp: bigint): void {
    this.#nextTimestamp = timestamp
  }

  /** Every block comes so long after the one before; undefined: by the clock. */
  setBlockInterval(seconds: bigint | undefined): void {
    this.#blockInterval = seconds
  }

  /** Timestamp of a block on top of one: always later. */
  after(parentTimestamp: bigint): bigint {
    const wanted =
      this.#nextTimestamp ?? (this.#blockInterval === undefined ? this.now : parentTimestamp + this.#blockInterval)
    return wanted > parentTimestamp ? wanted : parentTimestamp + 1n
  }

  /** A block with this timestamp was made. */
  sealed(timestamp: bigint): void {
    if (this.#nextTimestamp === undefined) return
    this.#nextTimestamp = undefined
    this.set(timestamp)
  }

  #wall(): bigint {
    return BigInt(Math.floor(this.#clock.now() / 1000))
  }
}

/**
 * Time of new blocks: the wall clock, which the dev chain can shift and override.
 * @module
 */
import type { Clock } from '../base/ports/host.ts'

/** Clock settings in a snapshot. */
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

  /** Seconds that the chain's clock is ahead of the wall clock. */
  get offset(): bigint {
    return this.#offset
  }

  get now(): bigint {
    return this.wall + this.#offset
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

  /** Sets the clock to `timestamp`. */
  set(timestamp: bigint): bigint {
    this.#offset = timestamp - this.wall
    return this.#offset
  }

  /** Sets the time of the next block; the clock continues from there. */
  setNextTimestamp(timestamp: bigint): void {
    this.#nextTimestamp = timestamp
  }

  /** Sets a constant time between blocks; undefined: blocks have the clock's time. */
  setBlockInterval(seconds: bigint | undefined): void {
    this.#blockInterval = seconds
  }

  /** Timestamp of a block on top of a parent: always later. */
  after(parentTimestamp: bigint): bigint {
    const timestamp =
      this.#nextTimestamp ?? (this.#blockInterval === undefined ? this.now : parentTimestamp + this.#blockInterval)
    return timestamp > parentTimestamp ? timestamp : parentTimestamp + 1n
  }

  /** Called when a block with this timestamp was sealed. */
  sealed(timestamp: bigint): void {
    if (this.#nextTimestamp === undefined) return
    this.#nextTimestamp = undefined
    this.set(timestamp)
  }

  /** The host's time. */
  get wall(): bigint {
    return BigInt(Math.floor(this.#clock.now() / 1000))
  }
}

/**
 * State that every block reads: the contracts that the protocol calls. Their slots follow from the number and the time of a
 * block, so those of the next blocks are fetched with the first one, and further ones before they are needed.
 * @see EIP-4788, EIP-2935, EIP-7002, EIP-7251
 * @module
 */
import type { RemoteBlock, StateRead } from '../base/ports/keyValueStore.ts'
import { bigIntToBytesPadded, bytesToBigInt, equalBytes } from '../base/primitives/bytes.ts'
import {
  BEACON_ROOTS_ADDRESS,
  CONSOLIDATION_REQUEST_ADDRESS,
  HISTORY_STORAGE_ADDRESS,
  WITHDRAWAL_REQUEST_ADDRESS,
} from '../chain/transition/systemAddresses.ts'

/** Length of the ring buffers of block hashes and beacon roots. */
const RING = 8191n
/** Blocks, or seconds, whose slots are fetched together: twice as many each time. */
const AHEAD = 8n
const MAX_AHEAD = 512n
/** Excess, count, head and tail of a queue of requests. */
const QUEUE_SLOTS = [0n, 1n, 2n, 3n]
const QUEUES = [WITHDRAWAL_REQUEST_ADDRESS, CONSOLIDATION_REQUEST_ADDRESS]
const CONTRACTS = [BEACON_ROOTS_ADDRESS, HISTORY_STORAGE_ADDRESS, ...QUEUES]

/** Facts about the newest block of the chain over the fork. */
export interface NewestBlock {
  readonly number: bigint
  readonly timestamp: bigint
}

export class SystemReads {
  readonly #hashes = new RingWindow()
  readonly #roots = new RingWindow()

  /** @returns what the block, and those after it, will read of these contracts; nothing unless one of them is read */
  readsOf({ number }: RemoteBlock, missing: readonly StateRead[]): StateRead[] {
    return missing.flatMap(({ address, slot }) => {
      if (!CONTRACTS.some((contract) => equalBytes(contract, address))) return []
      if (slot === undefined) return this.#firstReads(BigInt(number))
      const at = bytesToBigInt(slot)
      if (equalBytes(address, HISTORY_STORAGE_ADDRESS)) return historyReads(this.#hashes.from(at))
      return equalBytes(address, BEACON_ROOTS_ADDRESS) ? rootReads(this.#roots.from(at)) : []
    })
  }

  /**
   * @param number of the newest block
   * @param timestamp of that block
   * @returns the slots after those that were fetched, once half of these are used; nothing before the first read
   */
  readsAfter({ number, timestamp }: NewestBlock): StateRead[] {
    return [...historyReads(this.#hashes.following(number)), ...rootReads(this.#roots.following(timestamp + 1n))]
  }

  /** After a failure: the next slots are fetched when a block needs them. */
  forget(): void {
    this.#hashes.end = undefined
    this.#roots.end = undefined
  }

  #firstReads(number: bigint): StateRead[] {
    const queued = QUEUES.flatMap((address) => QUEUE_SLOTS.map((slot) => readOf(address, slot)))
    return [...CONTRACTS.map((address) => ({ address })), ...queued, ...historyReads(this.#hashes.from(number))]
  }
}

/** The part of a ring that is fetched together. */
class RingWindow {
  /** Slot after the last window; undefined: there is none yet. */
  end: bigint | undefined
  #size = AHEAD

  /** Slots of the ring, from the one that is needed now. */
  from(value: bigint): bigint[] {
    const first = value % RING
    const left = this.#left(first)
    // It is being fetched.
    if (left !== undefined && left > 0n && left <= this.#size) return [first]
    this.#size = left === 0n ? larger(this.#size) : AHEAD
    return this.#advance(first)
  }

  /** The next window, once half of the last one is used. @param value that is needed next */
  following(value: bigint): bigint[] {
    const { end } = this
    const left = this.#left(value % RING)
    if (end === undefined || left === undefined || left > this.#size / 2n) return []
    this.#size = larger(this.#size)
    return this.#advance(end)
  }

  /** Slots up to the end of the window. */
  #left(slot: bigint): bigint | undefined {
    return this.end === undefined ? undefined : (this.end - slot + RING) % RING
  }

  #advance(first: bigint): bigint[] {
    this.end = (first + this.#size) % RING
    return Array.from({ length: Number(this.#size) }, (_, i) => (first + BigInt(i)) % RING)
  }
}

function larger(size: bigint): bigint {
  return size * 2n < MAX_AHEAD ? size * 2n : MAX_AHEAD
}

/** @param slots of the ring of block hashes */
function historyReads(slots: readonly bigint[]): StateRead[] {
  return slots.map((slot) => readOf(HISTORY_STORAGE_ADDRESS, slot))
}

/** Times, and the roots behind them. @param slots of the ring of times */
function rootReads(slots: readonly bigint[]): StateRead[] {
  return slots.flatMap((slot) => [slot, slot + RING]).map((slot) => readOf(BEACON_ROOTS_ADDRESS, slot))
}

function readOf(address: Uint8Array, slot: bigint): StateRead {
  return { address, slot: bigIntToBytesPadded(slot, 32) }
}

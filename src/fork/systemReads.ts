/**
 * State that every block reads: the contracts that the protocol calls. Their slots follow from the number and the time of a
 * block, so those of the next blocks are fetched with the first one.
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
/** Blocks, or seconds, whose slots are fetched together: twice as many each time that the next ones are asked for. */
const AHEAD = 8n
const MAX_AHEAD = 512n
/** Excess, count, head and tail of a queue of requests. */
const QUEUE_SLOTS = [0n, 1n, 2n, 3n]
const QUEUES = [WITHDRAWAL_REQUEST_ADDRESS, CONSOLIDATION_REQUEST_ADDRESS]
const CONTRACTS = [BEACON_ROOTS_ADDRESS, HISTORY_STORAGE_ADDRESS, ...QUEUES]

export class SystemReads {
  readonly #hashes = new RingWindow()
  readonly #roots = new RingWindow()

  /** @returns what the block, and those after it, will read of these contracts; nothing unless one of them is read */
  readsOf({ number }: RemoteBlock, missing: readonly StateRead[]): StateRead[] {
    return missing.flatMap(({ address, slot }) => {
      if (!CONTRACTS.some((contract) => equalBytes(contract, address))) return []
      if (slot === undefined) return this.#firstReads(BigInt(number))
      const at = bytesToBigInt(slot)
      if (equalBytes(address, HISTORY_STORAGE_ADDRESS)) return this.#history(at)
      return equalBytes(address, BEACON_ROOTS_ADDRESS) ? this.#beaconRoots(at) : []
    })
  }

  #firstReads(number: bigint): StateRead[] {
    const queued = QUEUES.flatMap((address) => QUEUE_SLOTS.map((slot) => readOf(address, slot)))
    return [...CONTRACTS.map((address) => ({ address })), ...queued, ...this.#history(number)]
  }

  /** @param from number of a block whose hash is stored, or its slot */
  #history(from: bigint): StateRead[] {
    return this.#hashes.after(from).map((slot) => readOf(HISTORY_STORAGE_ADDRESS, slot))
  }

  /** Times, and the roots behind them. */
  #beaconRoots(from: bigint): StateRead[] {
    const slots = this.#roots.after(from).flatMap((slot) => [slot, slot + RING])
    return slots.map((slot) => readOf(BEACON_ROOTS_ADDRESS, slot))
  }
}

/** The part of a ring that is fetched together. */
class RingWindow {
  #size = AHEAD
  /** Slot after the last window. */
  #end: bigint | undefined

  /** Slots of the ring from a number on. */
  after(from: bigint): bigint[] {
    const first = from % RING
    const next = this.#size * 2n
    this.#size = first !== this.#end ? AHEAD : next < MAX_AHEAD ? next : MAX_AHEAD
    this.#end = (first + this.#size) % RING
    return Array.from({ length: Number(this.#size) }, (_, i) => (first + BigInt(i)) % RING)
  }
}

function readOf(address: Uint8Array, slot: bigint): StateRead {
  return { address, slot: bigIntToBytesPadded(slot, 32) }
}

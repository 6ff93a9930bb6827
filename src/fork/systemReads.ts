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
} from '../chain/transition/systemCalls.ts'

/** Length of the ring buffers of block hashes and beacon roots. */
const RING = 8191n
/** Blocks, and seconds, whose slots are fetched together. */
const AHEAD = 8n
/** Excess, count, head and tail of a queue of requests. */
const QUEUE_SLOTS = [0n, 1n, 2n, 3n]
const QUEUES = [WITHDRAWAL_REQUEST_ADDRESS, CONSOLIDATION_REQUEST_ADDRESS]
const CONTRACTS = [BEACON_ROOTS_ADDRESS, HISTORY_STORAGE_ADDRESS, ...QUEUES]

/** @returns what the block, and those after it, will read of these contracts; nothing unless one of them is read */
export function systemReads({ number }: RemoteBlock, missing: readonly StateRead[]): StateRead[] {
  return missing.flatMap(({ address, slot }) => {
    if (!CONTRACTS.some((contract) => equalBytes(contract, address))) return []
    if (slot === undefined) return [...CONTRACTS.map((contract) => ({ address: contract })), ...firstSlots(number)]
    const at = bytesToBigInt(slot)
    if (equalBytes(address, HISTORY_STORAGE_ADDRESS)) return history(at)
    return equalBytes(address, BEACON_ROOTS_ADDRESS) ? beaconRoots(at % RING) : []
  })
}

function firstSlots(number: number): StateRead[] {
  const queued = QUEUES.flatMap((address) => QUEUE_SLOTS.map((slot) => readOf(address, slot)))
  return [...queued, ...history(BigInt(number))]
}

/** @param from number of a block whose hash is stored, or its slot */
function history(from: bigint): StateRead[] {
  return ahead(from).map((slot) => readOf(HISTORY_STORAGE_ADDRESS, slot % RING))
}

/** Times, and the roots behind them. */
function beaconRoots(from: bigint): StateRead[] {
  return ahead(from).flatMap((slot) =>
    [slot % RING, (slot % RING) + RING].map((at) => readOf(BEACON_ROOTS_ADDRESS, at)),
  )
}

function ahead(from: bigint): bigint[] {
  return Array.from({ length: Number(AHEAD) }, (_, i) => from + BigInt(i))
}

function readOf(address: Uint8Array, slot: bigint): StateRead {
  return { address, slot: bigIntToBytesPadded(slot, 32) }
}

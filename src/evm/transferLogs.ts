/**
 * Transfers of value as logs of a pseudo contract, in order among the real logs.
 * @see execution-apis, eth_simulateV1 `traceTransfers`
 * @module
 */
import { bigIntToBytesPadded, padLeft } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import type { Log } from '../types/receipt.ts'

const CONTRACT: Uint8Array = new Uint8Array(20).fill(0xee)
const TRANSFER_TOPIC: Uint8Array = keccak256(new TextEncoder().encode('Transfer(address,address,uint256)'))

export function transferLog(from: Uint8Array, to: Uint8Array, value: bigint): Log {
  return {
    address: CONTRACT,
    topics: [TRANSFER_TOPIC, padLeft(from, 32), padLeft(to, 32)],
    data: bigIntToBytesPadded(value, 32),
  }
}

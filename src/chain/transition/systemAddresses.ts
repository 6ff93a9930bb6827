/**
 * Contracts that the protocol calls.
 * @module
 */
import { hexToBytes } from '../../base/primitives/bytes.ts'

/** EIP-4788 */
export const BEACON_ROOTS_ADDRESS: Uint8Array = hexToBytes('000f3df6d732807ef1319fb7b8bb8522d0beac02')
/** EIP-2935 */
export const HISTORY_STORAGE_ADDRESS: Uint8Array = hexToBytes('0000f90827f1c53a10cb7a02335b175320002935')
/** EIP-7002 */
export const WITHDRAWAL_REQUEST_ADDRESS: Uint8Array = hexToBytes('00000961ef480eb55e80d19ad83579a64c007002')
/** EIP-7251 */
export const CONSOLIDATION_REQUEST_ADDRESS: Uint8Array = hexToBytes('0000bbddc7ce488642fb579f8b00f3a590007251')

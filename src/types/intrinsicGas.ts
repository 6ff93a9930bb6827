/**
 * Intrinsic gas, which a transaction pays before any code runs, and the floor cost of EIP-7623.
 * @see Yellow Paper 6.2; EIP-2, EIP-2028, EIP-2930, EIP-3860, EIP-7623, EIP-7702
 * @module
 */
import type { ForkRules } from '../config/forks.ts'
import type { AccessList, Authorization } from './transaction.ts'

const TRANSACTION_GAS = 21_000
/** EIP-2 */
const CREATION_GAS = 32_000
const ZERO_BYTE_GAS = 4
const NONZERO_BYTE_GAS_FRONTIER = 68
/** EIP-2028 */
const NONZERO_BYTE_GAS_ISTANBUL = 16
/** EIP-2930 */
const ACCESS_LIST_ADDRESS_GAS = 2400
const ACCESS_LIST_KEY_GAS = 1900
/** EIP-3860 */
const INIT_CODE_WORD_GAS = 2
/** EIP-7702: charged for each authorisation as if it created its account. */
const AUTHORIZATION_GAS = 25_000
/** EIP-7623: a zero byte is one token, any other four. */
const TOKENS_PER_NONZERO_BYTE = 4
const FLOOR_GAS_PER_TOKEN = 10

/** The parts of a transaction that determine its intrinsic gas. */
export interface IntrinsicGasInput {
  readonly to: Uint8Array | undefined
  readonly data: Uint8Array
  readonly accessList?: AccessList
  readonly authorizationList?: readonly Authorization[]
}

export interface IntrinsicGas {
  /** Deducted from the gas limit before execution. */
  readonly intrinsic: bigint
  /** EIP-7623: the transaction uses at least this much; 0 before Prague. */
  readonly floor: bigint
}

export function intrinsicGas(input: IntrinsicGasInput, { eips }: ForkRules): IntrinsicGas {
  const { data } = input
  const zeros = countZeros(data)
  const nonzeros = data.length - zeros
  let gas = TRANSACTION_GAS + zeros * ZERO_BYTE_GAS
  gas += nonzeros * (eips.has(2028) ? NONZERO_BYTE_GAS_ISTANBUL : NONZERO_BYTE_GAS_FRONTIER)
  if (input.to === undefined && eips.has(2)) gas += CREATION_GAS
  if (input.to === undefined && eips.has(3860)) gas += Math.ceil(data.length / 32) * INIT_CODE_WORD_GAS
  for (const { storageKeys } of input.accessList ?? []) {
    gas += ACCESS_LIST_ADDRESS_GAS + storageKeys.length * ACCESS_LIST_KEY_GAS
  }
  gas += (input.authorizationList?.length ?? 0) * AUTHORIZATION_GAS
  const floor = eips.has(7623)
    ? TRANSACTION_GAS + (zeros + nonzeros * TOKENS_PER_NONZERO_BYTE) * FLOOR_GAS_PER_TOKEN
    : 0
  return { intrinsic: BigInt(gas), floor: BigInt(floor) }
}

function countZeros(data: Uint8Array): number {
  let zeros = 0
  for (let i = 0; i < data.length; i++) if (data[i] === 0) zeros++
  return zeros
}

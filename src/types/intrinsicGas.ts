/**
 * Gas that a transaction pays before its first opcode.
 * @see EIP-2, EIP-2028, EIP-2930, EIP-3860, EIP-7623, EIP-7702
 * @module
 */
import type { ForkRules } from '../config/forks.ts'
import type { AccessList, Authorization } from './transaction.ts'

const TRANSACTION = 21_000n
const CREATION = 32_000n
const ZERO_BYTE = 4n
const NON_ZERO_BYTE_FRONTIER = 68n
const NON_ZERO_BYTE_ISTANBUL = 16n
const ACCESS_LIST_ADDRESS = 2_400n
const ACCESS_LIST_STORAGE_KEY = 1_900n
const INIT_CODE_WORD = 2n
const AUTHORIZATION = 25_000n
const FLOOR_PER_TOKEN = 10n
const TOKENS_PER_NON_ZERO_BYTE = 4n

/** Bytes of init code that a creation may have from Shanghai on (EIP-3860). */
export const MAX_INIT_CODE_SIZE = 49_152

export interface IntrinsicGasInput {
  readonly to: Uint8Array | undefined
  readonly data: Uint8Array
  readonly accessList?: AccessList
  readonly authorizationList?: readonly Authorization[]
}

function countZeroBytes(data: Uint8Array): number {
  let zeros = 0
  for (let i = 0; i < data.length; i++) if (data[i] === 0) zeros++
  return zeros
}

export function intrinsicGas(input: IntrinsicGasInput, { eips }: Pick<ForkRules, 'eips'>): bigint {
  const zeros = countZeroBytes(input.data)
  const nonZero = BigInt(input.data.length - zeros)
  let gas = TRANSACTION + BigInt(zeros) * ZERO_BYTE
  gas += nonZero * (eips.has(2028) ? NON_ZERO_BYTE_ISTANBUL : NON_ZERO_BYTE_FRONTIER)
  if (input.to === undefined) {
    if (eips.has(2)) gas += CREATION
    if (eips.has(3860)) gas += INIT_CODE_WORD * BigInt(Math.ceil(input.data.length / 32))
  }
  for (const { storageKeys } of input.accessList ?? []) {
    gas += ACCESS_LIST_ADDRESS + BigInt(storageKeys.length) * ACCESS_LIST_STORAGE_KEY
  }
  return gas + BigInt(input.authorizationList?.length ?? 0) * AUTHORIZATION
}

/** Least gas that a transaction is charged for its data (EIP-7623); 0 before Prague. */
export function floorGas(data: Uint8Array, { eips }: Pick<ForkRules, 'eips'>): bigint {
  if (!eips.has(7623)) return 0n
  const zeros = countZeroBytes(data)
  const tokens = BigInt(zeros) + BigInt(data.length - zeros) * TOKENS_PER_NON_ZERO_BYTE
  return TRANSACTION + FLOOR_PER_TOKEN * tokens
}

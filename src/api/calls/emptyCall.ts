import type { CallObject } from './contract.ts'

/** A call without members. */
export const EMPTY_CALL: CallObject = {
  from: undefined,
  to: undefined,
  gas: undefined,
  gasPrice: undefined,
  maxPriorityFeePerGas: undefined,
  maxFeePerGas: undefined,
  maxFeePerBlobGas: undefined,
  value: undefined,
  data: new Uint8Array(0),
  nonce: undefined,
  chainId: undefined,
  strict: undefined,
  accessList: undefined,
  blobVersionedHashes: undefined,
  authorizationList: undefined,
}

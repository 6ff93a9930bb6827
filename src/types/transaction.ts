/**
 * Transactions of all five types: 0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844, 4 EIP-7702.
 * @module
 */

/** Type of blob transactions (EIP-4844). */
export const BLOB_TYPE = 3

export interface AccessListItem {
  /** 20 bytes */
  readonly address: Uint8Array
  /** 32 bytes each */
  readonly storageKeys: readonly Uint8Array[]
}

export type AccessList = readonly AccessListItem[]

/** EIP-7702 */
export interface Authorization {
  /** 0 is valid on every chain */
  readonly chainId: bigint
  /** 20 bytes */
  readonly address: Uint8Array
  readonly nonce: bigint
  readonly yParity: bigint
  readonly r: bigint
  readonly s: bigint
}

interface TransactionFields {
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** 20 bytes; undefined creates a contract */
  readonly to: Uint8Array | undefined
  /** wei */
  readonly value: bigint
  readonly data: Uint8Array
  readonly r: bigint
  readonly s: bigint
}

export interface LegacyTransaction extends TransactionFields {
  readonly type: 0
  readonly gasPrice: bigint
  /** 27 or 28, or 35 + 2 * chainId + parity (EIP-155) */
  readonly v: bigint
  /** Derived from v; undefined without replay protection. */
  readonly chainId: bigint | undefined
}

interface TypedFields extends TransactionFields {
  readonly chainId: bigint
  readonly accessList: AccessList
  readonly yParity: bigint
}

export interface AccessListTransaction extends TypedFields {
  readonly type: 1
  readonly gasPrice: bigint
}

interface FeeMarketFields extends TypedFields {
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerGas: bigint
}

export interface FeeMarketTransaction extends FeeMarketFields {
  readonly type: 2
}

export interface BlobTransaction extends FeeMarketFields {
  readonly type: 3
  readonly to: Uint8Array
  readonly maxFeePerBlobGas: bigint
  /** 32 bytes each */
  readonly blobVersionedHashes: readonly Uint8Array[]
}

export interface SetCodeTransaction extends FeeMarketFields {
  readonly type: 4
  readonly to: Uint8Array
  readonly authorizationList: readonly Authorization[]
}

/** A signed transaction. Encoding, hash and sender: types/transactionCodec.ts. */
export type Transaction =
  | LegacyTransaction
  | AccessListTransaction
  | FeeMarketTransaction
  | BlobTransaction
  | SetCodeTransaction

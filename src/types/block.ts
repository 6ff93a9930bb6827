/**
 * Headers, bodies and blocks of every fork from Frontier to Osaka. Field names follow the Yellow Paper and the EIPs.
 * @module
 */
import type { Transaction } from './transaction.ts'

export interface Header {
  /** 32 bytes */
  readonly parentHash: Uint8Array
  /** 32 bytes */
  readonly ommersHash: Uint8Array
  /** 20 bytes: coinbase, fee recipient */
  readonly beneficiary: Uint8Array
  /** 32 bytes */
  readonly stateRoot: Uint8Array
  /** 32 bytes */
  readonly transactionsRoot: Uint8Array
  /** 32 bytes */
  readonly receiptsRoot: Uint8Array
  /** 256 bytes */
  readonly logsBloom: Uint8Array
  readonly difficulty: bigint
  readonly number: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** seconds */
  readonly timestamp: bigint
  readonly extraData: Uint8Array
  /** 32 bytes: mixHash before Paris, prevRandao since */
  readonly mixHash: Uint8Array
  /** 8 bytes */
  readonly nonce: Uint8Array
  /** wei; EIP-1559, London */
  readonly baseFeePerGas?: bigint
  /** 32 bytes; EIP-4895, Shanghai */
  readonly withdrawalsRoot?: Uint8Array
  /** EIP-4844, Cancun */
  readonly blobGasUsed?: bigint
  /** EIP-4844, Cancun */
  readonly excessBlobGas?: bigint
  /** 32 bytes; EIP-4788, Cancun */
  readonly parentBeaconBlockRoot?: Uint8Array
  /** 32 bytes; EIP-7685, Prague */
  readonly requestsHash?: Uint8Array
}

/** A header under construction. */
export type HeaderDraft = { -readonly [Name in keyof Header]: Header[Name] }

/** A copy with its fields in the order of all headers: the engine reads objects of one shape faster than of several. */
export function draftOf(header: Header): HeaderDraft {
  const draft: HeaderDraft = {
    parentHash: header.parentHash,
    ommersHash: header.ommersHash,
    beneficiary: header.beneficiary,
    stateRoot: header.stateRoot,
    transactionsRoot: header.transactionsRoot,
    receiptsRoot: header.receiptsRoot,
    logsBloom: header.logsBloom,
    difficulty: header.difficulty,
    number: header.number,
    gasLimit: header.gasLimit,
    gasUsed: header.gasUsed,
    timestamp: header.timestamp,
    extraData: header.extraData,
    mixHash: header.mixHash,
    nonce: header.nonce,
  }
  if (header.baseFeePerGas !== undefined) draft.baseFeePerGas = header.baseFeePerGas
  if (header.withdrawalsRoot !== undefined) draft.withdrawalsRoot = header.withdrawalsRoot
  if (header.blobGasUsed !== undefined) draft.blobGasUsed = header.blobGasUsed
  if (header.excessBlobGas !== undefined) draft.excessBlobGas = header.excessBlobGas
  if (header.parentBeaconBlockRoot !== undefined) draft.parentBeaconBlockRoot = header.parentBeaconBlockRoot
  if (header.requestsHash !== undefined) draft.requestsHash = header.requestsHash
  return draft
}

/** EIP-4895 */
export interface Withdrawal {
  readonly index: bigint
  readonly validatorIndex: bigint
  /** 20 bytes */
  readonly address: Uint8Array
  /** Gwei */
  readonly amount: bigint
}

export interface BlockBody {
  readonly transactions: readonly Transaction[]
  readonly ommers: readonly Header[]
  /** Present since Shanghai. */
  readonly withdrawals?: readonly Withdrawal[]
}

export interface Block extends BlockBody {
  readonly header: Header
}

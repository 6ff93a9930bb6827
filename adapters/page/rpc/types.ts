/**
 * JSON forms of the execution API that the views use. Nodes are not trusted to fill optional fields.
 * @see https://github.com/ethereum/execution-apis
 * @module
 */

/** `0x` and hex digits. */
export type Hex = string

export interface Withdrawal {
  readonly index: Hex
  readonly validatorIndex: Hex
  readonly address: Hex
  /** in Gwei */
  readonly amount: Hex
}

export interface AccessListItem {
  readonly address: Hex
  readonly storageKeys: readonly Hex[]
}

export interface Authorization {
  readonly chainId: Hex
  readonly address: Hex
  readonly nonce: Hex
  readonly yParity: Hex
  readonly r: Hex
  readonly s: Hex
}

export interface Transaction {
  readonly hash: Hex
  readonly type?: Hex
  readonly from: Hex
  readonly to: Hex | null
  readonly value: Hex
  readonly nonce: Hex
  readonly gas: Hex
  readonly input: Hex
  readonly gasPrice?: Hex
  readonly maxFeePerGas?: Hex
  readonly maxPriorityFeePerGas?: Hex
  readonly maxFeePerBlobGas?: Hex
  readonly blobVersionedHashes?: readonly Hex[]
  readonly accessList?: readonly AccessListItem[]
  readonly authorizationList?: readonly Authorization[]
  readonly chainId?: Hex
  readonly blockHash: Hex | null
  readonly blockNumber: Hex | null
  readonly transactionIndex: Hex | null
  readonly v?: Hex
  readonly r?: Hex
  readonly s?: Hex
  readonly yParity?: Hex
}

export interface Log {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly logIndex: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly transactionHash: Hex
}

export interface Receipt {
  readonly status?: Hex
  readonly gasUsed: Hex
  readonly cumulativeGasUsed: Hex
  readonly effectiveGasPrice?: Hex
  readonly contractAddress: Hex | null
  readonly logs: readonly Log[]
  readonly blobGasUsed?: Hex
  readonly blobGasPrice?: Hex
}

export interface Block<T = Hex> {
  readonly number: Hex
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestamp: Hex
  readonly miner: Hex
  readonly gasUsed: Hex
  readonly gasLimit: Hex
  readonly baseFeePerGas?: Hex
  readonly difficulty: Hex
  readonly totalDifficulty?: Hex
  readonly extraData: Hex
  readonly nonce?: Hex
  readonly mixHash?: Hex
  readonly logsBloom: Hex
  readonly stateRoot: Hex
  readonly transactionsRoot: Hex
  readonly receiptsRoot: Hex
  readonly sha3Uncles: Hex
  readonly size?: Hex
  readonly uncles: readonly Hex[]
  readonly transactions: readonly T[]
  readonly withdrawals?: readonly Withdrawal[]
  readonly withdrawalsRoot?: Hex
  readonly blobGasUsed?: Hex
  readonly excessBlobGas?: Hex
  readonly parentBeaconBlockRoot?: Hex
  readonly requestsHash?: Hex
}

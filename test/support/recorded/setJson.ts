/** Blocks and states in the JSON of the public benchmark sets. */
import { bigIntToBytesPadded, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { GenesisAlloc } from '../../../src/state/genesisState.ts'
import type { Block, Header, HeaderDraft, Withdrawal } from '../../../src/types/block.ts'
import type { AccessList, Transaction } from '../../../src/types/transaction.ts'

/** As `eth_getBlockByNumber` answers it, with whole transactions. */
export type JsonBlock = Readonly<Record<string, unknown>> & {
  readonly transactions: readonly JsonTransaction[]
  readonly withdrawals?: readonly JsonWithdrawal[]
}

export interface JsonTransaction {
  readonly hash: string
  readonly type: string
  readonly nonce: string
  readonly gas: string
  readonly to?: string | null
  readonly value: string
  readonly input: string
  readonly v: string
  readonly r: string
  readonly s: string
  readonly gasPrice: string
  readonly chainId?: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
  readonly maxFeePerBlobGas?: string
  readonly blobVersionedHashes?: readonly string[]
  readonly accessList?: readonly { readonly address: string; readonly storageKeys: readonly string[] }[]
}

export interface JsonWithdrawal {
  readonly index: string
  readonly validatorIndex: string
  readonly address: string
  readonly amount: string
}

export type JsonAlloc = Readonly<
  Record<
    string,
    {
      readonly balance: string
      readonly nonce?: string
      readonly code?: string
      readonly storage?: Readonly<Record<string, string>>
    }
  >
>

/** The block without its ommers, of which the JSON has only the hashes. */
export function blockOf(json: JsonBlock): Block {
  return {
    header: headerOf(json),
    transactions: json.transactions.map(transactionOf),
    ommers: [],
    ...(json.withdrawals === undefined ? {} : { withdrawals: json.withdrawals.map(withdrawalOf) }),
  }
}

export function headerOf(json: Readonly<Record<string, unknown>>): Header {
  const bytes = (name: string): Uint8Array => hexToBytes(json[name] as string)
  const number = (name: string): bigint => BigInt(json[name] as string)
  const header: HeaderDraft = {
    parentHash: bytes('parentHash'),
    ommersHash: bytes('sha3Uncles'),
    beneficiary: bytes('miner'),
    stateRoot: bytes('stateRoot'),
    transactionsRoot: bytes('transactionsRoot'),
    receiptsRoot: bytes('receiptsRoot'),
    logsBloom: bytes('logsBloom'),
    difficulty: number('difficulty'),
    number: number('number'),
    gasLimit: number('gasLimit'),
    gasUsed: number('gasUsed'),
    timestamp: number('timestamp'),
    extraData: bytes('extraData'),
    mixHash: bytes('mixHash'),
    nonce: bytes('nonce'),
  }
  if (json['baseFeePerGas'] !== undefined) header.baseFeePerGas = number('baseFeePerGas')
  if (json['withdrawalsRoot'] !== undefined) header.withdrawalsRoot = bytes('withdrawalsRoot')
  if (json['blobGasUsed'] !== undefined) header.blobGasUsed = number('blobGasUsed')
  if (json['excessBlobGas'] !== undefined) header.excessBlobGas = number('excessBlobGas')
  if (json['parentBeaconBlockRoot'] !== undefined) header.parentBeaconBlockRoot = bytes('parentBeaconBlockRoot')
  if (json['requestsHash'] !== undefined) header.requestsHash = bytes('requestsHash')
  return header
}

/** Transactions of types 0 to 3, which the recorded blocks have. */
function transactionOf(json: JsonTransaction): Transaction {
  const common = {
    nonce: BigInt(json.nonce),
    gasLimit: BigInt(json.gas),
    to: json.to === undefined || json.to === null ? undefined : hexToBytes(json.to),
    value: BigInt(json.value),
    data: hexToBytes(json.input),
    r: BigInt(json.r),
    s: BigInt(json.s),
  }
  const v = BigInt(json.v)
  if (json.type === '0x0') {
    const chainId = v >= 35n ? (v - 35n) / 2n : undefined
    return { ...common, type: 0, gasPrice: BigInt(json.gasPrice), v, chainId }
  }
  const typed = { ...common, chainId: BigInt(json.chainId as string), accessList: accessListOf(json), yParity: v }
  if (json.type === '0x1') return { ...typed, type: 1, gasPrice: BigInt(json.gasPrice) }
  const fees = {
    maxPriorityFeePerGas: BigInt(json.maxPriorityFeePerGas as string),
    maxFeePerGas: BigInt(json.maxFeePerGas as string),
  }
  if (json.type === '0x2') return { ...typed, ...fees, type: 2 }
  return {
    ...typed,
    ...fees,
    type: 3,
    to: common.to as Uint8Array,
    maxFeePerBlobGas: BigInt(json.maxFeePerBlobGas as string),
    blobVersionedHashes: (json.blobVersionedHashes ?? []).map(hexToBytes),
  }
}

function accessListOf({ accessList = [] }: JsonTransaction): AccessList {
  return accessList.map(({ address, storageKeys }) => ({
    address: hexToBytes(address),
    storageKeys: storageKeys.map(hexToBytes),
  }))
}

export function withdrawalOf({ index, validatorIndex, address, amount }: JsonWithdrawal): Withdrawal {
  return {
    index: BigInt(index),
    validatorIndex: BigInt(validatorIndex),
    address: hexToBytes(address),
    amount: BigInt(amount),
  }
}

export function allocOf(json: JsonAlloc): GenesisAlloc {
  return Object.entries(json).map(([address, { balance, nonce = '0x0', code = '0x', storage = {} }]) => ({
    address: hexToBytes(address),
    balance: BigInt(balance),
    nonce: BigInt(nonce),
    code: hexToBytes(code),
    storage: Object.entries(storage).map(([slot, value]) => [word(slot), word(value)] as const),
  }))
}

function word(hex: string): Uint8Array {
  return bigIntToBytesPadded(BigInt(hex), 32)
}

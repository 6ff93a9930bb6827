/** Allocations and numbers in the JSON that other programs read. */
import { bytesToHex, quantity } from '../../../src/base/primitives/bytes.ts'
import type { GenesisAlloc } from '../../../src/state/genesisState.ts'
import type { Withdrawal } from '../../../src/types/block.ts'
import type { Transaction } from '../../../src/types/transaction.ts'

export interface HexAccount {
  readonly balance: string
  readonly nonce: string
  readonly code: string
  readonly storage: Readonly<Record<string, string>>
}

/** Accounts by address. */
export function hexAlloc(alloc: GenesisAlloc): Record<string, HexAccount> {
  const accounts: Record<string, HexAccount> = {}
  for (const { address, balance, nonce = 0n, code = new Uint8Array(0), storage = [] } of alloc) {
    accounts[bytesToHex(address)] = {
      balance: quantity(balance),
      nonce: quantity(nonce),
      code: bytesToHex(code),
      storage: Object.fromEntries([...storage].map(([slot, value]) => [bytesToHex(slot), bytesToHex(value)])),
    }
  }
  return accounts
}

export function hexWithdrawal({ index, validatorIndex, address, amount }: Withdrawal): Record<string, string> {
  return {
    index: quantity(index),
    validatorIndex: quantity(validatorIndex),
    address: bytesToHex(address),
    amount: quantity(amount),
  }
}

interface HexTransaction {
  readonly type: string
  readonly nonce: string
  readonly gas: string
  readonly to?: string
  readonly value: string
  readonly input: string
  readonly [field: string]: unknown
}

/** The unsigned fields of a transaction of types 0 to 3, as JSON-RPC names them. */
export function hexTransaction(transaction: Transaction): HexTransaction {
  const { type, nonce, gasLimit, to, value, data, chainId } = transaction
  const fields = {
    type: quantity(type),
    nonce: quantity(nonce),
    gas: quantity(gasLimit),
    ...(to === undefined ? {} : { to: bytesToHex(to) }),
    value: quantity(value),
    input: bytesToHex(data),
    ...(chainId === undefined ? {} : { chainId: quantity(chainId) }),
  }
  if (transaction.type === 0) return { ...fields, gasPrice: quantity(transaction.gasPrice) }
  const accessList = transaction.accessList.map(({ address, storageKeys }) => ({
    address: bytesToHex(address),
    storageKeys: storageKeys.map(bytesToHex),
  }))
  if (transaction.type === 1) return { ...fields, accessList, gasPrice: quantity(transaction.gasPrice) }
  const fees = {
    maxFeePerGas: quantity(transaction.maxFeePerGas),
    maxPriorityFeePerGas: quantity(transaction.maxPriorityFeePerGas),
  }
  if (transaction.type !== 3) return { ...fields, accessList, ...fees }
  return {
    ...fields,
    accessList,
    ...fees,
    maxFeePerBlobGas: quantity(transaction.maxFeePerBlobGas),
    blobVersionedHashes: transaction.blobVersionedHashes.map(bytesToHex),
  }
}

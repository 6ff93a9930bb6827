/** Transaction pools over chains in memory. */

import { silentLogger } from '../../../src/base/ports/logging.ts'
import { isNodeError, NodeError } from '../../../src/base/primitives/errors.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../src/base/primitives/keccak.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { AccountState, StateReader } from '../../../src/state/contract.ts'
import type { IncomingTransaction, PooledTransaction, PoolSettings } from '../../../src/txpool/contract.ts'
import { type PoolOptions, TransactionPool } from '../../../src/txpool/transactionPool.ts'
import { decodePooledTransaction } from '../../../src/types/blobSidecar.ts'
import type { FeeMarketTransaction, LegacyTransaction } from '../../../src/types/transaction.ts'
import { TEST_CLOCK } from './testChain.ts'

export const POOL_SETTINGS: PoolSettings = {
  maxSize: 4096,
  limitByAccount: 0.001,
  priceBump: 10,
  retentionMs: 13 * 3_600_000,
  feeCap: 10n ** 18n,
  minGasPrice: 1000n,
  requireReplayProtection: false,
}

export function openPool(
  chain: Chain,
  { settings, ...options }: Partial<Omit<PoolOptions, 'settings'>> & { readonly settings?: Partial<PoolSettings> } = {},
): TransactionPool {
  return new TransactionPool({
    chain,
    states: { at: (header) => chain.stateAt(header) },
    clock: TEST_CLOCK,
    logger: silentLogger,
    isSealing: () => true,
    ...options,
    settings: { ...POOL_SETTINGS, ...settings },
  })
}

/** A transaction as sent by a client. */
export function localTransaction(raw: Uint8Array): IncomingTransaction {
  return { ...decodePooledTransaction(raw), isLocal: true }
}

/** @throws {NodeError} with the code of the rejection */
export function admitted(pool: TransactionPool, ...admission: Parameters<TransactionPool['admit']>): PooledTransaction {
  const verdict = pool.admit(...admission)
  if (verdict.kind === 'admitted') return verdict.pooled
  throw new NodeError({ code: verdict.error.code }, verdict.error.message)
}

/** Code of the error that `work` throws; undefined if it throws none. */
export function codeOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (isNodeError(error)) return error.code
    throw error
  }
}

/**
 * A state in which every account has a high balance.
 * @param nonceOf nonce of an account; default 0
 * @param balance wei
 */
export function richState(
  nonceOf: (address: Uint8Array) => bigint = () => 0n,
  balance: bigint = 10n ** 30n,
): StateReader {
  const getAccount = (address: Uint8Array): AccountState => ({
    nonce: nonceOf(address),
    balance,
    codeHash: EMPTY_CODE_HASH,
    storageRoot: EMPTY_TRIE_ROOT,
  })
  return { getAccount, getCode: () => new Uint8Array(0) } as unknown as StateReader
}

/** Address of a test account. */
export function accountAddress(index: number): Uint8Array {
  const address = new Uint8Array(20).fill(0xaa)
  new DataView(address.buffer).setUint32(16, index)
  return address
}

/** An unsigned transfer; `salt` distinguishes otherwise identical ones. */
export function unsignedTransfer(
  nonce: number,
  fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint },
  salt = 0,
): FeeMarketTransaction {
  return {
    type: 2,
    chainId: 31337n,
    nonce: BigInt(nonce),
    ...fees,
    gasLimit: 21_000n,
    to: accountAddress(0xffff),
    value: BigInt(salt),
    data: new Uint8Array(0),
    accessList: [],
    yParity: 0n,
    r: 1n,
    s: 1n,
  }
}

export function unsignedLegacy(nonce: number, gasPrice: bigint, salt = 0): LegacyTransaction {
  return {
    type: 0,
    chainId: 31337n,
    nonce: BigInt(nonce),
    gasPrice,
    gasLimit: 21_000n,
    to: accountAddress(0xffff),
    value: BigInt(salt),
    data: new Uint8Array(0),
    v: 35n + 2n * 31337n,
    r: 1n,
    s: 1n,
  }
}

import { describe, expect, it } from 'vitest'
import { type ForkName, forkRules } from '../../../src/config/forks.ts'
import { intrinsicGas } from '../../../src/types/intrinsicGas.ts'
import type {
  BlobTransaction,
  FeeMarketTransaction,
  LegacyTransaction,
  Transaction,
} from '../../../src/types/transaction.ts'
import { transactionFormError } from '../../../src/types/transactionForm.ts'

const TO = new Uint8Array(20).fill(1)

const legacy: LegacyTransaction = {
  type: 0,
  nonce: 0n,
  gasPrice: 1n,
  gasLimit: 100_000n,
  to: TO,
  value: 0n,
  data: new Uint8Array(0),
  chainId: undefined,
  v: 27n,
  r: 1n,
  s: 1n,
}

const feeMarket: FeeMarketTransaction = {
  type: 2,
  chainId: 1n,
  nonce: 0n,
  maxPriorityFeePerGas: 1n,
  maxFeePerGas: 2n,
  gasLimit: 100_000n,
  to: TO,
  value: 0n,
  data: new Uint8Array(0),
  accessList: [],
  yParity: 0n,
  r: 1n,
  s: 1n,
}

const blobHash = new Uint8Array(32).fill(1)
const blob: BlobTransaction = { ...feeMarket, type: 3, to: TO, maxFeePerBlobGas: 1n, blobVersionedHashes: [blobHash] }

function error(transaction: Transaction, fork: ForkName): string | undefined {
  return transactionFormError(transaction, forkRules(fork), 1n)?.message
}

describe('form of a transaction', () => {
  it('is valid', () => {
    expect(error(legacy, 'frontier')).toBeUndefined()
    expect(error({ ...legacy, chainId: 1n, v: 37n }, 'spuriousDragon')).toBeUndefined()
    expect(error(feeMarket, 'london')).toBeUndefined()
    expect(error(blob, 'cancun')).toBeUndefined()
  })

  it('must be of a type that the fork supports', () => {
    expect(error(feeMarket, 'berlin')).toBe('transaction type not supported')
    expect(error(blob, 'shanghai')).toBe('transaction type not supported')
    expect(error({ ...feeMarket, type: 4, to: TO, authorizationList: [] }, 'cancun')).toBe(
      'transaction type not supported',
    )
  })

  it('must be for this chain', () => {
    expect(error({ ...feeMarket, chainId: 2n }, 'london')).toBe('invalid chain id for signer: have 2 want 1')
    expect(error({ ...legacy, chainId: 1n, v: 37n }, 'homestead')).toMatch(/replay-protected/)
  })

  it('must have a low s since Homestead', () => {
    const highS = { ...legacy, s: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140n }
    expect(error(highS, 'frontier')).toBeUndefined()
    expect(error(highS, 'homestead')).toBe('invalid transaction v, r, s values')
    expect(error({ ...legacy, r: 0n }, 'frontier')).toBe('invalid transaction v, r, s values')
  })

  it('must have a nonce that can be incremented', () => {
    expect(error({ ...legacy, nonce: 2n ** 64n - 2n }, 'frontier')).toBeUndefined()
    expect(error({ ...legacy, nonce: 2n ** 64n - 1n }, 'frontier')).toMatch(/^nonce has max value/)
  })

  it('must have consistent fees', () => {
    expect(error({ ...feeMarket, maxPriorityFeePerGas: 3n }, 'london')).toMatch(/^max priority fee per gas higher than/)
    expect(error({ ...legacy, gasPrice: 2n ** 256n - 1n }, 'frontier')).toMatch(/exceeds 256 bits/)
  })

  it('must have enough gas, and since Osaka not too much', () => {
    expect(error({ ...legacy, gasLimit: 20_999n }, 'frontier')).toBe('intrinsic gas too low: have 20999, want 21000')
    const data = new Uint8Array(1000).fill(1)
    const calldata = { ...legacy, data, gasLimit: 21_000n + 16_000n }
    expect(error(calldata, 'cancun')).toBeUndefined()
    expect(error(calldata, 'prague')).toBe('insufficient gas for floor data gas cost: have 37000, want 61000')
    expect(error({ ...legacy, gasLimit: 16_777_217n }, 'prague')).toBeUndefined()
    expect(error({ ...legacy, gasLimit: 16_777_217n }, 'osaka')).toMatch(/^transaction gas limit too high/)
  })

  it('must not have too much init code since Shanghai', () => {
    const creation = { ...legacy, to: undefined, data: new Uint8Array(49_153), gasLimit: 10_000_000n }
    expect(error(creation, 'paris')).toBeUndefined()
    expect(error(creation, 'shanghai')).toBe('max initcode size exceeded: code size 49153, limit 49152')
    expect(transactionFormError(creation, forkRules('shanghai'), 1n, 2 ** 31)).toBeUndefined()
  })

  it('must have blobs, of a known version, and not too many', () => {
    const blobs = (count: number): Transaction => ({ ...blob, blobVersionedHashes: Array(count).fill(blobHash) })
    expect(error(blobs(0), 'cancun')).toBe('blob transaction missing blob hashes')
    expect(error(blobs(7), 'cancun')).toBe('blob transaction has too many blobs: have 7, max 6')
    expect(error(blobs(9), 'prague')).toBeUndefined()
    expect(error(blobs(7), 'osaka')).toBe('blob transaction has too many blobs: have 7, max 6')
    expect(error({ ...blob, blobVersionedHashes: [new Uint8Array(32)] }, 'cancun')).toBe(
      'blob 0 has invalid hash version 0',
    )
  })

  it('must have authorizations', () => {
    const setCode: Transaction = { ...feeMarket, type: 4, to: TO, authorizationList: [] }
    expect(error(setCode, 'prague')).toBe('EIP-7702 transaction with empty auth list')
  })
})

describe('intrinsic gas', () => {
  const gas = (input: Partial<Transaction>, fork: ForkName): readonly bigint[] => {
    const { intrinsic, floor } = intrinsicGas({ to: TO, data: new Uint8Array(0), ...input }, forkRules(fork))
    return [intrinsic, floor]
  }

  it('counts the gas that each fork charges', () => {
    const data = Uint8Array.of(0, 1)
    expect(gas({ data }, 'frontier')).toEqual([21_072n, 0n])
    expect(gas({ data }, 'istanbul')).toEqual([21_020n, 0n])
    expect(gas({ data }, 'prague')).toEqual([21_020n, 21_050n])
    expect(gas({ to: undefined }, 'frontier')).toEqual([21_000n, 0n])
    expect(gas({ to: undefined }, 'homestead')).toEqual([53_000n, 0n])
    expect(gas({ to: undefined, data: new Uint8Array(33) }, 'shanghai')).toEqual([53_136n, 0n])
  })

  it('counts access lists and authorizations', () => {
    const slot = new Uint8Array(32)
    const accessList = [
      { address: TO, storageKeys: [slot, slot] },
      { address: TO, storageKeys: [] },
    ]
    expect(gas({ accessList }, 'berlin')).toEqual([21_000n + 2n * 2400n + 2n * 1900n, 0n])
    const authorization = { chainId: 0n, address: TO, nonce: 0n, yParity: 0n, r: 1n, s: 1n }
    expect(gas({ authorizationList: [authorization, authorization] }, 'prague')[0]).toBe(71_000n)
  })
})

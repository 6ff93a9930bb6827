import { describe, expect, it } from 'vitest'
import { blobBaseFee, effectiveGasPrice, nextBaseFee, nextExcessBlobGas } from '../../../src/chain/fees.ts'
import { ChainConfig } from '../../../src/config/chainConfig.ts'
import { forkRules } from '../../../src/config/forks.ts'
import type { Transaction } from '../../../src/types/transaction.ts'

function config(zeroBaseFee = false): ChainConfig {
  return new ChainConfig({
    chainId: 1n,
    networkId: 1n,
    activations: [],
    consensus: { kind: 'ethash', fixedDifficulty: undefined },
    terminalTotalDifficulty: undefined,
    zeroBaseFee,
    source: {},
  })
}

describe('the base fee', () => {
  const london = forkRules('london')

  it.each([
    ['stays at the target', 1000n, 10_000_000n, 1000n],
    ['rises by an eighth with a full block', 1000n, 20_000_000n, 1125n],
    ['falls by an eighth with an empty block', 1000n, 0n, 875n],
    ['rises by 1 at least', 7n, 10_000_001n, 8n],
    ['may stay when it would fall by less than 1', 7n, 9_999_999n, 7n],
  ])('%s', (_, baseFeePerGas, gasUsed, expected) => {
    expect(nextBaseFee({ baseFeePerGas, gasUsed, gasLimit: 20_000_000n }, london, config())).toBe(expected)
  })

  it('starts with London, and stays 0 on chains configured so', () => {
    const parent = { gasUsed: 5n, gasLimit: 10n }
    expect(nextBaseFee(parent, forkRules('berlin'), config())).toBeUndefined()
    expect(nextBaseFee(parent, london, config())).toBe(1_000_000_000n)
    expect(nextBaseFee({ ...parent, baseFeePerGas: 9n }, london, config(true))).toBe(0n)
  })
})

describe('blob gas', () => {
  const blob = 131_072n

  it('accumulates the excess above the target', () => {
    const cancun = forkRules('cancun')
    expect(nextExcessBlobGas({ excessBlobGas: 0n, blobGasUsed: 3n * blob }, cancun)).toBe(0n)
    expect(nextExcessBlobGas({ excessBlobGas: blob, blobGasUsed: 3n * blob }, cancun)).toBe(blob)
    expect(nextExcessBlobGas({}, cancun)).toBe(0n)
    expect(nextExcessBlobGas({}, forkRules('shanghai'))).toBeUndefined()
  })

  it('never gets cheaper than the execution gas that comes with it (EIP-7918)', () => {
    const osaka = forkRules('osaka')
    const parent = { excessBlobGas: 10n * blob, blobGasUsed: 9n * blob }
    expect(nextExcessBlobGas({ ...parent, baseFeePerGas: 1n }, osaka)).toBe(13n * blob)
    // 9 blobs times (max - target) / max
    expect(nextExcessBlobGas({ ...parent, baseFeePerGas: 1_000_000_000n }, osaka)).toBe(13n * blob)
    const below = { excessBlobGas: 10n * blob, blobGasUsed: 3n * blob, baseFeePerGas: 1_000_000_000n }
    expect(nextExcessBlobGas(below, osaka)).toBe(11n * blob)
    expect(nextExcessBlobGas(below, forkRules('prague'))).toBe(7n * blob)
  })

  it.each([
    [0n, 1n],
    [2_314_057n, 1n],
    [2_314_058n, 2n],
    [10n * 1024n * 1024n, 23n],
  ])('with an excess of %d costs %d', (excess, price) => {
    expect(blobBaseFee(excess, { baseFeeUpdateFraction: 3_338_477n })).toBe(price)
  })
})

it('the price of gas is the base fee and the tip, up to the cap', () => {
  const price = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint, baseFee: bigint): bigint =>
    effectiveGasPrice({ type: 2, maxFeePerGas, maxPriorityFeePerGas } as Transaction, baseFee)
  expect(price(100n, 2n, 7n)).toBe(9n)
  expect(price(8n, 2n, 7n)).toBe(8n)
  expect(effectiveGasPrice({ type: 0, gasPrice: 50n } as Transaction, 7n)).toBe(50n)
})

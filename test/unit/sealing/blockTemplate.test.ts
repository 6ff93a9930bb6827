import { describe, expect, it } from 'vitest'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { DevTemplate } from '../../../src/dev/devTemplate.ts'
import { BlockTemplate } from '../../../src/sealing/blockTemplate.ts'

const SETTINGS = { coinbase: undefined, extraData: Uint8Array.of(1), targetGasLimit: undefined }
const COINBASE = new Uint8Array(20).fill(2)
const PARENT = { header: { gasLimit: 1_024_000n, timestamp: 50n }, hash: new Uint8Array(32).fill(3) } as ChainHeader
const CLOCK = { now: () => 100_000, monotonic: () => 0 }
const transactions = { next: () => undefined, included: () => {}, refused: () => {} }
const content = { transactions, isEmptyAllowed: true }

describe('the template of all producers', () => {
  it('plans blocks with the current settings', () => {
    const template = new BlockTemplate(SETTINGS, CLOCK)
    const first = template.plan(PARENT, content)
    expect(first).toEqual({
      ...content,
      timestamp: 100n,
      beneficiary: new Uint8Array(20),
      extraData: Uint8Array.of(1),
      gasLimit: 1_024_000n,
      prevRandao: keccak256(PARENT.hash),
    })
    expect(template.plan({ ...PARENT, header: { ...PARENT.header, timestamp: 100n } }, content).timestamp).toBe(101n)
    const { settings } = template
    template.coinbase = COINBASE
    template.targetGasLimit = 2_000_000n
    expect(template.plan(PARENT, content)).toMatchObject({
      beneficiary: COINBASE,
      gasLimit: 1_024_999n,
    })
    expect(template.settings).not.toEqual(settings)
    expect(template.requireCoinbase()).toBe(COINBASE)
  })
})

describe('the template of the dev chain', () => {
  const open = () => new DevTemplate(SETTINGS, CLOCK)

  it('takes time and randomness from clock and parent', () => {
    const template = open()
    const plan = template.plan(PARENT, content)
    expect(plan).toMatchObject({ timestamp: 100n, gasLimit: 1_024_000n, prevRandao: keccak256(PARENT.hash) })
    expect(plan).not.toHaveProperty('setsGasLimit')
    expect(template.plan(PARENT, content, 51n).timestamp).toBe(51n)
  })

  it('uses the values of the next block once, and the gas limit from then on', () => {
    const template = open()
    const prevRandao = new Uint8Array(32).fill(9)
    template.next = { baseFeePerGas: 7n, prevRandao }
    template.gasLimit = 30_000n
    template.clock.setNextTimestamp(200n)
    const lasting = { gasLimit: 30_000n, setsGasLimit: true }
    expect(template.plan(PARENT, content)).toMatchObject({ ...lasting, timestamp: 200n, baseFeePerGas: 7n, prevRandao })
    template.sealed(200n)
    const after = template.plan(PARENT, content)
    expect(after).toMatchObject({ ...lasting, timestamp: 200n })
    expect(after).not.toHaveProperty('baseFeePerGas')
  })
})

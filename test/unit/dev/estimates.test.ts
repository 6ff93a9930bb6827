/** Gas estimates of a dev chain are for its next block, because a client sends what it has estimated. */
import { concatHex, encodeAbiParameters, type Hex, numberToHex, size } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { defaultOptions } from '../../../src/config/options.ts'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { devAccount } from '../../support/rpc/viemClient.ts'

const FROM = devAccount(0).address
const GAS = '0x100000'
const YEAR = 365 * 24 * 60 * 60
const BLOCK_NUMBER = '0x4360005260206000f3'

let rpc: Awaited<ReturnType<typeof openDevNode>>['rpc']
beforeEach(async () => {
  ;({ rpc } = await openDevNode(defaultOptions(true)))
  // Its time is the present, unlike that of block 0.
  await rpc('evm_mine')
})

interface Receipt {
  readonly status: Hex
  readonly contractAddress: Hex
}

async function create(runtime: Hex): Promise<Hex> {
  const length = numberToHex(size(runtime), { size: 1 })
  const init = concatHex(['0x60', length, '0x600c60003960', length, '0x6000f3', runtime])
  const hash = await rpc('eth_sendTransaction', { from: FROM, data: init, gas: GAS })
  return (await rpc<Receipt>('eth_getTransactionReceipt', hash)).contractAddress
}

const headTime = async (): Promise<number> =>
  Number((await rpc<{ timestamp: Hex }>('eth_getBlockByNumber', 'latest', false)).timestamp)

/** Reverts before the time. */
const opensAt = (time: number): Hex =>
  concatHex(['0x63', numberToHex(time, { size: 4 }), '0x421060', '0x0b57', '0x00', '0x5b60006000fd'])

describe('an estimate without a block', () => {
  it.each([
    ['evm_setNextBlockTimestamp', (now: number) => now + YEAR],
    ['evm_increaseTime', () => YEAR + 1],
    ['anvil_setBlockTimestampInterval', () => YEAR],
  ])('is at the time of the next block after %s', async (method, argument) => {
    const now = await headTime()
    const to = await create(opensAt(now + YEAR))
    const call = { from: FROM, to }
    await expect(rpc('eth_estimateGas', call)).rejects.toMatchObject({ code: 3 })
    await rpc(method, argument(await headTime()))
    expect(Number(await rpc('eth_estimateGas', call))).toBeGreaterThan(21_000)
    await expect(rpc('eth_estimateGas', call, 'latest')).rejects.toMatchObject({ code: 3 })
    await rpc('eth_fillTransaction', call)
    const hash = await rpc('eth_sendTransaction', call)
    expect(await rpc<Receipt>('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })

  it('has the number of the next block', async () => {
    const to = await create(BLOCK_NUMBER)
    // Reverts unless NUMBER is 4.
    const isFourth = await create('0x43600414600b57600080fd5b00')
    expect(Number(await rpc('eth_estimateGas', { from: FROM, to }))).toBeGreaterThan(21_000)
    expect(Number(await rpc('eth_estimateGas', { from: FROM, to: isFourth }))).toBeGreaterThan(21_000)
    await expect(rpc('eth_estimateGas', { from: FROM, to: isFourth }, 'latest')).rejects.toMatchObject({ code: 3 })
  })

  it('comes after the waiting transactions', async () => {
    // With input: stores it in slot 0. Without: reverts while slot 0 is empty.
    const to = await create('0x3615600c57600035600055005b600054601757600080fd5b00')
    await rpc('evm_setAutomine', false)
    const call = { from: FROM, to }
    await expect(rpc('eth_estimateGas', call)).rejects.toMatchObject({ code: 3 })
    const data = encodeAbiParameters([{ type: 'uint256' }], [1n])
    await rpc('eth_sendTransaction', { ...call, data, gas: GAS })
    expect(Number(await rpc('eth_estimateGas', call))).toBeGreaterThan(21_000)
    const hash = await rpc('eth_sendTransaction', call)
    await rpc('evm_mine')
    expect(await rpc<Receipt>('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })

  it('keeps overrides of the block', async () => {
    const to = await create(opensAt((await headTime()) + YEAR))
    const time = numberToHex((await headTime()) + 2 * YEAR)
    expect(Number(await rpc('eth_estimateGas', { from: FROM, to }, null, {}, { time }))).toBeGreaterThan(21_000)
  })
})

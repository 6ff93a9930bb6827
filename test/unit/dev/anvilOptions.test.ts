/** Options of anvil that change the dev chain itself. */
import { describe, expect, it } from 'vitest'
import { DEV_ACCOUNTS } from '../../../src/config/devAccounts.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'

const open = closedAfterEach()
const [FROM, TO] = DEV_ACCOUNTS.map(({ address }) => address)

async function numberOf(rpc: OpenedNode['rpc'], tag: string): Promise<number> {
  return Number((await rpc<{ number: string }>('eth_getBlockByNumber', tag, false)).number)
}

describe('--slots-in-an-epoch', () => {
  it('sets the distance of safe and finalized from the head', async () => {
    const { rpc } = await open({ 'slots-in-an-epoch': 3 })
    const seen: number[][] = []
    for (let i = 0; i < 8; i++) {
      seen.push([await numberOf(rpc, 'safe'), await numberOf(rpc, 'finalized')])
      await rpc('evm_mine')
    }
    expect(seen).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
      [1, 0],
      [2, 0],
      [3, 0],
      [4, 1],
    ])
  })

  it('leaves both at the head by default', async () => {
    const { rpc } = await open()
    await rpc('hardhat_mine', '0x5')
    expect([await numberOf(rpc, 'safe'), await numberOf(rpc, 'finalized')]).toEqual([5, 5])
  })
})

describe('--mixed-mining', () => {
  const send = (rpc: OpenedNode['rpc']) => rpc('eth_sendTransaction', { from: FROM, to: TO, value: '0x1' })

  it('mines transactions immediately beside the interval', async () => {
    const { rpc } = await open({ 'dev-block-time': 1000, 'mixed-mining': true })
    expect(await rpc('eth_getTransactionReceipt', await send(rpc))).toMatchObject({ blockNumber: '0x1' })
    expect(await rpc('anvil_getAutomine')).toBe(true)
    expect(await rpc('anvil_getIntervalMining')).toBe(1000)
  })

  it('can be switched off and on', async () => {
    const { rpc } = await open({ 'dev-block-time': 1000, 'mixed-mining': true })
    await rpc('evm_setAutomine', false)
    const hash = await send(rpc)
    expect(await rpc('eth_getTransactionReceipt', hash)).toBe(null)
    expect(await rpc('anvil_getIntervalMining')).toBe(1000)
    await rpc('evm_setAutomine', true)
    expect(await rpc('eth_getTransactionReceipt', await send(rpc))).toMatchObject({ status: '0x1' })
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })

  it('mines at the interval as well', async () => {
    const { rpc } = await open({ 'dev-block-time': 0.02, 'mixed-mining': true })
    await expect.poll(() => rpc('eth_blockNumber').then(Number)).toBeGreaterThan(1)
  })
})

describe('--disable-min-priority-fee', () => {
  it('suggests the priority fee of recent transactions only', async () => {
    const { rpc } = await open({ 'disable-min-priority-fee': true })
    const { baseFeePerGas } = await rpc<{ baseFeePerGas: string }>('eth_getBlockByNumber', 'pending', false)
    expect(await rpc('eth_maxPriorityFeePerGas')).toBe('0x0')
    expect(await rpc('eth_gasPrice')).toBe(baseFeePerGas)
    const hash = await rpc('eth_sendTransaction', { from: FROM, to: TO })
    expect(await rpc('eth_getTransactionByHash', hash)).toMatchObject({ maxPriorityFeePerGas: '0x0' })
    await rpc('eth_sendTransaction', { from: FROM, to: TO, maxPriorityFeePerGas: '0x7' })
    expect(await rpc('eth_maxPriorityFeePerGas')).toBe('0x7')
  })

  it('is off by default: 1 gwei is suggested', async () => {
    const { rpc } = await open()
    expect(await rpc('eth_maxPriorityFeePerGas')).toBe('0x3b9aca00')
  })
})

/** Methods that only Hardhat's node offers. */
import { expect, it } from 'vitest'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'

const openDevNode = closedAfterEach()
const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

it('eth_pendingTransactions returns the transactions in the pool, and hardhat_intervalMine mines them', async () => {
  const { rpc } = await openDevNode()
  expect(await rpc('eth_pendingTransactions')).toEqual([])
  await rpc('evm_setAutomine', false)
  const hashes = [
    await rpc('eth_sendTransaction', { from: FROM, to: FROM, value: '0x1' }),
    await rpc('eth_sendTransaction', { from: FROM, to: FROM, value: '0x2' }),
  ]
  expect(await rpc('eth_pendingTransactions')).toMatchObject([
    { hash: hashes[0], from: FROM, value: '0x1', blockHash: null },
    { hash: hashes[1], from: FROM, value: '0x2', blockNumber: null },
  ])
  expect(await rpc('hardhat_intervalMine')).toBe(true)
  expect(await rpc('eth_pendingTransactions')).toEqual([])
  expect(await rpc('eth_blockNumber')).toBe('0x1')
})

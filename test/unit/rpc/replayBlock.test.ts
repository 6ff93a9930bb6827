import { expect, it } from 'vitest'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'

const openNode = closedAfterEach()

it('debug_replayBlock says why a block with a chosen base fee does not follow the rules of a network', async () => {
  const { rpc } = await openNode({ 'rpc-http-api': ['ETH', 'DEBUG', 'DEV'] })
  await rpc('anvil_setNextBlockBaseFeePerGas', '0x5')
  await rpc('anvil_mine', 1)
  await expect(rpc('debug_replayBlock', '0x1')).rejects.toMatchObject({
    code: -32000,
    message: expect.stringContaining('base fee'),
  })
  expect(await rpc('eth_blockNumber')).toBe('0x1')
})

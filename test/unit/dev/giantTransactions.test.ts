import { expect, it } from 'vitest'
import type { Logger } from '../../../src/base/ports/host.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { evmCode } from '../../support/evm/evmCode.ts'
import { ALICE, BOB } from '../../support/nodes/devChain.ts'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const PRICE = '0xa'

it('drops a transaction that needs more memory than there is, and mines the others', async () => {
  const warnings: string[] = []
  const logger: Logger = { ...silentLogger, warn: (message) => void warnings.push(message), child: () => logger }
  const json = devGenesis({ fork: 'PRAGUE', gasLimit: 2n ** 60n, baseFeePerGas: 1n })
  const { rpc } = await openDevNode({ 'min-gas-price': 0n }, new MemoryStore(), { logger }, json)
  const giant = {
    from: ALICE.address,
    data: bytesToHex(evmCode(`1 ${0xfffe_0000} MSTORE8`)),
    gas: '0x5af3107a4000',
    gasPrice: PRICE,
  }
  await expect(rpc('eth_sendTransaction', giant)).rejects.toThrow('out of memory')
  const hash = await rpc('eth_sendTransaction', { from: BOB.address, to: ALICE.address, value: '0x1', gasPrice: PRICE })
  expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  expect(await rpc('eth_getTransactionCount', ALICE.address, 'pending')).toBe('0x0')
  expect(warnings).toEqual(['dropped a transaction that needs more memory than this node has'])
})

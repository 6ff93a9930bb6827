import { expect, it } from 'vitest'
import { evmCode } from '../../support/evm/evmCode.ts'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { deploy, send } from '../../support/nodes/tracedNode.ts'

const START = `0x${'00'.repeat(32)}`

interface StorageRange {
  readonly storage: Readonly<Record<string, { readonly key: string; readonly value: string }>>
  readonly nextKey?: string
  readonly complete: boolean
}

it.each([
  ['geth', [1, 2]],
  ['besu', [2, 3]],
] as const)(
  'debug_storageRangeAt has the state before or after a transaction as %s has it',
  async (profile, counts) => {
    const node = await openDevNode({ 'rpc-profile': profile })
    // Counts its calls in slot 1.
    const to = await deploy(node, evmCode('1 SLOAD 1 ADD 1 SSTORE'))
    await send(node, { to })
    await node.rpc('evm_setAutomine', false)
    const hashes = [await send(node, { to }), await send(node, { to })]
    await node.rpc('evm_mine')
    const seen: number[] = []
    for (const hash of hashes) {
      const { blockHash, transactionIndex } = await node.rpc<{ blockHash: string; transactionIndex: string }>(
        'eth_getTransactionReceipt',
        hash,
      )
      const index = Number(transactionIndex)
      const range = await node.rpc<StorageRange>('debug_storageRangeAt', blockHash, index, to, START, 1000)
      expect(range).toMatchObject({ complete: true })
      seen.push(...Object.values(range.storage).map(({ value }) => Number(value)))
    }
    expect(seen).toEqual(counts)
  },
)

import { afterEach, expect, it } from 'vitest'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { IsoNode } from '../../../src/node/node.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { openGenesisNode } from '../../support/nodes/genesisNode.ts'

const opened: IsoNode[] = []
afterEach(async () => {
  for (const node of opened.splice(0)) await node.close()
})

it('a large allocation is announced before its state is written, for a new chain only', async () => {
  const lines: unknown[][] = []
  const logger = { ...silentLogger, info: (...line: unknown[]) => void lines.push(line), child: () => logger }
  const accounts = Array.from({ length: 10_000 }, (_, at) => [at.toString(16).padStart(40, '0'), { balance: '1' }])
  const text = JSON.stringify({ difficulty: 1, gasLimit: 10_000_000, alloc: Object.fromEntries(accounts) })
  const store = new MemoryStore()
  const open = async () => {
    const node = await openGenesisNode(text, { 'p2p-enabled': false }, { store, logger })
    opened.push(node)
  }
  await open()
  const work = 'writing the state of the genesis block'
  const announced = () => lines.filter(([message]) => String(message).endsWith(work)).map(([message]) => message)
  expect(announced()).toEqual([work, `finished ${work}`])
  await open()
  expect(announced()).toHaveLength(2)
})

import { expect, it } from 'vitest'
import { MemoryMetrics } from '../../src/ports/memoryMetrics.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { openDevNode } from '../support/devNodeInMemory.ts'

it('a node counts its commits and requests', async () => {
  const metrics = new MemoryMetrics()
  const { node, rpc } = await openDevNode({}, new MemoryStore(), { metrics })
  const value = (name: string, method?: string): number => {
    const found = metrics.series.find((it) => it.name === name && it.labels['method'] === method)
    if (found === undefined) throw new Error(`no series ${name}`)
    return found.kind === 'histogram' ? found.count : found.value
  }
  const commits = value('blockchain_commits_total')
  await rpc('evm_mine')
  await rpc('evm_mine')
  await rpc('eth_blockNumber')
  expect(value('rpc_requests_total', 'evm_mine')).toBe(2)
  expect(value('rpc_requests_total', 'eth_blockNumber')).toBe(1)
  expect(value('rpc_requests_total', 'eth_getBalance')).toBe(0)
  expect(value('blockchain_height')).toBe(2)
  expect(value('blockchain_commits_total') - commits).toBe(2)
  expect(value('blockchain_commit_seconds')).toBe(value('blockchain_commits_total'))
  expect(value('blockchain_committed_keys_total')).toBeGreaterThan(10)
  expect(metrics.refused).toBe(0)
  await node.close()
})

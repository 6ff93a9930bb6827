import { expect, it } from 'vitest'
import { MemoryMetrics } from '../../../src/base/ports/memoryMetrics.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'

it('a node counts its commits and requests', async () => {
  const metrics = new MemoryMetrics()
  const { node, rpc } = await openDevNode({}, new MemoryStore(), { metrics })
  const value = (name: string, method?: string): number => {
    const found = metrics.series.find((it) => it.name === name && it.labels['methodName'] === method)
    if (found === undefined) throw new Error(`no series ${name}`)
    return found.kind === 'histogram' ? found.count : found.value
  }
  const commits = value('commits_total')
  await rpc('evm_mine')
  await rpc('evm_mine')
  await rpc('eth_blockNumber')
  expect(value('requests_total', 'evm_mine')).toBe(2)
  expect(value('requests_total', 'eth_blockNumber')).toBe(1)
  expect(value('requests_total', 'eth_getBalance')).toBe(0)
  expect(value('blockchain_height')).toBe(2)
  expect(value('commits_total') - commits).toBe(2)
  expect(value('commit_seconds')).toBe(value('commits_total'))
  expect(value('committed_keys_total')).toBeGreaterThan(10)
  expect(metrics.refused).toBe(0)
  await node.close()
})

it('debug_metrics returns categories, names and labels as objects; nothing while metrics are off', async () => {
  const { node, rpc } = await openDevNode({}, new MemoryStore(), { metrics: new MemoryMetrics() })
  await rpc('evm_mine')
  const metrics = await rpc<Record<string, Record<string, unknown>>>('debug_metrics', 1)
  expect(metrics['ethereum']).toMatchObject({ blockchain_height: 1, peer_count: 0 })
  expect(metrics['rpc']?.['requests_total']).toMatchObject({ evm_mine: { http: 1, websocket: 0 } })
  expect(metrics['rpc']?.['request_time']).toMatchObject({
    evm_mine: { bucket: { '+Inf': 1 }, count: 1, sum: expect.any(Number) },
  })
  await node.close()
  const without = await openDevNode()
  expect(await without.rpc('debug_metrics')).toEqual({})
  await without.node.close()
})

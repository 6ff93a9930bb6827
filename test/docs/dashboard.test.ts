/** The Grafana dashboard: every query names metrics that a node exports. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { observeProcess } from '../../adapters/server/data/processUsage.ts'
import { MemoryMetrics } from '../../src/base/ports/memoryMetrics.ts'
import { metricsText } from '../../src/http/metricsText.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { type OpenedNode, openDevNode } from '../support/nodes/devNodeInMemory.ts'

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[]
  readonly templating: { readonly list: readonly { readonly query: string }[] }
}

const file = path.resolve(import.meta.dirname, '../../docs/monitoring/grafana-dashboard.json')
const dashboard = JSON.parse(readFileSync(file, 'utf8')) as Dashboard
const queries = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.templating.list.map(({ query }) => query),
]
/** Names in a query that are metrics: words with a category of the node as prefix. */
const namesIn = (query: string): string[] => query.match(/\b(?:besu|ethereum|jvm|process)_\w+/g) ?? []

let opened: OpenedNode
const exported = new Set<string>()

beforeAll(async () => {
  const metrics = new MemoryMetrics()
  const usage = observeProcess(undefined)
  opened = await openDevNode({}, new MemoryStore(), {
    metrics,
    // A database in memory has no file.
    processUsage: () => ({ ...usage.read(), storeBytes: 0, collections: new Map([['scavenge', ONE_COLLECTION]]) }),
  })
  const { rpc, node } = opened
  const [from] = await rpc<string[]>('eth_accounts')
  await rpc('evm_setAutomine', false)
  const hash = await rpc('eth_sendTransaction', { from, to: from })
  await rpc('anvil_dropTransaction', hash)
  await rpc('eth_call', { to: from }).catch(() => undefined)
  await rpc('eth_call', 'no object').catch(() => undefined)
  await rpc('evm_mine')
  for (const [name] of metricsText(metrics.series).matchAll(/^[a-z]\w*/gm)) exported.add(name)
  usage.close()
  await node.close()
})

afterAll(() => opened.node.close())

const ONE_COLLECTION = { count: 1, seconds: 0.001 }

it('every query names metrics that the node exports', () => {
  const unknown = queries.flatMap((query) => namesIn(query).filter((name) => !exported.has(name)))
  expect(unknown).toEqual([])
  expect(queries.flatMap(namesIn).length).toBeGreaterThan(30)
})

it('every panel has a query and a unique title', () => {
  const titles = dashboard.panels.map(({ title }) => title)
  expect(new Set(titles).size).toBe(titles.length)
  for (const { targets } of dashboard.panels) {
    for (const { expr } of targets ?? []) expect(namesIn(expr)).not.toEqual([])
  }
})

/** Queries of the dashboard that Besu's documentation names (Besu Overview), apart from those of its sync. */
const BESU_OVERVIEW = [
  'ethereum_blockchain_height',
  'ethereum_best_known_block_number',
  'ethereum_peer_count',
  'ethereum_peer_limit',
  'besu_blockchain_difficulty_total',
  'besu_blockchain_chain_head_timestamp',
  'process_cpu_seconds_total',
  'jvm_memory_bytes_used',
  'jvm_gc_collection_seconds_sum',
]

it("exports the metrics of Besu's overview dashboard", () => {
  expect(BESU_OVERVIEW.filter((name) => !exported.has(name))).toEqual([])
})

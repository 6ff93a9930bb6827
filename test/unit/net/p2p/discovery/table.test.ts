import { describe, expect, it } from 'vitest'
import {
  compareDistance,
  logDistance,
  NodeTable,
  type TableNode,
  tableNode,
} from '../../../../../src/net/p2p/discovery/table.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'

const random = new SeededRandom(1)
const self = random.bytes(32)
let time = 0
const node = (host = '10.0.0.1'): TableNode => tableNode({ id: random.bytes(64), host, udpPort: 1, tcpPort: 1 }, time++)
/** Nodes of the bucket that half of all nodes belong to. */
function farNodes(count: number, host?: string): TableNode[] {
  const nodes: TableNode[] = []
  while (nodes.length < count) {
    const candidate = node(host)
    if (logDistance(self, candidate.hash) === 256) nodes.push(candidate)
  }
  return nodes
}

describe('distance', () => {
  it('is 256 minus the number of common leading bits', () => {
    const zero = new Uint8Array(32)
    expect(logDistance(zero, zero)).toBe(0)
    expect(logDistance(zero, new Uint8Array(32).fill(0x80, 0, 1))).toBe(256)
    expect(logDistance(zero, new Uint8Array(32).fill(1, 0, 1))).toBe(249)
    expect(logDistance(zero, new Uint8Array(32).fill(1, 31))).toBe(1)
  })
})

describe('the table', () => {
  it('keeps 16 nodes of a bucket, and replaces those that are removed by the newest replacement', () => {
    const table = new NodeTable(self)
    const nodes = farNodes(40)
    const oldest = nodes.map((entry) => table.put(entry))
    expect(oldest.slice(0, 16).every((entry) => entry === undefined)).toBe(true)
    expect(oldest.slice(16).every((entry) => entry === nodes[0])).toBe(true)
    expect(table.size).toBe(16)
    expect(table.remove(nodes[0] as TableNode)).toBe(nodes[39])
    expect(table.remove(nodes[20] as TableNode)).toBeUndefined()
    expect(table.size).toBe(16)
    for (const entry of nodes) table.remove(entry)
    expect(table.size).toBe(0)
  })

  it('moves a node that was seen to the end of its bucket', () => {
    const table = new NodeTable(self)
    const nodes = farNodes(17)
    for (const entry of nodes.slice(0, 16)) table.put(entry)
    table.put({ ...(nodes[0] as TableNode), lastSeenMs: time })
    expect(table.put(nodes[16] as TableNode)).toBe(nodes[1])
  })

  it('never contains its own node', () => {
    const own = node()
    const table = new NodeTable(own.hash)
    table.put(own)
    expect(table.size).toBe(0)
  })

  it('returns the nearest nodes in order', () => {
    const table = new NodeTable(self)
    for (let i = 0; i < 300; i++) table.put(node())
    const target = random.bytes(32)
    const sorted = [...table.nodes()].sort((a, b) => compareDistance(target, a.hash, b.hash))
    expect(table.nearest(target, 16)).toEqual(sorted.slice(0, 16))
    expect(table.nearest(target, 1000)).toEqual(sorted)
    expect(table.atDistance(256)).toHaveLength(16)
  })

  it('has at most two nodes of one site in a bucket and ten altogether, with the replacements', () => {
    const table = new NodeTable(self)
    for (let i = 0; i < 10_000; i++) table.put(node(`203.0.113.${i & 255}`))
    expect([table.size, table.atDistance(256).length]).toEqual([10, 2])
    for (let i = 0; i < 1_000; i++) table.put(node(`2001:db8:0:1::${i.toString(16)}`))
    expect([table.size, table.atDistance(256).length]).toEqual([20, 4])
    for (let i = 0; i < 200; i++) table.put(node(`198.51.${i}.1`))
    expect(table.atDistance(256)).toHaveLength(16)
    // A replacement takes the place of a removed node.
    while (table.size > 0) for (const entry of [...table.nodes()]) table.remove(entry)
    for (let i = 0; i < 10_000; i++) table.put(node('203.0.113.1'))
    expect(table.size).toBe(10)
  })

  it('has at most twice as many nodes of one /48 of IPv6', () => {
    const table = new NodeTable(self)
    for (let i = 0; i < 10_000; i++) table.put(node(`2001:db8:1:${i.toString(16)}::1`))
    expect([table.size, table.atDistance(256).length]).toEqual([20, 4])
    for (let i = 0; i < 200; i++) table.put(node(`2001:db8:${(i + 2).toString(16)}::1`))
    expect(table.atDistance(256)).toHaveLength(16)
  })

  it('does not limit the nodes of local networks and of this host', () => {
    for (const host of ['127.0.0.1', '10.1.2.3', '192.168.0.7', '::1', 'fd00::1']) {
      const table = new NodeTable(self)
      for (let i = 0; i < 300; i++) table.put(node(host))
      expect(table.atDistance(256)).toHaveLength(16)
    }
  })

  it('lets a node of a full site renew its entry, but not move to another full site', () => {
    const table = new NodeTable(self)
    const [first, second] = farNodes(3, '203.0.113.1') as [TableNode, TableNode]
    const others = farNodes(2, '198.51.100.1')
    for (const entry of [first, second, ...others]) table.put(entry)
    table.put({ ...first, udpPort: 2 })
    expect(table.get(first.key)?.udpPort).toBe(2)
    table.put({ ...first, host: '198.51.100.1', ranges: ['198.51.100'] })
    expect(table.get(first.key)?.host).toBe('203.0.113.1')
  })
})

import { describe, expect, it } from 'vitest'
import { KEPT_NODE_CONNECTION_MS, MAX_KEPT_NODES } from '../../../../../src/base/limits/limits.ts'
import { type DialledPeer, KeptNodes } from '../../../../../src/net/p2p/peers/keptNodes.ts'
import { KEPT_NODES_INTERVAL_MS } from '../../../../../src/net/p2p/peers/policy.ts'
import { storedValue } from '../../../../../src/net/p2p/peers/storedValue.ts'
import { MemoryStore } from '../../../../../src/storage/memoryStore.ts'
import { FakeTime } from '../../../../support/host/fakeTime.ts'

const peerAt = (host: string, number: number, openedMs: number): DialledPeer => ({
  contact: { id: new Uint8Array(64).fill(number & 255).fill(number >> 8, 63), host, tcpPort: 30303, udpPort: 30303 },
  openedMs,
})

function open(store = new MemoryStore()) {
  const time = new FakeTime(0)
  const peers: DialledPeer[] = []
  const value = storedValue(store, 'keptNodes', (error) => {
    throw error
  })
  let writes = 0
  const counted = {
    load: value.load,
    save: (bytes: Uint8Array) => {
      writes++
      value.save(bytes)
    },
  }
  const kept = new KeptNodes({ clock: time, timers: time, store: counted, peers: () => peers })
  const hosts = (): string[] => kept.nodes.map(({ host }) => host)
  return { kept, time, peers, hosts, store, writes: () => writes, value }
}

describe('kept nodes', () => {
  it('are those that were connected for ten minutes, and survive a restart', () => {
    const { kept, time, peers, store, writes, hosts } = open()
    peers.push(peerAt('203.0.113.1', 1, time.monotonic()))
    time.advance(KEPT_NODE_CONNECTION_MS - 1)
    peers.push(peerAt('198.51.100.1', 2, time.monotonic()))
    time.advance(KEPT_NODES_INTERVAL_MS)
    expect(hosts()).toEqual(['203.0.113.1'])
    expect(open(store).kept.nodes).toEqual([peers[0]?.contact])
    time.advance(KEPT_NODE_CONNECTION_MS)
    kept.stop()
    expect(open(store).hosts()).toEqual(['203.0.113.1', '198.51.100.1'])
    expect(writes()).toBe(2)
  })

  it('are one of each site, the newest, and bounded in number', () => {
    const { kept, time, peers, hosts, store } = open()
    const opened = time.monotonic()
    for (let i = 0; i < 50; i++) peers.push(peerAt(`203.0.113.${i}`, i, opened))
    time.advance(2 * KEPT_NODE_CONNECTION_MS)
    expect(hosts()).toEqual(['203.0.113.0'])
    for (let i = 0; i < 200; i++) peers.unshift(peerAt(`198.51.${i}.1`, 300 + i, opened))
    kept.stop()
    const restarted = open(store)
    expect(restarted.kept.nodes).toHaveLength(MAX_KEPT_NODES)
    expect(restarted.hosts()[0]).toBe('198.51.199.1')
  })

  it('of a local network are not limited to one of each site, and IPv6 is read back', () => {
    const { kept, time, peers, store } = open()
    const hosts = ['10.0.0.1', '10.0.0.1', '10.0.0.2', '2001:db8::1']
    hosts.forEach((host, i) => void peers.push(peerAt(host, i, time.monotonic())))
    time.advance(KEPT_NODE_CONNECTION_MS)
    kept.stop()
    expect(open(store).hosts()).toEqual(hosts)
  })

  it('are read as far as they are undamaged', () => {
    const { value, store, kept, time, peers } = open()
    peers.push(peerAt('203.0.113.1', 1, time.monotonic()))
    time.advance(KEPT_NODE_CONNECTION_MS)
    kept.stop()
    const text = new TextDecoder().decode(value.load())
    value.save(new TextEncoder().encode(`enode://12@1.2.3.4:5\n\xff\n${text}\n${text.slice(0, 30)}`))
    expect(open(store).hosts()).toEqual(['203.0.113.1'])
  })
})

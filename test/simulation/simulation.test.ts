import { describe, expect, it } from 'vitest'
import type { TcpConnection } from '../../src/base/ports/tcpSockets.ts'
import { FAIR_NETWORK, type NetworkQuality, SimulatedNetwork } from './network.ts'
import { SimulatedStore } from './store.ts'
import { Life, SimulatedWorld } from './world.ts'

const CLEAN: NetworkQuality = { ...FAIR_NETWORK, loss: 0, duplication: 0, stall: 0, cut: 0 }
const PORT = 30303

function open(quality: NetworkQuality = CLEAN, seed = 1) {
  const world = new SimulatedWorld(seed)
  const network = new SimulatedNetwork(world, quality)
  const attach = (host: string) => {
    const life = new Life(world, host, 0)
    return { life, host, ...network.attach(life, host) }
  }
  return { world, network, alice: attach('alice'), bob: attach('bob') }
}

describe('the simulated world', () => {
  it('runs events by time, then in the order in which they were scheduled', async () => {
    const { world } = open()
    const order: string[] = []
    for (const [name, at] of [
      ['c', 5],
      ['a', 1],
      ['d', 5],
      ['b', 1],
    ] as const) {
      world.schedule(at, name, () => order.push(`${name} ${world.now}`))
    }
    world.schedule(3, 'never', () => order.push('never')).cancel()
    await world.pass(10)
    expect(order).toEqual(['a 1', 'b 1', 'c 5', 'd 5'])
  })

  it('drops the pending work of a computer that crashes', async () => {
    const { world, alice } = open()
    let calls = 0
    alice.life.timers.schedule(10, () => calls++)
    void alice.life.yieldToHost().then(() => calls++)
    alice.life.end()
    await world.pass(100)
    expect(calls).toBe(0)
  })
})

describe('the simulated network', () => {
  it('loses, duplicates and reorders the same datagrams in each run', async () => {
    const received = async (seed: number): Promise<number[]> => {
      const { world, alice, bob } = open({ ...CLEAN, loss: 0.2, duplication: 0.2 }, seed)
      const got: number[] = []
      await bob.udp.bind({ host: 'bob', port: PORT }, ([byte]) => void got.push(byte as number))
      const socket = await alice.udp.bind({ host: 'alice', port: PORT }, () => {})
      for (let i = 0; i < 100; i++) socket.send(Uint8Array.of(i), { host: 'bob', port: PORT })
      await world.pass(1000)
      return got
    }
    const got = await received(3)
    const distinct = new Set(got)
    expect(distinct.size).toBeLessThan(95)
    expect(got.length).toBeGreaterThan(distinct.size)
    expect(got).not.toEqual([...got].sort((a, b) => a - b))
    expect(await received(3)).toEqual(got)
  })

  it('keeps the bytes of a stream in order, holds the writer back, and ends orderly', async () => {
    const { world, alice, bob } = open()
    const got: number[] = []
    const events: string[] = []
    let server: TcpConnection | undefined
    await bob.tcp.listen({ host: 'bob', port: PORT }, (connection) => {
      server = connection
      connection.open({
        onData: (bytes) => void got.push(bytes.length),
        onEnd: () => connection.end(),
        onClose: (error) => void events.push(`server closed ${error?.code}`),
      })
      connection.pause()
    })
    const connecting = alice.tcp.connect({ host: 'bob', port: PORT })
    await world.pass(200)
    const client = await connecting
    client.open({
      onData: () => {},
      onDrain: () => void events.push('drain'),
      onClose: (error) => void events.push(`client closed ${error?.code}`),
    })
    const taken = [1, 2, 3, 4].map((i) => client.write(new Uint8Array(i * 16_000)))
    expect(taken).toEqual([true, true, false, false])
    server?.pause()
    await world.pass(500)
    expect(events).toEqual([])
    server?.resume()
    await world.pass(500)
    expect(got).toEqual([16_000, 32_000, 48_000, 64_000])
    client.end()
    await world.pass(500)
    expect(events.sort()).toEqual(['client closed undefined', 'drain', 'server closed undefined'])
  })

  it('separates the groups of a partition until it heals', async () => {
    const { world, network, alice, bob } = open()
    await bob.tcp.listen({ host: 'bob', port: PORT }, () => {})
    network.partition([['alice'], ['bob']])
    const refused = expect(alice.tcp.connect({ host: 'bob', port: PORT })).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
    })
    await world.pass(3000)
    await refused
    network.heal()
    const connecting = alice.tcp.connect({ host: 'bob', port: PORT })
    await world.pass(200)
    expect((await connecting).remoteAddress.host).toBe('bob')
  })
})

describe('the simulated store', () => {
  const key = Uint8Array.of(1, 2)

  it.each([
    ['before', undefined],
    ['after', Uint8Array.of(7)],
  ] as const)('keeps a commit completely or not at all when it crashes %s it', async (point, kept) => {
    const { world, alice } = open()
    const store = new SimulatedStore({ crashIn: () => point, onCrash: () => alice.life.end() })
    let isAcknowledged = false
    void Promise.resolve(store.open(alice.life).commit([{ key, value: Uint8Array.of(7) }])).then(() => {
      isAcknowledged = true
    })
    await world.pass(100)
    expect(isAcknowledged).toBe(false)
    expect(store.open(new Life(world, 'alice', 0)).get(key)).toEqual(kept)
  })
})

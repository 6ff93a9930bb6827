import { describe, expect, it } from 'vitest'
import { MAX_PARALLEL_DIALS } from '../../../../../src/base/limits/limits.ts'
import type { NodeContact } from '../../../../../src/net/p2p/discovery/table.ts'
import { BackOff } from '../../../../../src/net/p2p/peers/backOff.ts'
import { DIAL_RULES } from '../../../../../src/net/p2p/peers/policy.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'
import { areConnected, endsOf, isPeer, PeerWorld, PORT, type TestPeer } from './simulatedPeers.ts'

/** Counts the TCP connections that a computer opens, by target. */
async function startCounting(net: PeerWorld, settings: Parameters<PeerWorld['start']>[0] = {}) {
  const dials: { readonly host: string; readonly at: number }[] = []
  let open = 0
  let mostOpen = 0
  const peer = await net.start({
    ...settings,
    wrapSockets: (sockets) => ({
      ...sockets,
      connect: async (address, options) => {
        dials.push({ host: address.host, at: net.world.now })
        mostOpen = Math.max(mostOpen, ++open)
        try {
          return await sockets.connect(address, options)
        } finally {
          open--
        }
      },
    }),
  })
  return { ...peer, dials, mostOpen: () => mostOpen }
}

/** Contacts of nodes that do not exist. */
function ghosts(count: number): NodeContact[] {
  const random = new SeededRandom(77)
  return Array.from({ length: count }, (_, i) => ({
    id: random.bytes(64),
    host: `10.8.${i >> 8}.${i & 255}`,
    tcpPort: PORT,
    udpPort: PORT,
  }))
}

describe('maintained peers', () => {
  it('are dialled every few seconds for some minutes after a failure, then every minute, until they answer', async () => {
    const net = new PeerWorld(1)
    const a = await startCounting(net)
    const computer = net.computer()
    const contact = { id: computer.host.signer.publicKey, host: computer.name, tcpPort: PORT, udpPort: PORT }
    a.server.maintain(contact)
    await net.world.pass(500_000)
    const seconds = a.dials.map(({ at }) => Math.floor(at / 1000))
    expect(seconds.slice(0, 6)).toEqual([0, 1, 3, 7, 11, 15])
    const gaps = seconds.map((second, i) => second - (seconds[i - 1] ?? 0))
    expect(Math.max(...gaps.filter((_, i) => (seconds[i] as number) < 200))).toBeLessThanOrEqual(5)
    expect(seconds.filter((second) => second > 250)).toEqual([300, 360, 420, 480])
    const late = await net.start({ host: computer.name, signer: computer.host.signer })
    expect(await net.until(() => areConnected(a, late), 60_000)).toBe(true)
  })

  it('are connected again after a crash, a cut and a partition', async () => {
    const net = new PeerWorld(2)
    const [a, b] = [await net.start(), await net.start()]
    a.server.maintain(b.contact)
    await net.until(() => areConnected(a, b))
    b.life.end()
    net.network.detach(b.name)
    expect(await net.until(() => a.server.peerCount === 0, 40_000)).toBe(true)
    const again = await net.start({ host: b.name, signer: b.host.signer })
    expect(await net.until(() => areConnected(a, again), 5_000)).toBe(true)
    net.network.partition([[a.name], [b.name]])
    await net.until(() => a.server.peerCount + again.server.peerCount === 0, 60_000)
    expect([a.server.peerCount, again.server.peerCount]).toEqual([0, 0])
    net.network.heal()
    expect(await net.until(() => areConnected(a, again), 5_000)).toBe(true)
  })

  it('are tried at each of their addresses', async () => {
    const net = new PeerWorld(3)
    const [a, b] = [await net.start(), await net.start()]
    const [elsewhere] = ghosts(1) as [NodeContact]
    a.server.maintain({ ...b.contact, host: elsewhere.host })
    a.server.maintain({ ...b.contact, host: elsewhere.host, tcpPort: 1 })
    await net.world.pass(1_000)
    a.server.maintain(b.contact)
    await net.world.pass(1_000)
    expect(isPeer(a, b)).toBe(false)
    expect(await net.until(() => areConnected(a, b), 180_000)).toBe(true)
    a.server.release({ ...b.contact, host: elsewhere.host })
    await net.world.pass(500)
    expect(endsOf(b).at(-1)).toBe('requested by remote')
    expect(await net.until(() => areConnected(a, b), 180_000)).toBe(true)
  })

  it('are left alone once they are released, even in the middle of a dial', async () => {
    for (let delayMs = 0; delayMs < 400; delayMs += 20) {
      const net = new PeerWorld(4)
      const a = await startCounting(net)
      const b = await net.start()
      a.server.maintain(b.contact)
      await net.world.pass(delayMs)
      a.server.release(b.contact)
      await net.world.pass(130_000)
      expect([a.dials.length, a.server.peerCount, b.server.peerCount], `${delayMs} ms`).toEqual([1, 0, 0])
    }
  })

  it('with an id that is no public key do no harm', async () => {
    const net = new PeerWorld(5)
    const [a, b] = [await net.start(), await net.start()]
    a.server.maintain({ ...b.contact, id: new Uint8Array(64).fill(5) })
    await net.world.pass(70_000)
    expect([a.server.peerCount, endsOf(b)]).toEqual([0, []])
    await net.world.pass(1_000)
    a.server.maintain(b.contact)
    expect(await net.until(() => areConnected(a, b), 3_000)).toBe(true)
  })
})

describe('candidates', () => {
  it('are dialled up to the free places, in random order, every 30 s', async () => {
    const net = new PeerWorld(6)
    const others: TestPeer[] = []
    while (others.length < 12) others.push(await net.start())
    const chosen = new Set<string>()
    for (let i = 0; i < 6; i++) {
      const a = await startCounting(net, { limits: { maxPeers: 3 } })
      a.server.setContacts(() => others.map(({ contact }) => contact))
      expect(await net.until(() => a.server.peerCount === 3, 5_000)).toBe(true)
      await net.world.pass(95_000)
      expect(a.dials.length).toBe(3)
      for (const { host } of a.dials) chosen.add(host)
      a.life.end()
      net.network.detach(a.name)
      await net.world.pass(100)
    }
    expect(chosen.size).toBeGreaterThan(7)
  })

  it('replace peers that have left', async () => {
    const net = new PeerWorld(7)
    const others = [await net.start(), await net.start(), await net.start()] as const
    const a = await net.start({ limits: { maxPeers: 1 } })
    a.server.setContacts(() => others.map(({ contact }) => contact))
    await net.until(() => a.server.peerCount === 1)
    const first = others.find((other) => isPeer(a, other)) as TestPeer
    void first.server.stop()
    expect(await net.until(() => others.some((other) => other !== first && isPeer(a, other)), 61_000)).toBe(true)
  })

  it('that do not answer wait twice as long after each failure, and bound the dials in parallel', async () => {
    const net = new PeerWorld(8)
    const a = await startCounting(net)
    const [ghost] = ghosts(1) as [NodeContact]
    a.server.setContacts(() => [ghost])
    await net.world.pass(600_000)
    const gaps = a.dials.map(({ at }, i) => Math.round((at - (a.dials[i - 1]?.at ?? 0)) / 30_000)).slice(1)
    // A failure takes 1.5 to 10 s, so the wait ends after the round that follows it by the same time.
    expect(gaps).toEqual([2, 3, 5, 9])
    a.server.setContacts(() => ghosts(500))
    await net.world.pass(100_000)
    expect(a.mostOpen()).toBe(MAX_PARALLEL_DIALS)
    expect(new Set(a.dials.map(({ host }) => host)).size).toBeGreaterThan(MAX_PARALLEL_DIALS)
  })

  it('that are useless wait for the longest time', async () => {
    const net = new PeerWorld(9)
    const [a, b] = [await startCounting(net), await net.start()]
    a.server.setContacts(() => [b.contact])
    await net.until(() => areConnected(a, b))
    b.server.peers[0]?.disconnect('subprotocol')
    await net.world.pass(DIAL_RULES.maxBackOffMs - 1_000)
    expect(a.dials.length).toBe(1)
    expect(await net.until(() => areConnected(a, b), 61_000)).toBe(true)
  })

  it('that left after a while are dialled again', async () => {
    const net = new PeerWorld(10)
    const [a, b] = [await startCounting(net), await net.start()]
    a.server.setContacts(() => [b.contact])
    await net.until(() => areConnected(a, b))
    await net.world.pass(DIAL_RULES.shortConnectionMs)
    b.server.peers[0]?.disconnect('tooManyPeers')
    expect(await net.until(() => a.dials.length === 2 && areConnected(a, b), 31_000)).toBe(true)
  })

  it('without a TCP port are not dialled', async () => {
    const net = new PeerWorld(11)
    const a = await startCounting(net)
    a.server.setContacts(() => ghosts(3).map((contact) => ({ ...contact, tcpPort: 0 })))
    await net.world.pass(61_000)
    expect(a.dials).toEqual([])
  })
})

describe('the memory of failures', () => {
  it('is bounded in time and number', () => {
    let now = 0
    const backOff = new BackOff({ now: () => now, monotonic: () => now })
    for (let i = 0; i < 20; i++) backOff.failed('a', false)
    expect(backOff.isWaiting('a')).toBe(true)
    now += DIAL_RULES.maxBackOffMs
    expect(backOff.isWaiting('a')).toBe(false)
    backOff.succeeded('a')
    backOff.failed('a', false)
    now += DIAL_RULES.firstBackOffMs
    expect(backOff.isWaiting('a')).toBe(false)
    backOff.failed('first', false)
    for (let i = 0; i < 3_000; i++) backOff.failed(`${i}`, false)
    expect([backOff.isWaiting('first'), backOff.isWaiting('2999')]).toEqual([false, true])
  })
})

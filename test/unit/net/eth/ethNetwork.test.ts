/** Several services of the network on recorded chains, over connections in virtual time. */
import { beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import type { Chain } from '../../../../src/chain/chain.ts'
import type { EthPeer, Reply } from '../../../../src/net/eth/contract.ts'
import { EthNetwork, type EthNetworkDeps } from '../../../../src/net/eth/ethNetwork.ts'
import type { AgreedCapability } from '../../../../src/net/p2p/rlpx/capabilities.ts'
import { decodeEthMessage, encodeEthMessage } from '../../../../src/net/protocols/eth/codec.ts'
import { localStatus } from '../../../../src/net/protocols/eth/handshake.ts'
import type { EthMessage, Status } from '../../../../src/net/protocols/eth/messages.ts'
import { type EthVersion, ethVersion } from '../../../../src/net/protocols/eth/versions.ts'
import { ForkFilter } from '../../../../src/net/protocols/forkId.ts'
import { encodeSnapMessage } from '../../../../src/net/protocols/snap/codec.ts'
import { StoredBlocks } from '../../../../src/net/protocols/storedBlocks.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { SimulatedWorld } from '../../../simulation/world.ts'
import {
  blockFile,
  importFile,
  openRecorded,
  type RecordedChain,
  recordedChainNamed,
} from '../../../support/recorded/recordedChains.ts'
import { connect, type LinkEnd, ScriptedPeer } from './links.ts'

const FRONTIER = recordedChainNamed('besu/frontier')
const SHANGHAI = recordedChainNamed('besu/shanghai')
const ETH68 = ethVersion(68) as EthVersion
const UNKNOWN = new Uint8Array(32).fill(0xee)
const BRIEF = 1_048_576
const LARGE = 10 * BRIEF
const HEADERS = { kind: 'getBlockHeaders', start: 1n, skip: 0n, isReverse: false } as const

interface Stored {
  readonly chain: Chain
  readonly reader: MemoryStore
}

async function stored(recorded: RecordedChain, hasBlocks: boolean): Promise<Stored> {
  const reader = new MemoryStore()
  const chain = await openRecorded(recorded, { kv: reader })
  if (hasBlocks) await importFile(chain, [blockFile(recorded)], { verifySeal: false })
  return { chain, reader }
}

function networkOf(world: SimulatedWorld, { chain, reader }: Stored, deps: Partial<EthNetworkDeps> = {}): EthNetwork {
  return new EthNetwork({
    chain,
    reader,
    pool: { byHash: () => undefined },
    clock: { now: () => world.now, monotonic: () => world.now },
    timers: { schedule: (delayMs, callback) => world.schedule(delayMs, 'timer', callback) },
    random: { bytes: (length) => new Uint8Array(length).fill(7) },
    logger: silentLogger,
    ...deps,
  })
}

/** Runs virtual time until the answer is there. */
async function answer<T>(world: SimulatedWorld, promise: Promise<T>): Promise<T> {
  let result: { readonly value: T } | undefined
  void promise.then((value) => {
    result = { value }
  })
  await world.run(() => result !== undefined, Number.POSITIVE_INFINITY)
  if (result === undefined) throw new Error('no result')
  return result.value
}

describe('peers of the eth protocol', () => {
  let long: Stored
  let short: Stored
  let merged: Stored
  beforeAll(async () => {
    ;[long, short, merged] = await Promise.all([
      stored(FRONTIER, true),
      stored(FRONTIER, false),
      stored(SHANGHAI, true),
    ])
  }, 60_000)

  const eth68 = [{ name: 'eth', version: 68, length: 17 }]

  /** A scripted peer that has sent its Status. */
  async function scripted(changes: Partial<Status> = {}, deps: Partial<EthNetworkDeps> = {}, offered = eth68) {
    const world = new SimulatedWorld(1)
    const network = networkOf(world, long, deps)
    const peer = new ScriptedPeer(offered)
    const [near] = connect(world, network, peer)
    const { chain } = long
    const forks = new ForkFilter(chain.config, { hash: chain.genesis.hash, timestamp: 0n })
    const say = (message: EthMessage): void => peer.send('eth', encodeEthMessage(ETH68, message))
    say({ ...localStatus(ETH68, { chain, forks, earliest: 0n }), ...changes })
    await world.pass(100)
    const heard = (): EthMessage[] =>
      peer.received.filter(({ name }) => name === 'eth').map((message) => decodeEthMessage(ETH68, message))
    return { world, network, peer, near, say, heard }
  }

  it('exchange their Status, learn the height of the head and answer questions', async () => {
    const world = new SimulatedWorld(1)
    const [a, b] = [networkOf(world, short), networkOf(world, long)]
    const joined: EthPeer[] = []
    a.events.on('joined', (peer) => void joined.push(peer))
    connect(world, a, b)
    await world.pass(100)
    expect(a.all).toEqual(joined)
    expect(b.all).toHaveLength(1)
    const [peer] = a.all as [EthPeer]
    const { head } = long.chain
    expect(peer.head).toEqual({ hash: head.hash, number: head.header.number, totalDifficulty: head.totalDifficulty })
    expect((b.all[0] as EthPeer).head.number).toBe(0n)
    expect(peer.version.number).toBe(68)
    const question = { kind: 'getBlockHeaders', start: 1n, limit: 10n, skip: 2n, isReverse: false } as const
    const reply = (await answer(world, peer.ask<'getBlockHeaders'>(question))) as Extract<
      Reply<'getBlockHeaders'>,
      { kind: 'answer' }
    >
    expect(reply.response.headers.map(({ header }) => Number(header.number))).toEqual([
      1, 4, 7, 10, 13, 16, 19, 22, 25, 28,
    ])
    const bodies = await answer(
      world,
      peer.ask<'getBlockBodies'>({ kind: 'getBlockBodies', hashes: [head.hash, UNKNOWN] }),
    )
    expect(bodies).toMatchObject({ kind: 'answer', response: { kind: 'blockBodies' } })
  })

  it('announce ranges of blocks in eth/69 on chains that have merged', async () => {
    const world = new SimulatedWorld(1)
    const [a, b] = [networkOf(world, merged), networkOf(world, merged)]
    connect(world, a, b)
    await world.pass(100)
    const [peer] = a.all as [EthPeer]
    expect(peer.version.number).toBe(69)
    expect(peer.head).toMatchObject({ number: merged.chain.head.header.number, totalDifficulty: undefined })
    const heads: bigint[] = []
    a.events.on('head', ({ head }) => void heads.push(head.number))
    const latestHash = UNKNOWN
    ;(b.all[0] as EthPeer).send({ kind: 'blockRangeUpdate', earliest: 0n, latest: 99n, latestHash })
    await world.pass(100)
    expect(heads).toEqual([99n])
    expect(peer.head).toEqual({ hash: latestHash, number: 99n, totalDifficulty: undefined })
  })

  it('are told about a new range of blocks only from time to time', async () => {
    const world = new SimulatedWorld(1)
    const fresh = await stored(SHANGHAI, false)
    const [a, b] = [networkOf(world, fresh), networkOf(world, merged)]
    connect(world, a, b)
    await world.pass(100)
    await importFile(fresh.chain, [blockFile(SHANGHAI)], { verifySeal: false })
    await world.pass(100)
    const { number } = (b.all[0] as EthPeer).head
    expect(number > 0n && number <= fresh.chain.head.header.number).toBe(true)
  })

  it.each<[string, Partial<Status>, string]>([
    ['of another network', { networkId: 99n }, 'subprotocol'],
    ['of another chain', { genesisHash: UNKNOWN }, 'subprotocol'],
    ['with other forks', { forkId: { hash: new Uint8Array(4), next: 0n } }, 'subprotocol'],
    ['with another version', { version: 67 }, 'subprotocol'],
  ])('are refused %s', async (_, changes, reason) => {
    const { network, near } = await scripted(changes)
    expect(near.end?.reason).toBe(reason)
    expect(network.admitted).toEqual([])
    expect(network.all).toEqual([])
  })

  it('are refused without a version of eth', async () => {
    const world = new SimulatedWorld(1)
    const [near] = connect(world, networkOf(world, long), new ScriptedPeer([{ name: 'snap', version: 1, length: 8 }]))
    expect(near.end?.reason).toBe('uselessPeer')
  })

  it('are refused by the limits of peers after their Status', async () => {
    const world = new SimulatedWorld(1)
    const [a, b] = [networkOf(world, short), networkOf(world, long)]
    connect(world, a, b, (near) => {
      near.isWelcome = false
    })
    await world.pass(100)
    expect([a.admitted, a.all, b.admitted, b.all]).toEqual([[], [], [], []])
  })

  it('have to know their best block', async () => {
    const best = { hash: UNKNOWN, totalDifficulty: 5n }
    const { network, near, say, heard, world } = await scripted({ best })
    expect(heard().map(({ kind }) => kind)).toEqual(['status', 'getBlockHeaders'])
    expect(network.admitted).toHaveLength(1)
    expect(network.all).toEqual([])
    say({ kind: 'blockHeaders', requestId: 1n, headers: [] })
    await world.pass(100)
    expect(near.end?.reason).toBe('uselessPeer')
    expect(network.admitted).toEqual([])
  })

  it('are dropped when the answer about their best block does not come', async () => {
    const { near, world } = await scripted({ best: { hash: UNKNOWN, totalDifficulty: 5n } })
    await world.pass(6000)
    expect(near.end?.reason).toBe('uselessPeer')
    expect(near.reports).toEqual([['timeout', 'getBlockHeaders']])
  })

  it('may send gossip before their head is known: it follows when they have joined', async () => {
    const world = new SimulatedWorld(1)
    const network = networkOf(world, short)
    const peer = new ScriptedPeer(eth68)
    connect(world, network, peer)
    const events: string[] = []
    network.events.on('joined', () => void events.push('joined'))
    network.events.on('gossip', ({ message }) => void events.push(message.kind))
    const { chain, reader } = long
    const say = (message: EthMessage): void => peer.send('eth', encodeEthMessage(ETH68, message))
    say(localStatus(ETH68, { chain, forks: network.forks, earliest: 0n }))
    say({ kind: 'newBlockHashes', blocks: [{ hash: UNKNOWN, number: 5n }] })
    await world.pass(100)
    expect(events).toEqual([])
    const { hash, header } = chain.head
    const [encoding] = new StoredBlocks(reader).headers([{ number: Number(header.number), hash }])
    say({ kind: 'blockHeaders', requestId: 1n, headers: [{ encoding: encoding as Uint8Array, header }] })
    await world.pass(100)
    expect(events).toEqual(['joined', 'newBlockHashes'])
  })

  it('that send a message before their Status break the protocol', async () => {
    const world = new SimulatedWorld(1)
    const peer = new ScriptedPeer([...eth68, { name: 'snap', version: 1, length: 8 }])
    const [near] = connect(world, networkOf(world, long), peer)
    peer.send('snap', encodeSnapMessage({ kind: 'getByteCodes', requestId: 1n, hashes: [], maxBytes: 1n }))
    await world.pass(100)
    expect(near.end?.reason).toBe('breachOfProtocol')
    const other = new ScriptedPeer(eth68)
    const [second] = connect(world, networkOf(world, long), other)
    other.send('eth', encodeEthMessage(ETH68, { kind: 'getBlockBodies', requestId: 1n, hashes: [] }))
    await world.pass(100)
    expect(second.end?.reason).toBe('breachOfProtocol')
  })

  it.each<[string, (say: (message: EthMessage) => void, peer: ScriptedPeer) => void]>([
    ['an answer without a question', (say) => say({ kind: 'blockHeaders', requestId: 9n, headers: [] })],
    ['bytes that are no message', (_, peer) => peer.send('eth', { code: 3, payload: Uint8Array.of(1, 2, 3) })],
    ['an unknown code', (_, peer) => peer.send('eth', { code: 12, payload: Uint8Array.of(0xc0) })],
  ])('break the protocol by %s', async (_, send) => {
    const { network, near, say, peer, world } = await scripted()
    expect(network.all).toHaveLength(1)
    send(say, peer)
    await world.pass(100)
    expect(near.end?.reason).toBe('breachOfProtocol')
    expect(network.all).toEqual([])
  })

  it.each<[string, string, number, number]>([
    ['a Status', 'eth', 0, BRIEF],
    ['an announcement', 'eth', 8, BRIEF],
    ['a request', 'eth', 3, BRIEF],
    ['an answer that nothing asked for', 'eth', 6, BRIEF],
    ['an unknown code', 'eth', 12, BRIEF],
    ['a request of snap', 'snap', 6, BRIEF],
    ['an answer of snap', 'snap', 7, BRIEF],
    ['transactions', 'eth', 2, LARGE],
    ['a block', 'eth', 7, LARGE],
  ])('have a limit for %s', async (_, name, code, bytes) => {
    const { near } = await scripted({}, {}, [...eth68, { name: 'snap', version: 1, length: 8 }])
    const capability = near.capabilities.find((agreed) => agreed.name === name) as AgreedCapability
    expect(near.handlers.maxBytes(capability, code)).toBe(bytes)
  })

  it('may send long answers while they are asked, also late ones', async () => {
    const { network, near, say, world } = await scripted()
    const [peer] = network.all as [EthPeer]
    const [capability] = near.capabilities as [AgreedCapability]
    const maxBytes = (code: number): number => near.handlers.maxBytes(capability, code)
    const headers = peer.ask<'getBlockHeaders'>({ ...HEADERS, limit: 1n })
    expect([maxBytes(4), maxBytes(6)]).toEqual([BRIEF, BRIEF])
    const more = peer.ask<'getBlockHeaders'>({ ...HEADERS, limit: 192n })
    const bodies = peer.ask<'getBlockBodies'>({ kind: 'getBlockBodies', hashes: [UNKNOWN] })
    expect([maxBytes(4), maxBytes(6)]).toEqual([LARGE, LARGE])
    say({ kind: 'blockHeaders', requestId: 2n, headers: [] })
    await answer(world, more)
    expect([maxBytes(4), maxBytes(6)]).toEqual([BRIEF, LARGE])
    await answer(world, bodies)
    await answer(world, headers)
    expect(maxBytes(6)).toBe(LARGE)
  })

  it('break the protocol by more items than were requested', async () => {
    const { network, near, say, world } = await scripted()
    const [peer] = network.all as [EthPeer]
    const reply = peer.ask<'getReceipts'>({ kind: 'getReceipts', hashes: [UNKNOWN] })
    say({ kind: 'receipts', requestId: 1n, blocks: [Uint8Array.of(0xc0), Uint8Array.of(0xc0)] })
    expect(await answer(world, reply)).toEqual({ kind: 'closed' })
    expect(near.end?.reason).toBe('breachOfProtocol')
  })

  it('that leave break off all open questions', async () => {
    const { network, near, world } = await scripted()
    const left: EthPeer[] = []
    network.events.on('left', (one) => void left.push(one))
    const [peer] = network.all as [EthPeer]
    const reply = peer.ask<'getReceipts'>({ kind: 'getReceipts', hashes: [UNKNOWN] })
    near.peer.disconnect('quitting')
    expect(await answer(world, reply)).toEqual({ kind: 'closed' })
    expect(left).toEqual([peer])
    expect(peer.isOpen).toBe(false)
    expect(await peer.ask<'getReceipts'>({ kind: 'getReceipts', hashes: [] })).toEqual({ kind: 'closed' })
  })

  it('are asked up to five questions at a time, and their time-outs are reported', async () => {
    const { network, near, world } = await scripted()
    const [peer] = network.all as [EthPeer]
    const replies = Array.from({ length: 6 }, () =>
      peer.ask<'getBlockBodies'>({ kind: 'getBlockBodies', hashes: [UNKNOWN] }),
    )
    expect(peer.hasCapacity).toBe(false)
    await world.pass(5100)
    const kinds = (await Promise.all(replies)).map(({ kind }) => kind)
    expect(kinds).toEqual(['timeout', 'timeout', 'timeout', 'timeout', 'timeout', 'busy'])
    expect(near.reports).toEqual(new Array(5).fill(['timeout', 'getBlockBodies']))
    expect(peer.hasCapacity).toBe(true)
  })

  describe('with required blocks', () => {
    const required = (number: number, hash?: Uint8Array) => ({
      requiredBlocks: [{ number: BigInt(number), hash: hash ?? (long.chain.canonicalHash(number) as Uint8Array) }],
    })

    async function ends(deps: Partial<EthNetworkDeps>): Promise<readonly [EthNetwork, LinkEnd]> {
      const world = new SimulatedWorld(1)
      const network = networkOf(world, short, deps)
      const [near] = connect(world, network, networkOf(world, long))
      await world.pass(200)
      return [network, near]
    }

    it('join when they have them', async () => {
      const [network] = await ends(required(3))
      expect(network.all).toHaveLength(1)
    })

    it('are refused when they have others', async () => {
      const [network, near] = await ends(required(3, UNKNOWN))
      expect(near.end).toEqual({ reason: 'subprotocol', details: 'another block instead of the required block 3' })
      expect(network.all).toEqual([])
    })

    it('join while their chain is too short, and are checked when it is longer', async () => {
      const { network, near, say, heard, world } = await scripted({}, required(30, UNKNOWN))
      const [peer] = network.all as [EthPeer]
      peer.sawHead({ hash: UNKNOWN, number: 40n, totalDifficulty: long.chain.head.totalDifficulty + 1n })
      await world.pass(100)
      expect(heard().at(-1)).toMatchObject({ kind: 'getBlockHeaders', start: 30n, limit: 1n })
      say({ kind: 'blockHeaders', requestId: 1n, headers: [] })
      await world.pass(100)
      expect(near.end?.reason).toBe('subprotocol')
    })
  })

  describe('as clients', () => {
    it('are served in turns, within the budget of each', async () => {
      const world = new SimulatedWorld(1)
      const network = networkOf(world, long)
      const order: number[] = []
      const peers = [0, 1].map((index) => {
        const peer = new ScriptedPeer(eth68)
        const [near] = connect(world, network, peer)
        const send = near.send.bind(near)
        near.send = (capability, code, payload) => {
          if (code === 0x06) order.push(index)
          return send(capability, code, payload)
        }
        return peer
      })
      const forks = new ForkFilter(long.chain.config, { hash: long.chain.genesis.hash, timestamp: 0n })
      for (const peer of peers)
        peer.send('eth', encodeEthMessage(ETH68, localStatus(ETH68, { chain: long.chain, forks, earliest: 0n })))
      await world.pass(100)
      const ask = (peer: ScriptedPeer | undefined, requestId: bigint): void =>
        peer?.send(
          'eth',
          encodeEthMessage(ETH68, { kind: 'getBlockBodies', requestId, hashes: [long.chain.head.hash] }),
        )
      for (let i = 0; i < 500; i++) ask(peers[0], BigInt(i))
      for (let i = 0; i < 5; i++) ask(peers[1], BigInt(i))
      await world.pass(50)
      // The burst of the first is used up; the second is served at once.
      const served = order.filter((index) => index === 0).length
      expect(served >= 400 && served < 410).toBe(true)
      expect(order.filter((index) => index === 1)).toHaveLength(5)
      await world.pass(2000)
      expect(order.filter((index) => index === 0)).toHaveLength(500)
    })

    it('that do not read are neither served nor read from', async () => {
      const { near, say, peer, world } = await scripted()
      near.isFlowing = false
      const hashes = [long.chain.head.hash]
      for (let i = 0; i < 200; i++) say({ kind: 'getBlockBodies', requestId: BigInt(i), hashes })
      await world.pass(100)
      const answers = () => peer.received.filter(({ code }) => code === 0x06).length
      expect(answers()).toBe(1)
      expect(near.isPaused).toBe(true)
      near.isFlowing = true
      near.handlers.onDrain()
      await world.pass(100)
      expect(answers()).toBe(200)
      expect(near.isPaused).toBe(false)
      expect(near.end).toBeUndefined()
    })

    it('that ask for much are read from as long as their waiting requests are small', async () => {
      const { near, say, peer, world } = await scripted()
      near.isFlowing = false
      const hashes = Array.from({ length: 10_000 }, () => UNKNOWN)
      for (let i = 0; i < 25; i++) say({ kind: 'getReceipts', requestId: BigInt(i), hashes })
      await world.pass(100)
      expect(near.isPaused).toBe(true)
      near.isFlowing = true
      near.handlers.onDrain()
      await world.pass(100)
      expect(peer.received.filter(({ code }) => code === 0x10)).toHaveLength(25)
      expect([near.isPaused, near.end]).toEqual([false, undefined])
    })

    it('get answers of snap', async () => {
      const snap = { name: 'snap', version: 1, length: 8 }
      const { near, peer, world } = await scripted({}, {}, [...eth68, snap])
      const root = long.chain.head.header.stateRoot
      const [start, limit] = [new Uint8Array(32), new Uint8Array(32).fill(0xff)]
      peer.send(
        'snap',
        encodeSnapMessage({ kind: 'getAccountRange', requestId: 1n, root, start, limit, maxBytes: 1000n }),
      )
      await world.pass(100)
      const last = peer.received.at(-1)
      expect(last).toMatchObject({ name: 'snap', code: 1 })
      expect(near.end).toBeUndefined()
      peer.send('snap', encodeSnapMessage({ kind: 'byteCodes', requestId: 1n, codes: [] }))
      await world.pass(100)
      expect(near.end?.reason).toBe('breachOfProtocol')
    })
  })
})

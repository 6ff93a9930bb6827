// slow: many connections
/** Whole nodes among peers that lie, stall or flood, over simulated TCP and UDP. */
import { afterEach, describe, expect, it } from 'vitest'
import { createSigner, KeySigner } from '../../../../src/base/ports/keySigner.ts'
import { bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { rlpEncode } from '../../../../src/base/primitives/rlp.ts'
import { createPacket } from '../../../../src/net/p2p/discovery/v4/packet.ts'
import type { DisconnectReason } from '../../../../src/net/p2p/rlpx/disconnect.ts'
import type { EthMessage, EthRequest } from '../../../../src/net/protocols/eth/messages.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import type { Header } from '../../../../src/types/block.ts'
import { encodeBody } from '../../../../src/types/blockCodec.ts'
import { encodeHeader, hashHeader } from '../../../../src/types/headerCodec.ts'
import { blockTree } from '../../../simulation/blockTree.ts'
import { SeededRandom } from '../../../simulation/seededRandom.ts'
import { Life } from '../../../simulation/world.ts'
import { garbageCollector } from '../../../support/host/garbageCollector.ts'
import { cliqueGenesis } from '../../../support/nodes/cliqueNode.ts'
import { ALICE, BOB, signed } from '../../../support/nodes/devChain.ts'
import { GENESIS_SECONDS } from '../../../support/nodes/genesisNode.ts'
import { type NetworkNode, NetworkWorld } from './networkNodes.ts'
import { type EthAnswer, honestAnswers, RawEthPeer, type RawEthPeerOptions, statusOf } from './rawEthPeer.ts'

const SIGNER = new KeySigner(new Uint8Array(32).fill(0x5a))
const HUGE = 10n ** 30n
/** Time that the node has no other peer than the hostile one. */
const ALONE_MS = 12_000
/** Heap that the node may keep after a flood, in bytes. */
const MAX_FLOOD_MEMORY = 8_000_000
/** Height of a chain that is longer than any node fetches at a time. */
const ENDLESS = 20_000

const gc = garbageCollector()

let net: NetworkWorld
afterEach(() => net.close())

interface Setting {
  /** Seals a block each second. */
  readonly source: NetworkNode
  readonly store: MemoryStore
  readonly victim: NetworkNode
}

let nonce = 0
async function pay(node: NetworkNode): Promise<string> {
  const raw = await signed(ALICE, { nonce: nonce++, chainId: 2128 } as never)
  return node.rpc('eth_sendRawTransaction', bytesToHex(raw))
}

async function setting(blocks: number): Promise<Setting> {
  net = new NetworkWorld(cliqueGenesis([SIGNER], { blockperiodseconds: 1, epochlength: 30_000 }))
  nonce = 0
  const { evmModule } = await blockTree()
  const store = new MemoryStore()
  const source = await net.start({}, { signer: SIGNER, store, evmModule })
  for (let i = 0; i < blocks; i++) {
    await pay(source)
    await net.world.pass(1000)
  }
  return { source, store, victim: await net.start({}, { evmModule }) }
}

const heightOf = ({ node }: NetworkNode): number => Number(node.chain.head.header.number)

const until = (holds: () => boolean, seconds: number): Promise<boolean> =>
  net.world.run(holds, net.world.now + seconds * 1000)

const isTogether = ({ source, victim }: Setting): boolean => heightOf(source) - heightOf(victim) <= 1

/** Headers without an end that follow genesis in form only. */
class EndlessChain {
  readonly #headers: Header[]
  readonly #hashes: Uint8Array[]

  constructor(genesis: Header) {
    this.#headers = [genesis]
    this.#hashes = [hashHeader(genesis)]
  }

  at(number: number): { header: Header; hash: Uint8Array } {
    for (let i = this.#headers.length; i <= number; i++) {
      const parent = this.#headers[i - 1] as Header
      const header: Header = {
        ...parent,
        parentHash: this.#hashes[i - 1] as Uint8Array,
        number: BigInt(i),
        timestamp: parent.timestamp + 1n,
        difficulty: 1n,
        extraData: new Uint8Array(97),
      }
      this.#headers.push(header)
      this.#hashes.push(hashHeader(header))
    }
    return { header: this.#headers[number] as Header, hash: this.#hashes[number] as Uint8Array }
  }

  readonly answer: EthAnswer = (request) => {
    const { kind, requestId } = request
    if (kind === 'getBlockBodies') {
      const body = encodeBody({ transactions: [], ommers: [] })
      return { kind: 'blockBodies', requestId, bodies: request.hashes.map(() => body) }
    }
    if (kind !== 'getBlockHeaders') return undefined
    const start = typeof request.start === 'bigint' ? Number(request.start) : ENDLESS
    const step = (Number(request.skip) + 1) * (request.isReverse ? -1 : 1)
    const headers = []
    for (let i = 0; i < Number(request.limit) && i < 1024; i++) {
      const number = start + i * step
      if (number < 0 || number > ENDLESS) break
      const { header } = this.at(number)
      headers.push({ header, encoding: encodeHeader(header) })
    }
    return { kind: 'blockHeaders', requestId, headers }
  }
}

describe('a node that synchronises', () => {
  type Twist = (store: MemoryStore) => EthAnswer
  const changed =
    (change: (reply: EthMessage, request: EthRequest, index: number) => EthMessage | undefined): Twist =>
    (store) => {
      const honest = honestAnswers(store)
      return (request, index) => change(honest(request), request, index)
    }
  const honest = changed((reply) => reply)
  const reversedHeaders = changed((reply) =>
    reply.kind === 'blockHeaders' && reply.headers.length > 1
      ? { ...reply, headers: reply.headers.toReversed() }
      : reply,
  )
  const reversedBodies = changed((reply) =>
    reply.kind === 'blockBodies' ? { ...reply, bodies: reply.bodies.toReversed() } : reply,
  )

  it.each<[string, Twist, Partial<RawEthPeerOptions>, bigint | undefined, DisconnectReason | undefined]>([
    ['answers with other blocks', reversedHeaders, {}, HUGE, 'breachOfProtocol'],
    ['answers with valid headers and wrong bodies', reversedBodies, {}, HUGE, 'breachOfProtocol'],
    ['never answers', () => () => undefined, {}, HUGE, 'uselessPeer'],
    ['becomes silent in the middle', honest, { silentAfter: 4 }, undefined, 'timeout'],
    ['is slow', honest, { delayMs: 4500 }, undefined, undefined],
    ['is slow and lies', honest, { delayMs: 4500 }, HUGE, 'breachOfProtocol'],
  ])('from a peer that %s', async (_, twist, options, claim, reason) => {
    const all = await setting(30)
    const { source, victim, store } = all
    const { hash, totalDifficulty } = source.node.chain.head
    const status = statusOf(source.node, { best: { hash, totalDifficulty: claim ?? totalDifficulty } })
    const liar = await RawEthPeer.connect(net, victim, { host: '10.9.0.1', status, answer: twist(store), ...options })
    await net.world.pass(ALONE_MS)
    await net.connect(victim, source)
    expect(await until(() => isTogether(all), 20)).toBe(true)
    await until(() => liar.reason !== undefined, 60)
    expect(liar.reason).toBe(reason)
    expect(await victim.rpc('eth_syncing')).toBe(false)
    expect(isTogether(all)).toBe(true)
    expect(await peerOf(victim, source)).toBe(true)
  })

  it('from a peer whose chain of low difficulty has no end', async () => {
    const all = await setting(30)
    const { source, victim } = all
    const chain = new EndlessChain(source.node.chain.genesis.header)
    const best = { hash: chain.at(ENDLESS).hash, totalDifficulty: HUGE }
    const status = statusOf(source.node, { best })
    const liar = await RawEthPeer.connect(net, victim, { host: '10.9.0.1', status, answer: chain.answer })
    await net.world.pass(500)
    await net.connect(victim, source)
    expect(await until(() => isTogether(all), 20)).toBe(true)
    expect(await until(() => liar.reason !== undefined, 20)).toBe(true)
    expect([liar.reason, liar.asked]).toEqual(['breachOfProtocol', 6])
  })
})

describe('a node at the head of its chain', () => {
  /** Time that a liar may keep its place. */
  const PATIENCE_SECONDS = 120
  const silence: EthAnswer = () => undefined

  it.each<[string, boolean, (honest: EthAnswer) => EthAnswer, Partial<RawEthPeerOptions>, DisconnectReason]>([
    ['too much for a known block', true, (honest) => honest, { delayMs: 4500 }, 'breachOfProtocol'],
    ['too much for a known block and never answers', true, () => silence, {}, 'breachOfProtocol'],
    ['a block that it does not show', false, () => silence, {}, 'uselessPeer'],
    ['a block that nothing leads to, slowly', false, (honest) => honest, { delayMs: 4500 }, 'uselessPeer'],
    ['a block that nothing leads to, and becomes silent', false, (honest) => honest, { silentAfter: 2 }, 'timeout'],
  ])('drops a peer that claims %s', async (_, isKnown, twist, options, reason) => {
    const all = await setting(10)
    const { source, victim, store } = all
    await net.connect(victim, source)
    expect(await until(() => isTogether(all), 20)).toBe(true)
    const { header: known, hash: knownHash } = source.node.chain.head
    const header = isKnown ? known : { ...known, number: 1_000_000n }
    const encoding = encodeHeader(header)
    const hash = isKnown ? knownHash : source.node.chain.consensus.hash(header, encoding)
    const ordinary = honestAnswers(store)
    const answer = twist((request) =>
      request.kind === 'getBlockHeaders' && request.start instanceof Uint8Array && !isKnown
        ? { kind: 'blockHeaders', requestId: request.requestId, headers: [{ header, encoding }] }
        : ordinary(request),
    )
    const status = statusOf(source.node, { best: { hash, totalDifficulty: HUGE } })
    const liar = await RawEthPeer.connect(net, victim, { host: '10.9.0.1', status, answer, ...options })
    expect(await until(() => liar.reason !== undefined, PATIENCE_SECONDS)).toBe(true)
    expect(liar.reason).toBe(reason)
    expect(await victim.rpc('eth_syncing')).toBe(false)
    expect([isTogether(all), await peerOf(victim, source)]).toEqual([true, true])
  })
})

const noise = new SeededRandom(1)

describe('a node with an honest peer', () => {
  const hashes = (count: number): Uint8Array[] => Array.from({ length: count }, () => noise.bytes(32))
  const forms = { types: new Uint8Array(4096), sizes: new Array(4096).fill(100) }

  const FLOODS: Readonly<Record<string, (index: number) => EthMessage>> = {
    'announces transactions that do not exist': () => ({
      kind: 'newPooledTransactionHashes',
      hashes: hashes(4096),
      forms,
    }),
    'announces blocks that do not exist': (i) => ({
      kind: 'newBlockHashes',
      blocks: hashes(10).map((hash) => ({ hash, number: BigInt(5 + (i % 3)) })),
    }),
    'asks more than it may': (i) => ({
      kind: 'getBlockHeaders',
      requestId: BigInt(i),
      start: 0n,
      limit: 1024n,
      skip: 0n,
      isReverse: false,
    }),
  }
  const nothing: EthAnswer = ({ kind, requestId }) =>
    kind === 'getPooledTransactions'
      ? { kind: 'pooledTransactions', requestId, transactions: [] }
      : { kind: 'blockHeaders', requestId, headers: [] }

  async function flood(all: Setting, count: number, send: (index: number) => void): Promise<number> {
    gc()
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < count; i++) {
      send(i)
      await net.world.pass(5)
    }
    // During the flood, the honest peer's transaction is in a block of the node within two periods.
    const hash = await pay(all.victim)
    const isMined = (): boolean => heightOf(all.victim) > 0 && all.source.node.chain.head.header.gasUsed > 0n
    expect(await until(isMined, 4)).toBe(true)
    expect(await until(() => isTogether(all), 2)).toBe(true)
    await net.world.pass(1000)
    expect(await all.victim.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    expect(await peerOf(all.victim, all.source)).toBe(true)
    gc()
    return process.memoryUsage().heapUsed - before
  }

  async function besideLiar(answer?: EthAnswer): Promise<readonly [Setting, RawEthPeer]> {
    const all = await setting(3)
    await net.connect(all.victim, all.source)
    const status = statusOf(all.source.node)
    const liar = await RawEthPeer.connect(net, all.victim, { host: '10.9.0.1', status, ...(answer && { answer }) })
    await net.world.pass(1000)
    return [all, liar]
  }

  it.each(Object.keys(FLOODS))('and one that %s', async (kind) => {
    const [all, liar] = await besideLiar(nothing)
    const message = FLOODS[kind] as (index: number) => EthMessage
    const bytes = await flood(all, kind.includes('transactions') ? 20 : 500, (i) => liar.say(message(i)))
    expect(bytes).toBeLessThan(MAX_FLOOD_MEMORY)
    expect(liar.reason).toBe(kind.startsWith('announces') ? 'uselessPeer' : undefined)
    expect(liar.asked).toBeLessThan(40)
  })

  it('and one that sends transactions that nobody pays', async () => {
    const [all, liar] = await besideLiar()
    const messages: Uint8Array[] = []
    for (let i = 0; i < 10; i++) {
      const batch = Array.from({ length: 20 }, (_, j) => signed(BOB, { nonce: i * 20 + j, chainId: 2128 } as never))
      messages.push(rlpEncode(await Promise.all(batch)))
    }
    const bytes = await flood(all, 500, (i) => liar.sayRaw([0x12, messages[i % 10] as Uint8Array]))
    expect(bytes).toBeLessThan(MAX_FLOOD_MEMORY)
    expect(await all.victim.rpc('txpool_besuStatistics')).toMatchObject({ remoteCount: 0 })
  })

  it('and one that does not read its answers', async () => {
    const [all, liar] = await besideLiar()
    liar.pause()
    const message = FLOODS['asks more than it may'] as (index: number) => EthMessage
    const bytes = await flood(all, 500, (i) => liar.say(message(i)))
    await net.world.pass(150_000)
    expect(bytes).toBeLessThan(MAX_FLOOD_MEMORY)
    expect(await all.victim.rpc('net_peerCount')).toBe('0x1')
  })

  it('and 1,000 half-open handshakes', async () => {
    const all = await setting(3)
    const { victim, source } = all
    const life = new Life(net.world, '10.9.0.1', 0)
    const { tcp } = net.network.attach(life, '10.9.0.1')
    let open = 0
    for (let i = 0; i < 1000; i++) {
      void tcp.connect({ host: victim.host, port: 30_303 }).then((connection) => {
        open++
        connection.open({ onData() {}, onEnd: () => connection.end(), onClose: () => void open-- })
        // Half of them send the beginning of a handshake.
        if (i % 2 === 0) connection.write(noise.bytes(1 + (i % 300)))
      })
    }
    await net.connect(source, victim)
    expect(await until(() => isTogether(all), 20)).toBe(true)
    expect(await peerOf(victim, source)).toBe(true)
    await net.world.pass(15_000)
    expect([open, await victim.rpc('net_peerCount')]).toEqual([0, '0x1'])
  })
})

describe('a node with discovery', () => {
  /** Datagrams to a node from the host, and the bytes that come back. */
  async function sender(host: string, victim: NetworkNode) {
    const life = new Life(net.world, host, (GENESIS_SECONDS + 1000) * 1000)
    const { udp } = net.network.attach(life, host)
    const traffic = { sent: 0, received: 0 }
    const socket = await udp.bind({ host, port: 30_303 }, (bytes) => {
      traffic.received += bytes.length
    })
    const send = (bytes: Uint8Array): void => {
      traffic.sent += bytes.length
      socket.send(bytes, { host: victim.host, port: 30_303 })
    }
    return { traffic, send }
  }

  it('answers unproven endpoints with as much as a proof needs, and finds an honest node beside a flood', async () => {
    net = new NetworkWorld(cliqueGenesis([SIGNER]))
    const victim = await net.start({ 'discovery-enabled': true })
    const { id } = await victim.rpc<{ readonly id: string }>('admin_nodeInfo')
    const victimId = hexToBytes(`0x${id}`)
    const traffics: { readonly sent: number; readonly received: number }[] = []
    for (let i = 0; i < 200; i++) {
      const host = `10.8.0.${i}`
      const signer = createSigner(new SeededRandom(1000 + i))
      const { traffic, send } = await sender(host, victim)
      const expiration = GENESIS_SECONDS + 10_000
      const endpoint = { host, udpPort: 30_303, tcpPort: 30_303 }
      const ping = createPacket(signer, { type: 'ping', from: endpoint, to: endpoint, expiration, enrSeq: 1n }).bytes
      const groups = [
        [ping],
        new Array(20).fill(ping),
        [
          createPacket(signer, { type: 'findNode', target: victimId, expiration }).bytes,
          createPacket(signer, { type: 'enrRequest', expiration }).bytes,
        ],
        Array.from({ length: 20 }, () => noise.bytes(63 + noise.below(1217))),
      ]
      for (const packet of groups[i % groups.length] as Uint8Array[]) send(packet)
      traffics.push(traffic)
      await net.world.pass(10)
    }
    await net.world.pass(5000)
    const ratios = [0, 1, 2, 3].map((group) => {
      const members = traffics.filter((_, i) => i % 4 === group)
      return Math.max(...members.map(({ sent, received }) => received / sent))
    })
    // The answer to a ping is a Pong, and once a Ping that asks for the proof.
    expect(ratios[0]).toBeLessThan(2.2)
    expect(ratios[1]).toBeLessThan(1.25)
    expect(ratios.slice(2)).toEqual([0, 0])
    const enode = await victim.rpc<string>('net_enode')
    const honest = await net.start({ 'discovery-enabled': true, bootnodes: [enode] })
    await net.world.pass(20_000)
    expect(await peerOf(victim, honest)).toBe(true)
  })
})

async function peerOf(node: NetworkNode, other: NetworkNode): Promise<boolean> {
  const peers = await node.rpc<readonly { readonly id: string }[]>('admin_peers')
  const { id } = await other.rpc<{ readonly id: string }>('admin_nodeInfo')
  return peers.some((peer) => peer.id === `0x${id}`)
}

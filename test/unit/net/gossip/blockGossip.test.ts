// slow: chains of several peers
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { rlpEncode, rlpListOfEncoded } from '../../../../src/base/primitives/rlp.ts'
import { encodeEthMessage } from '../../../../src/net/protocols/eth/codec.ts'
import type { EncodedHeader } from '../../../../src/net/protocols/eth/messages.ts'
import type { Block } from '../../../../src/types/block.ts'
import { encodeBlock, splitBlock } from '../../../../src/types/blockCodec.ts'
import { SimulatedWorld } from '../../../simulation/world.ts'
import { GossipNode } from './gossipNodes.ts'
import { link, SimulatedPeers } from './simulatedPeers.ts'

type Built = Awaited<ReturnType<GossipNode['build']>>

function newBlock({ block, rlp }: Pick<Built, 'block' | 'rlp'>, totalDifficulty: bigint) {
  const header: EncodedHeader = { header: block.header, encoding: splitBlock(rlp).header }
  return { kind: 'newBlock', block: rlp, header, totalDifficulty } as const
}

function blockOf({ chain }: GossipNode, hash: Uint8Array): Block {
  const header = chain.headerByHash(hash)?.header
  const body = chain.body(hash)
  if (header === undefined || body === undefined) throw new Error('the block is not stored')
  return { header, ...body }
}

async function pair(seed: number) {
  const world = new SimulatedWorld(seed)
  const node = await GossipNode.open(world, 'node')
  const neighbour = await GossipNode.open(world, 'neighbour')
  link(world, node.peers, neighbour.peers)
  const stranger = new SimulatedPeers('stranger')
  const [, fromStranger] = link(world, node.peers, stranger)
  return { world, node, neighbour, stranger, fromStranger }
}

describe('blocks between peers', () => {
  it('reach all of 50 nodes, and no node sends a block to a peer that it knows to have it', async () => {
    for (const seed of [1]) {
      const world = new SimulatedWorld(seed)
      const nodes: GossipNode[] = []
      for (let i = 0; i < 50; i++) nodes.push(await GossipNode.open(world, `node ${i}`))
      for (const [i, node] of nodes.entries()) {
        const next = nodes[(i + 1) % nodes.length] as GossipNode
        link(world, node.peers, next.peers, { version: 63 + (i % 7) })
        const far = nodes[world.random.below(nodes.length)] as GossipNode
        const isNew = far !== node && node.peers.all.every(({ remote }) => remote !== far.peers)
        if (isNew) link(world, node.peers, far.peers)
      }
      for (let i = 0; i < 5; i++) {
        const producer = nodes[world.random.below(nodes.length)] as GossipNode
        const { hash } = await producer.produce(i)
        const reached = await world.run(() => nodes.every(({ head }) => head === bytesToHex(hash)), world.now + 20_000)
        expect(reached, `seed ${seed}, block ${i}`).toBe(true)
        await world.pass(1000)
      }
      for (const { peers, errors } of nodes) {
        expect(errors).toEqual([])
        const sent = peers.sent.map(({ to, message }) =>
          message.kind === 'newBlock' ? `${to} ${bytesToHex(message.header.encoding)}` : message.kind,
        )
        expect(new Set(sent).size).toBe(sent.length)
        for (const peer of peers.all) expect(peer.isOpen).toBe(true)
      }
      const copies = nodes.reduce((sum, { peers }) => sum + peers.sentCount, 0)
      const links = nodes.reduce((sum, { peers }) => sum + peers.all.length, 0) / 2
      // Once per link, and twice where two announcements cross.
      expect(copies).toBeLessThanOrEqual(5 * links * 2)
    }
  }, 60_000)

  it('are sent once to each peer, and not to the peer that sent them', async () => {
    const { world, node, stranger, fromStranger } = await pair(3)
    const built = await node.build()
    fromStranger.send(newBlock(built, 102n))
    await world.pass(5000)
    expect(node.head).toBe(bytesToHex(built.hash))
    expect(node.peers.sent.map(({ to }) => to)).toEqual(['neighbour'])
    expect(stranger.disconnects).toEqual([])
  })

  it('reach a peer that joins after a Status with an older head', async () => {
    const world = new SimulatedWorld(9)
    const node = await GossipNode.open(world, 'node')
    const genesis = node.peers.head().hash as Uint8Array
    const { hash } = await node.produce(0)
    await world.pass(100)
    const late = await GossipNode.open(world, 'late')
    link(world, node.peers, late.peers, { toldHead: genesis })
    const informed = await GossipNode.open(world, 'informed')
    link(world, node.peers, informed.peers)
    await world.pass(5000)
    expect(node.peers.sent.filter(({ message }) => message.kind === 'newBlock').map(({ to }) => to)).toEqual(['late'])
    expect(late.head).toBe(bytesToHex(hash))
  })

  it('are not taken from a peer when they are of proof of stake', async () => {
    const world = new SimulatedWorld(14)
    const options = { forks: { terminalTotalDifficulty: 102 } }
    const node = await GossipNode.open(world, 'node', options)
    const neighbour = await GossipNode.open(world, 'neighbour', options)
    const terminal = await neighbour.produce()
    const staked = await neighbour.produce()
    expect([terminal, staked].map(({ header }) => header.difficulty)).toEqual([2n, 0n])
    link(world, node.peers, neighbour.peers)
    await world.pass(5000)
    expect(node.chain.headerByHash(staked.hash)).toBeUndefined()
    await node.chain.import(blockOf(neighbour, terminal.hash))
    expect(node.chain.head.hash).toEqual(terminal.hash)
    neighbour.peers.peer('node').send({ kind: 'newBlockHashes', blocks: [{ hash: staked.hash, number: 2n }] })
    await world.pass(5000)
    expect(node.chain.head.hash).toEqual(terminal.hash)
    expect(neighbour.peers.peer('node').isOpen).toBe(true)
  })

  it('are forwarded before they are executed, and not when their header is invalid', async () => {
    const { world, node, neighbour, fromStranger } = await pair(4)
    const { block } = await node.build()
    const unsealed = { ...block, header: { ...block.header, nonce: new Uint8Array(8) } }
    fromStranger.send(newBlock({ block: unsealed, rlp: encodeBlock(unsealed) }, 102n))
    await world.pass(2000)
    expect(node.peers.sent).toEqual([])
    expect(node.chain.head.header.number).toBe(0n)
    // The hash does not cover the seal: the sealed block has the same one.
    const wrongState = { ...block, header: { ...block.header, stateRoot: new Uint8Array(32) } }
    fromStranger.send(newBlock({ block: wrongState, rlp: encodeBlock(wrongState) }, 102n))
    await world.pass(2000)
    expect(node.peers.sent).toHaveLength(1)
    expect(node.chain.badBlocks()).toHaveLength(1)
    fromStranger.send(newBlock({ block, rlp: encodeBlock(block) }, 102n))
    await world.pass(2000)
    expect(node.chain.head.header.number).toBe(1n)
    expect(neighbour.head).toBe(node.head)
  })

  it('with a body of another block neither spread nor make the header bad', async () => {
    const { world, node, fromStranger } = await pair(5)
    const { block, rlp, hash } = await node.build()
    const other = await node.build(node.chain.head, 7)
    const mixed = { ...block, ommers: [other.block.header] }
    fromStranger.send(newBlock({ block: mixed, rlp: encodeBlock(mixed) }, 102n))
    fromStranger.send(newBlock({ block, rlp }, 102n))
    await world.pass(2000)
    expect(node.head).toBe(bytesToHex(hash))
    expect(node.peers.sent).toHaveLength(1)
    expect(node.peers.peer('stranger').reports).toEqual(['useless'])
    expect(node.chain.badBlocks()).toEqual([])
  })

  it('with an invalid header on a known parent count against their sender', async () => {
    const { world, node, fromStranger } = await pair(61)
    const { block } = await node.build()
    for (let i = 0; i < 3; i++) {
      // Without the seal.
      const unsealed = { ...block, header: { ...block.header, nonce: new Uint8Array(8).fill(2 + i) } }
      fromStranger.send(newBlock({ block: unsealed, rlp: encodeBlock(unsealed) }, 102n))
      await world.pass(500)
    }
    expect(node.peers.peer('stranger').reports).toEqual(['useless', 'useless', 'useless'])
    expect(node.chain.head.header.number).toBe(0n)
  })

  it('with a false total difficulty are taken with the right one, and the lie is reported', async () => {
    const { world, node, fromStranger } = await pair(6)
    fromStranger.send(newBlock(await node.build(), 10n ** 20n))
    await world.pass(2000)
    const [sent] = node.peers.sent
    expect(sent?.message).toMatchObject({ kind: 'newBlock', totalDifficulty: 102n })
    expect(node.peers.peer('stranger').reports).toContain('useless')
  })

  it('that are far from the head, or cannot be decoded, are not examined', async () => {
    const { world, node, stranger, fromStranger } = await pair(7)
    const { block } = await node.build()
    const far = { ...block, header: { ...block.header, number: 31n } }
    fromStranger.send(newBlock({ block: far, rlp: encodeBlock(far) }, 102n))
    await world.pass(2000)
    expect(node.peers.sent).toEqual([])
    expect(stranger.disconnects).toEqual([])
    const encodings = splitBlock(encodeBlock(block))
    const header = { header: block.header, encoding: encodings.header }
    // A transaction of type 9.
    const malformed = rlpListOfEncoded([encodings.header, rlpEncode([Uint8Array.of(9, 0xc0)]), rlpEncode([])])
    fromStranger.send({ kind: 'newBlock', block: malformed, header, totalDifficulty: 102n })
    await world.pass(2000)
    expect(stranger.disconnects).toMatchObject([{ by: 'node', reason: 'breachOfProtocol' }])
  })

  it('wait for their parents, which are fetched from the sender', async () => {
    const world = new SimulatedWorld(8)
    const node = await GossipNode.open(world, 'node')
    const ahead = await GossipNode.open(world, 'ahead')
    for (let i = 0; i < 20; i++) await ahead.produce(i)
    // The head of a peer that joins is fetched, too.
    link(world, node.peers, ahead.peers)
    expect(await world.run(() => node.head === ahead.head, world.now + 30_000)).toBe(true)
  })

  it('of the better branch win, however the branches met', async () => {
    for (let seed = 20; seed < 24; seed++) {
      const world = new SimulatedWorld(seed)
      const [a, b] = [await GossipNode.open(world, 'a'), await GossipNode.open(world, 'b')]
      for (let i = 0; i < 15; i++) await a.produce(1)
      for (let i = 0; i < 16; i++) await b.produce(2)
      link(world, a.peers, b.peers)
      expect(await world.run(() => a.head === b.head, world.now + 30_000)).toBe(true)
      expect(a.chain.head.header.number).toBe(16n)
    }
  })

  it('that are announced are fetched from another peer when the announcer does not answer', async () => {
    const { world, node, neighbour, stranger, fromStranger } = await pair(9)
    stranger.answer = () => undefined
    const { block, hash } = await node.build()
    // The neighbour gets the block without announcing it.
    neighbour.gossip.stop()
    await neighbour.chain.import(block)
    node.peers.peer('neighbour').head = neighbour.peers.head()
    fromStranger.send({ kind: 'newBlockHashes', blocks: [{ hash, number: 1n }] })
    expect(await world.run(() => node.head === bytesToHex(hash), world.now + 20_000)).toBe(true)
  })

  it('that are announced under a false number or hash harm only the liar', async () => {
    const { world, node, stranger, fromStranger } = await pair(10)
    const other = await node.build(node.chain.head, 5)
    stranger.answer = (version, request) => {
      if (request.kind !== 'getBlockHeaders') return undefined
      const headers = [{ header: other.block.header, encoding: splitBlock(other.rlp).header }]
      return encodeEthMessage(version, { kind: 'blockHeaders', requestId: request.requestId, headers })
    }
    fromStranger.send({ kind: 'newBlockHashes', blocks: [{ hash: new Uint8Array(32).fill(1), number: 1n }] })
    await world.pass(2000)
    expect(stranger.disconnects).toMatchObject([{ reason: 'breachOfProtocol' }])
    expect(node.chain.head.header.number).toBe(0n)
  })

  it('in a flood of one peer do not delay those of others', async () => {
    const { world, node, neighbour, stranger, fromStranger } = await pair(11)
    stranger.answer = () => undefined
    const { block } = await node.build()
    for (let i = 0; i < 2000; i++) {
      const parentHash = world.random.bytes(32)
      const fake = { ...block, header: { ...block.header, number: BigInt(1 + (i % 30)), parentHash } }
      fromStranger.send(newBlock({ block: fake, rlp: encodeBlock(fake) }, 102n))
      fromStranger.send({ kind: 'newBlockHashes', blocks: [{ hash: world.random.bytes(32), number: 2n }] })
    }
    await world.pass(200)
    const { hash } = await neighbour.produce()
    const start = world.now
    expect(await world.run(() => node.head === bytesToHex(hash), world.now + 20_000)).toBe(true)
    expect(world.now - start).toBeLessThan(500)
  })

  it('are not announced while the node is behind', async () => {
    const { world, node } = await pair(12)
    node.progress.isBehind = true
    await node.produce()
    await world.pass(1000)
    expect(node.peers.sent).toEqual([])
  })
})

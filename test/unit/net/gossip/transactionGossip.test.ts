// slow: thousands of transactions
import { describe, expect, it, vi } from 'vitest'
import { MAX_PEER_POOL_BYTES, POOL_SLICE_BYTES, POOL_SLICE_TRANSACTIONS } from '../../../../src/base/limits/limits.ts'
import { bytesToHex, concatBytes } from '../../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../../src/base/primitives/errors.ts'
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import { rlpEncode } from '../../../../src/base/primitives/rlp.ts'
import { encodeEthMessage } from '../../../../src/net/protocols/eth/codec.ts'
import type { EthRequest } from '../../../../src/net/protocols/eth/messages.ts'
import { versionedHash } from '../../../../src/txpool/blobs.ts'
import {
  type BlobSidecar,
  canonicalEncoding,
  decodePooledTransaction,
  encodePooledTransaction,
} from '../../../../src/types/blobSidecar.ts'
import { encodeTransaction } from '../../../../src/types/transactionCodec.ts'
import { SimulatedWorld } from '../../../simulation/world.ts'
import { accountAddress } from '../../../support/chains/pool.ts'
import { GossipNode, type GossipNodeOptions, LIGHT_OPTIONS, STATED_SENDERS, transfer } from './gossipNodes.ts'
import { link, type SimulatedPeer, SimulatedPeers } from './simulatedPeers.ts'

/** Admits transactions as if they were submitted. */
function submit(node: GossipNode, ...encodings: readonly Uint8Array[]): void {
  for (const encoding of encodings) {
    const candidate = { ...decodePooledTransaction(encoding), encoding, isLocal: true }
    const sender = accountAddress(Number((candidate.transaction as { r: bigint }).r & 0xffffffffn))
    const verdict = node.pool.admit({ ...candidate, sender })
    if (verdict.kind === 'refused') throw new Error(verdict.error.message)
  }
}

function whole(...encodings: readonly Uint8Array[]) {
  const transactions = encodings.map((encoding) => ({ encoding, hash: keccak256(canonicalEncoding(encoding)) }))
  return { kind: 'transactions', transactions } as const
}

function announcement(encodings: readonly Uint8Array[], forms?: { type?: number; size?: number }) {
  return {
    kind: 'newPooledTransactionHashes',
    hashes: encodings.map((encoding) => keccak256(encoding)),
    forms: {
      types: Uint8Array.from(encodings, () => forms?.type ?? 2),
      sizes: encodings.map(({ length }) => forms?.size ?? length),
    },
  } as const
}

/** A peer that delivers these transactions. */
function deliver(stranger: SimulatedPeers, encodings: readonly Uint8Array[]): Uint8Array[][] {
  const asked: Uint8Array[][] = []
  const byHash = new Map(encodings.map((encoding) => [bytesToHex(keccak256(encoding)), encoding]))
  stranger.answer = (version, request: EthRequest) => {
    if (request.kind !== 'getPooledTransactions') return undefined
    asked.push(request.hashes.map((hash) => hash.slice()))
    const found = request.hashes.flatMap((hash) => byHash.get(bytesToHex(hash)) ?? [])
    const { transactions } = whole(...found)
    return encodeEthMessage(version, { kind: 'pooledTransactions', requestId: request.requestId, transactions })
  }
  return asked
}

/** Recovers the senders of each batch in this time. */
function slowRecovery(ms: number) {
  return (world: SimulatedWorld): GossipNodeOptions => ({
    ...LIGHT_OPTIONS,
    senders: {
      ...STATED_SENDERS,
      recover: async (tasks) => {
        await new Promise<void>((resolve) => world.schedule(ms, 'recovery', resolve))
        return STATED_SENDERS.recover(tasks)
      },
    },
  })
}

async function star(
  seed: number,
  count: number,
  versions: (i: number) => number = () => 68,
  optionsOf: (world: SimulatedWorld) => GossipNodeOptions = () => LIGHT_OPTIONS,
) {
  const world = new SimulatedWorld(seed)
  const node = await GossipNode.open(world, 'node', optionsOf(world))
  const strangers = Array.from({ length: count }, (_, i) => new SimulatedPeers(`stranger ${i}`))
  const links = strangers.map((stranger, i) => link(world, node.peers, stranger, { version: versions(i) })[1])
  return { world, node, strangers, links: links as [SimulatedPeer, ...SimulatedPeer[]] }
}

/** Hashes of the transactions in each message to a peer. */
function hashesTo(node: GossipNode, name: string): string[][] {
  return node.peers.sent.flatMap(({ to, message }) => {
    if (to !== name) return []
    if (message.kind === 'newPooledTransactionHashes') return [message.hashes.map(bytesToHex)]
    return message.kind === 'transactions' ? [message.transactions.map(({ hash }) => bytesToHex(hash))] : []
  })
}

const received = (node: GossipNode, name: string): readonly string[] =>
  node.peers.sent.filter(({ to }) => to === name).map(({ message }) => message.kind)

describe('transactions between peers', () => {
  it('reach all of 20 nodes, and none is sent twice to a peer', async () => {
    const world = new SimulatedWorld(1)
    const nodes: GossipNode[] = []
    for (let i = 0; i < 20; i++) nodes.push(await GossipNode.open(world, `node ${i}`, LIGHT_OPTIONS))
    for (const [i, node] of nodes.entries()) {
      for (const step of [1, 3, 8]) {
        link(world, node.peers, (nodes[(i + step) % nodes.length] as GossipNode).peers, { version: 63 + (i % 7) })
      }
    }
    for (let i = 0; i < 150; i++) {
      submit(nodes[world.random.below(nodes.length)] as GossipNode, transfer(i))
      await world.pass(5)
    }
    const arrived = await world.run(() => nodes.every(({ pool }) => pool.size === 150), world.now + 20_000)
    expect(arrived).toBe(true)
    await world.pass(5000)
    for (const { peers, errors } of nodes) {
      expect(errors).toEqual([])
      expect(peers.disconnects).toEqual([])
      const sent = peers.sent.flatMap(({ to, message }) => {
        if (message.kind === 'transactions') {
          return message.transactions.map(({ encoding }) => `${to} ${bytesToHex(keccak256(encoding))}`)
        }
        return message.kind === 'newPooledTransactionHashes'
          ? message.hashes.map((hash) => `${to} ${bytesToHex(hash)}`)
          : []
      })
      expect(new Set(sent).size).toBe(sent.length)
    }
  }, 60_000)

  it('go whole to the square root of all peers, to all before eth/65, and as hashes to the others', async () => {
    const { world, node } = await star(2, 25)
    submit(node, transfer(1))
    await world.pass(100)
    const kinds = node.peers.sent.map(({ message }) => message.kind)
    expect(kinds.filter((kind) => kind === 'transactions')).toHaveLength(5)
    expect(kinds.filter((kind) => kind === 'newPooledTransactionHashes')).toHaveLength(20)
    const old = await star(3, 16, (i) => (i < 6 ? 64 : 66))
    submit(old.node, transfer(1))
    await old.world.pass(100)
    for (let i = 0; i < 16; i++) {
      const kind = i < 6 ? 'transactions' : 'newPooledTransactionHashes'
      expect(received(old.node, `stranger ${i}`)).toEqual([kind])
    }
  })

  it('of a short time share their messages', async () => {
    const { world, node } = await star(4, 4)
    for (let i = 0; i < 100; i++) submit(node, transfer(i))
    await world.pass(100)
    expect(node.peers.sent).toHaveLength(4)
  })

  it('of one large message share their messages too', async () => {
    const { world, node, links } = await star(14, 4, () => 68, slowRecovery(20))
    links[0].send(whole(...Array.from({ length: 2000 }, (_, i) => transfer(i))))
    await world.pass(2000)
    expect(node.pool.size).toBe(2000)
    for (const name of ['stranger 1', 'stranger 2', 'stranger 3']) expect(received(node, name)).toHaveLength(1)
    expect(received(node, 'stranger 0')).toEqual([])
  })

  it('wait for others at most one second', async () => {
    const { world, node, links } = await star(15, 2, () => 68, slowRecovery(50))
    const messages = Array.from({ length: 8 }, (_, k) =>
      whole(...Array.from({ length: 500 }, (_, i) => transfer(k * 500 + i))),
    )
    for (const message of messages) links[0].send(message)
    expect(await world.run(() => node.pool.size > 0, world.now + 1000)).toBe(true)
    await world.pass(950)
    expect(node.peers.sent).toEqual([])
    await world.pass(100)
    expect(received(node, 'stranger 1')).toHaveLength(1)
    expect(node.pool.size).toBeLessThan(4000)
  })

  it('of the pool are announced to a peer that joins, and sent before eth/65', async () => {
    const { world, node } = await star(5, 0)
    for (let i = 0; i < 5000; i++) submit(node, transfer(i))
    await world.pass(1000)
    const [old, recent] = [new SimulatedPeers('old'), new SimulatedPeers('recent')]
    link(world, node.peers, old, { version: 63 })
    link(world, node.peers, recent, { version: 68 })
    await world.pass(1000)
    const kinds = (name: string) => new Set(received(node, name))
    expect([kinds('old'), kinds('recent')]).toEqual([
      new Set(['transactions']),
      new Set(['newPooledTransactionHashes']),
    ])
    for (const name of ['old', 'recent']) expect(hashesTo(node, name).flat()).toHaveLength(5000)
  })

  it('of the pool are read once for many peers that join, in slices and up to a bound in bytes', async () => {
    const { world, node } = await star(5, 0)
    for (let i = 0; i < 4000; i++) submit(node, transfer(i))
    await world.pass(1000)
    const walks = vi.spyOn(node.pool, 'transactions')
    for (let i = 0; i < 50; i++)
      link(world, node.peers, new SimulatedPeers(`joined ${i}`), { version: i === 0 ? 63 : 68 })
    // Nothing is sent while a peer joins.
    expect(node.peers.sent).toEqual([])
    await world.pass(1000)
    expect(walks).toHaveBeenCalledTimes(1)
    for (let i = 0; i < 50; i++) {
      const slices = hashesTo(node, `joined ${i}`)
      expect(new Set(slices.flat()).size).toBe(4000)
      expect(Math.max(...slices.map(({ length }) => length))).toBe(POOL_SLICE_TRANSACTIONS)
    }

    const large = await star(6, 0)
    for (let i = 0; i < 60; i++)
      submit(large.node, transfer(i, 0, { data: new Uint8Array(100_000), gasLimit: 1_000_000n }))
    await large.world.pass(1000)
    link(large.world, large.node.peers, new SimulatedPeers('old'), { version: 63 })
    await large.world.pass(1000)
    const sent = hashesTo(large.node, 'old').flat().length * 100_000
    expect(sent).toBeGreaterThan(MAX_PEER_POOL_BYTES - 100_000)
    expect(sent).toBeLessThan(MAX_PEER_POOL_BYTES + POOL_SLICE_BYTES + 100_000)
  })

  it('that are announced are requested together after 500 ms, at most 256 at a time, unless they are known', async () => {
    const { world, node, strangers, links } = await star(6, 1)
    const encodings = Array.from({ length: 600 }, (_, i) => transfer(i))
    const asked = deliver(strangers[0] as SimulatedPeers, encodings)
    submit(node, ...encodings.slice(0, 10))
    for (let at = 0; at < 600; at += 100) links[0].send(announcement(encodings.slice(at, at + 100)))
    await world.pass(400)
    expect(asked).toEqual([])
    await world.run(() => node.pool.size === 600, world.now + 5000)
    expect(asked.map(({ length }) => length)).toEqual([256, 256, 78])
    links[0].send(announcement(encodings))
    await world.pass(5000)
    expect(asked).toHaveLength(3)
    expect(node.peers.all[0]?.reports).not.toContain('useless')
  })

  it('are asked of a second peer when the first does not answer or does not have them', async () => {
    const { world, node, strangers, links } = await star(7, 3)
    const encodings = [transfer(1), transfer(2)]
    const [silent, empty, honest] = strangers as [SimulatedPeers, SimulatedPeers, SimulatedPeers]
    silent.answer = () => undefined
    const askedEmpty = deliver(empty, [])
    const asked = deliver(honest, encodings)
    for (const peer of links) {
      peer.send(announcement(encodings))
      await world.pass(100)
    }
    expect(await world.run(() => node.pool.size === 2, world.now + 10_000)).toBe(true)
    expect([askedEmpty.length, asked.length]).toEqual([1, 1])
  })

  it('of another type or size than announced, or that were not requested, end the connection', async () => {
    const encoding = transfer(1)
    const lies = [
      { ...announcement([encoding], { type: 1 }), deliver: [encoding] },
      { ...announcement([encoding], { size: 40_000 }), deliver: [encoding] },
    ]
    for (const { deliver: delivered, ...message } of lies) {
      const { world, node, strangers, links } = await star(8, 1)
      deliver(strangers[0] as SimulatedPeers, delivered)
      links[0].send(message)
      await world.pass(2000)
      expect(strangers[0]?.disconnects).toMatchObject([{ reason: 'breachOfProtocol' }])
      expect(node.pool.size).toBe(0)
    }
    const { world, strangers, links } = await star(9, 1)
    const { transactions } = whole(transfer(5))
    ;(strangers[0] as SimulatedPeers).answer = (version, { requestId }) =>
      encodeEthMessage(version, { kind: 'pooledTransactions', requestId, transactions })
    links[0].send(announcement([encoding]))
    await world.pass(2000)
    expect(strangers[0]?.disconnects).toMatchObject([{ reason: 'breachOfProtocol' }])
  })

  it('that a message names twice end the connection', async () => {
    const messages = [
      whole(transfer(1), transfer(2), transfer(1)),
      announcement([transfer(1), transfer(2), transfer(1)]),
    ]
    for (const message of messages) {
      const { world, node, strangers, links } = await star(10, 1)
      links[0].send(message)
      await world.pass(2000)
      expect(strangers[0]?.disconnects).toMatchObject([{ reason: 'breachOfProtocol' }])
      expect(node.pool.size).toBe(0)
    }
  })

  it('that cannot be decoded end the connection', async () => {
    const { world, node, strangers, links } = await star(10, 1)
    const encoding = concatBytes(Uint8Array.of(2), rlpEncode(Array.from({ length: 12 }, () => Uint8Array.of(7))))
    links[0].send({ kind: 'transactions', transactions: [{ encoding, hash: keccak256(encoding) }] })
    await world.pass(2000)
    expect(strangers[0]?.disconnects).toMatchObject([{ reason: 'breachOfProtocol' }])
    expect(node.pool.size).toBe(0)
  })

  it('that are announced and never delivered count against the announcer', async () => {
    const { world, node, strangers, links } = await star(10, 1)
    deliver(strangers[0] as SimulatedPeers, [])
    for (let i = 0; i < 6; i++) {
      links[0].send(announcement([transfer(i)]))
      await world.pass(1000)
    }
    expect(node.peers.all[0]?.reports).toEqual(['useless', 'useless'])
  })

  it('with an invalid signature end the connection; refused ones are not requested again', async () => {
    const { world, node, strangers, links } = await star(11, 2)
    links[0].send(whole(transfer(1, 0, { r: 2n ** 255n })))
    await world.pass(1000)
    expect(strangers[0]?.disconnects).toMatchObject([{ reason: 'breachOfProtocol' }])
    const tooCheap = transfer(2, 0, { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n })
    const asked = deliver(strangers[1] as SimulatedPeers, [tooCheap])
    links[1]?.send(whole(tooCheap))
    await world.pass(1000)
    links[1]?.send(announcement([tooCheap]))
    await world.pass(2000)
    expect(asked).toEqual([])
    expect(node.pool.size).toBe(0)
    expect(links[1]?.isOpen).toBe(true)
    await world.pass(130_000)
    links[1]?.send(announcement([tooCheap]))
    await world.pass(2000)
    expect(asked).toHaveLength(1)
  })

  it('are neither accepted nor sent while the node is behind', async () => {
    const { world, node, links } = await star(12, 1)
    node.progress.isBehind = true
    links[0].send(whole(transfer(1)))
    submit(node, transfer(2))
    await world.pass(1000)
    expect(node.pool.size).toBe(1)
    expect(node.peers.sent).toEqual([])
    node.progress.catchUp()
    await world.pass(1000)
    expect(node.peers.sent).toHaveLength(1)
  })

  it('in a flood of one peer do not delay those of others', async () => {
    const { world, node, strangers, links } = await star(13, 2)
    const [flooder, honest] = links as unknown as [SimulatedPeer, SimulatedPeer]
    const tooCheap = (i: number) => transfer(i, 0, { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n })
    for (let i = 0; i < 40; i++) {
      flooder.send(whole(...Array.from({ length: 500 }, (_, k) => tooCheap(i * 500 + k))))
      flooder.send({
        kind: 'newPooledTransactionHashes',
        hashes: Array.from({ length: 4000 }, () => world.random.bytes(32)),
        forms: { types: new Uint8Array(4000).fill(2), sizes: new Array(4000).fill(110) },
      })
    }
    await world.pass(70)
    const encodings = Array.from({ length: 50 }, (_, i) => transfer(100_000 + i))
    deliver(strangers[1] as SimulatedPeers, encodings.slice(25))
    honest.send(whole(...encodings.slice(0, 25)))
    honest.send(announcement(encodings.slice(25)))
    const start = world.now
    expect(await world.run(() => node.pool.size === 50, world.now + 5000)).toBe(true)
    expect(world.now - start).toBeLessThan(800)
  }, 30_000)
})

describe('blob transactions between peers', () => {
  const sidecar: BlobSidecar = {
    version: 0,
    blobs: [new Uint8Array(131_072)],
    commitments: [new Uint8Array(48)],
    proofs: [new Uint8Array(48)],
  }
  const transaction = {
    type: 3,
    ...{ chainId: 1337n, nonce: 0n, maxPriorityFeePerGas: 10n ** 8n, maxFeePerGas: 10n ** 9n },
    ...{ gasLimit: 21_000n, to: accountAddress(1), value: 0n, data: new Uint8Array(0), accessList: [] },
    ...{ maxFeePerBlobGas: 10n ** 9n, blobVersionedHashes: [versionedHash(new Uint8Array(48))], yParity: 0n, s: 1n },
    r: BigInt(bytesToHex(accountAddress(7))),
  } as const
  const encoding = encodePooledTransaction({ transaction, sidecar })
  const hash = keccak256(encodeTransaction(transaction))
  const forms = { types: Uint8Array.of(3), sizes: [encoding.length] }
  const announced = { kind: 'newPooledTransactionHashes', hashes: [hash], forms } as const

  async function blobStar(verifySidecar: () => Promise<void>) {
    const world = new SimulatedWorld(20)
    const forks = { shanghaiTime: 0, cancunTime: 0 }
    const node = await GossipNode.open(world, 'node', { ...LIGHT_OPTIONS, forks, verifySidecar })
    const [a, b] = [new SimulatedPeers('a'), new SimulatedPeers('b')]
    const [, fromA] = link(world, node.peers, a)
    link(world, node.peers, b)
    a.answer = (version, { requestId }) =>
      encodeEthMessage(version, {
        kind: 'pooledTransactions',
        requestId,
        ...{ transactions: whole(encoding).transactions },
      })
    return { world, node, a, fromA }
  }

  it('are fetched with their blobs, verified, and only announced', async () => {
    const { world, node, fromA } = await blobStar(async () => {})
    fromA.send(announced)
    await world.pass(3000)
    expect(node.errors).toEqual([])
    expect(node.pool.byHash(hash)?.sidecar).toBeDefined()
    expect(node.peers.sent).toMatchObject([{ to: 'b', message: { ...announced } }])
  })

  it('without a request end the connection', async () => {
    const { world, a, fromA } = await blobStar(async () => {})
    fromA.send(whole(encoding))
    await world.pass(1000)
    expect(a.disconnects).toMatchObject([{ reason: 'breachOfProtocol' }])
  })

  it.each([
    ['with the blobs', encoding.length, 0],
    ['without the blobs', encodeTransaction(transaction).length, 0],
    ['of neither', encoding.length + 10, 1],
  ])('are announced with a size %s: %d bytes, %d disconnections', async (_, size, disconnections) => {
    const { world, a, fromA } = await blobStar(async () => {})
    fromA.send({ ...announced, forms: { types: Uint8Array.of(3), sizes: [size] } })
    await world.pass(3000)
    expect(a.disconnects).toHaveLength(disconnections)
  })

  it('with commitments of others end the connection, even where the pool would refuse the transaction', async () => {
    const wrong = {
      ...transaction,
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
      blobVersionedHashes: [new Uint8Array(32)],
    }
    const { world, a, fromA } = await blobStar(async () => {})
    const pooled = encodePooledTransaction({ transaction: wrong, sidecar })
    const hashes = [keccak256(encodeTransaction(wrong))]
    a.answer = (version, { requestId }) =>
      encodeEthMessage(version, {
        kind: 'pooledTransactions',
        requestId,
        transactions: [{ encoding: pooled, hash: hashes[0] as Uint8Array }],
      })
    fromA.send({ ...announced, hashes, forms: { types: Uint8Array.of(3), sizes: [pooled.length] } })
    await world.pass(3000)
    expect(a.disconnects).toMatchObject([{ reason: 'breachOfProtocol' }])
  })

  it('with wrong blobs end the connection, and the transaction is not remembered as refused', async () => {
    const { world, node, a, fromA } = await blobStar(async () => {
      throw new NodeError({ code: 'INVALID_BLOB_SIDECAR' }, 'wrong')
    })
    fromA.send(announced)
    await world.pass(3000)
    expect(a.disconnects).toMatchObject([{ reason: 'breachOfProtocol' }])
    expect(node.pool.size).toBe(0)
  })
})

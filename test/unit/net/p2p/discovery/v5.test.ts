// slow: signatures for many handshakes
import { beforeAll, describe, expect, it } from 'vitest'
import { installNodeCrypto } from '../../../../../adapters/server/crypto/crypto.ts'
import { createSigner } from '../../../../../src/base/ports/keySigner.ts'
import type { Signer } from '../../../../../src/base/ports/signer.ts'
import type { SocketAddress } from '../../../../../src/base/ports/tcpSockets.ts'
import {
  createRecord,
  decodeRecord,
  type NodeRecord,
  nodeHash,
} from '../../../../../src/net/p2p/discovery/nodeRecord.ts'
import { contactEntries } from '../../../../../src/net/p2p/discovery/recordEntries.ts'
import { logDistance } from '../../../../../src/net/p2p/discovery/table.ts'
import type { DiscoveryV5Event } from '../../../../../src/net/p2p/discovery/v5/contract.ts'
import { DiscoveryV5 } from '../../../../../src/net/p2p/discovery/v5/discovery.ts'
import { decodeMessageV5, encodeMessageV5, type MessageV5 } from '../../../../../src/net/p2p/discovery/v5/messages.ts'
import { type PacketV5, readPacketV5 } from '../../../../../src/net/p2p/discovery/v5/packet.ts'
import { Sessions } from '../../../../../src/net/p2p/discovery/v5/sessions.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'
import { DiscoveryNetwork } from './simulatedNodes.ts'

beforeAll(async () => {
  await installNodeCrypto()
})

const random = new SeededRandom(11)
const HOST = '10.0.0.1'

class Target {
  readonly signer: Signer = createSigner(random)
  readonly record: NodeRecord = createRecord(
    this.signer,
    3n,
    contactEntries({ host: HOST, udpPort: 9000, tcpPort: 9000 }),
  )
  readonly machine = new DiscoveryV5(
    { signer: this.signer, random, record: () => this.record, allows: () => true, acceptsRecord: () => true },
    { monotonicMs: 0, unixMs: 0 },
  )
  lost = 0
  nowMs = 0

  handle(event: DiscoveryV5Event): { readonly bytes: Uint8Array; readonly to: SocketAddress }[] {
    const effects = this.machine.handle(event, { monotonicMs: this.nowMs, unixMs: this.nowMs })
    this.lost += effects.filter(({ kind }) => kind === 'lost').length
    return effects.filter((effect) => effect.kind === 'send')
  }
}

/** A remote node that follows the protocol by hand. */
class Remote {
  readonly signer: Signer = createSigner(random)
  readonly id: Uint8Array = nodeHash(this.signer.publicKey)
  readonly address: SocketAddress
  readonly record: NodeRecord
  readonly sessions: Sessions
  readonly target: Target
  readonly targetId: Uint8Array

  constructor(target: Target, host: string) {
    this.target = target
    this.targetId = nodeHash(target.signer.publicKey)
    this.address = { host, port: 9000 }
    this.record = createRecord(this.signer, 1n, contactEntries({ host, udpPort: 9000 }))
    this.sessions = new Sessions(this.signer, random, () => this.record)
  }

  send(bytes: Uint8Array, from: SocketAddress = this.address): PacketV5[] {
    return this.target
      .handle({ kind: 'packet', bytes, from })
      .filter(({ to }) => to.host === from.host)
      .map((sent) => readPacketV5(this.id, sent.bytes) as PacketV5)
  }

  sealed(message: MessageV5): Uint8Array {
    return this.sessions.seal(this.targetId, { host: HOST, port: 9000 }, encodeMessageV5(message)).bytes
  }

  /** Sends with a handshake if one is asked for. */
  ask(message: MessageV5): MessageV5[] {
    const answer = this.send(this.sealed(message))
    if (answer[0]?.header.kind !== 'whoAreYou') return this.open(answer)
    const packet = this.sessions.answer(
      this.target.record,
      { host: HOST, port: 9000 },
      answer[0],
      encodeMessageV5(message),
    )
    return this.open(this.send(packet?.bytes as Uint8Array))
  }

  /** Answers a packet of the target as the protocol demands. @returns what the target then sends */
  follow(bytes: Uint8Array): { readonly bytes: Uint8Array; readonly to: SocketAddress }[] {
    const packet = readPacketV5(this.id, bytes) as PacketV5
    const { header } = packet
    const at = { host: HOST, port: 9000 }
    const opened =
      header.kind === 'handshake'
        ? this.sessions.complete(at, packet, this.target.nowMs)
        : this.sessions.open(this.targetId, at, packet)
    const message = opened && decodeMessageV5(opened.plain)
    const answer =
      opened === undefined
        ? this.sessions.challenge(this.targetId, at, header.nonce, undefined, this.target.nowMs)
        : this.sealed({ type: 'pong', requestId: message?.requestId as Uint8Array, enrSeq: 1n, ...this.address })
    return this.target.handle({ kind: 'packet', bytes: answer, from: this.address })
  }

  open(packets: readonly PacketV5[]): MessageV5[] {
    return packets.flatMap((packet) => {
      const opened = this.sessions.open(this.targetId, { host: HOST, port: 9000 }, packet)
      return opened === undefined ? [] : [decodeMessageV5(opened.plain) as MessageV5]
    })
  }
}

const ping = (byte: number): MessageV5 => ({ type: 'ping', requestId: Uint8Array.of(byte), enrSeq: 1n })

describe('discovery v5', () => {
  it('answers a ping after the handshake, and checks the sender in return', () => {
    const target = new Target()
    const remote = new Remote(target, '10.0.0.2')
    const [pong, back] = remote.ask(ping(7))
    expect(pong).toEqual({ type: 'pong', requestId: Uint8Array.of(7), enrSeq: 3n, host: '10.0.0.2', port: 9000 })
    expect(back).toMatchObject({ type: 'ping', enrSeq: 3n })
    remote.ask({ type: 'pong', requestId: back?.requestId as Uint8Array, enrSeq: 1n, host: HOST, port: 9000 })
    expect([...target.machine.table.nodes()].map(({ host }) => host)).toEqual(['10.0.0.2'])
    expect(remote.ask(ping(8))).toHaveLength(1)
  })

  it('binds a session to the address', () => {
    const target = new Target()
    const remote = new Remote(target, '10.0.0.2')
    remote.ask(ping(7))
    const [answer] = remote.send(remote.sealed(ping(8)), { host: '10.0.0.3', port: 9000 })
    expect(answer?.header).toMatchObject({ kind: 'whoAreYou', enrSeq: 0n })
  })

  it('repeats a challenge that is unanswered, for a limited time', () => {
    const target = new Target()
    const remote = new Remote(target, '10.0.0.2')
    const [first] = remote.send(remote.sealed(ping(1)))
    const [second] = remote.send(remote.sealed(ping(2)))
    expect(second).toEqual(first)
    target.nowMs += 2_000
    expect(remote.send(remote.sealed(ping(3)))[0]?.header.nonce).not.toEqual(first?.header.nonce)
  })

  it('refuses handshakes without a challenge, of others, and replays', () => {
    const target = new Target()
    const remote = new Remote(target, '10.0.0.2')
    const thief = new Remote(target, '10.0.0.2')
    const [challenge] = remote.send(remote.sealed(ping(1))) as [PacketV5]
    const to = { host: HOST, port: 9000 }
    const stolen = thief.sessions.answer(target.record, to, challenge, encodeMessageV5(ping(1)))
    expect(thief.send(stolen?.bytes as Uint8Array)).toEqual([])
    const valid = remote.sessions.answer(target.record, to, challenge, encodeMessageV5(ping(1)))?.bytes as Uint8Array
    expect(remote.send(valid, { host: '10.0.0.9', port: 9000 })).toEqual([])
    expect(remote.send(valid).length).toBeGreaterThan(0)
    expect(remote.send(valid)).toEqual([])
  })

  it('examines one handshake for each challenge', () => {
    const target = new Target()
    const remote = new Remote(target, '10.0.0.2')
    const to = { host: HOST, port: 9000 }
    const [challenge] = remote.send(remote.sealed(ping(1))) as [PacketV5]
    const valid = remote.sessions.answer(target.record, to, challenge, encodeMessageV5(ping(1)))?.bytes as Uint8Array
    const forged = valid.slice()
    forged[forged.length - 1] = (forged.at(-1) as number) ^ 1
    expect(remote.send(forged)).toEqual([])
    expect(remote.send(valid)).toEqual([])
    // The next message is challenged again.
    const other = new Remote(target, '10.0.0.3')
    expect(other.ask(ping(2))[0]).toMatchObject({ type: 'pong' })
    const [again] = remote.send(
      new Sessions(remote.signer, random, () => remote.record).seal(remote.targetId, to, encodeMessageV5(ping(3)))
        .bytes,
    )
    expect(again?.header.kind).toBe('whoAreYou')
  })

  it('answers messages and handshakes during a flood of handshakes that nothing has asked for', () => {
    const target = new Target()
    const remote = new Remote(target, '10.0.0.2')
    const [challenge] = remote.send(remote.sealed(ping(1))) as [PacketV5]
    const to = { host: HOST, port: 9000 }
    const packet = remote.sessions.answer(target.record, to, challenge, encodeMessageV5(ping(1)))?.bytes as Uint8Array
    for (let i = 0; i < 3000; i++)
      target.handle({ kind: 'packet', bytes: packet, from: { host: `10.1.${i >> 8}.${i & 255}`, port: 9 } })
    expect(new Remote(target, '10.0.0.3').ask(ping(2))[0]).toMatchObject({ type: 'pong' })
  })

  it('returns its own record for distance 0, and an empty answer to TALKREQ', () => {
    const target = new Target()
    const remote = new Remote(target, '10.0.0.2')
    const [nodes] = remote.ask({ type: 'findNode', requestId: new Uint8Array(0), distances: [0] })
    if (nodes?.type !== 'nodes') throw new Error(nodes?.type)
    expect([nodes.total, nodes.records.map((bytes) => decodeRecord(bytes).seq)]).toEqual([1, [3n]])
    const talk = {
      type: 'talkRequest',
      requestId: Uint8Array.of(9),
      protocol: random.bytes(4),
      data: random.bytes(9),
    } as const
    expect(remote.ask(talk)).toEqual([{ type: 'talkResponse', requestId: Uint8Array.of(9), data: new Uint8Array(0) }])
  })

  it('refuses request ids of 9 bytes', () => {
    const target = new Target()
    expect(new Remote(target, '10.0.0.2').ask({ type: 'ping', requestId: new Uint8Array(9), enrSeq: 0n })).toEqual([])
  })

  it('splits a long answer into packets of at most 1280 bytes', () => {
    const target = new Target()
    const remotes = Array.from({ length: 20 }, (_, i) => new Remote(target, `10.0.1.${i}`))
    for (const remote of remotes) {
      const back = remote.ask(ping(1)).find(({ type }) => type === 'ping')
      remote.ask({ type: 'pong', requestId: back?.requestId as Uint8Array, enrSeq: 1n, host: HOST, port: 9000 })
    }
    const distances = Array.from({ length: 256 }, (_, i) => i + 1)
    const remote = remotes[0] as Remote
    const answers = remote.ask({ type: 'findNode', requestId: Uint8Array.of(1), distances })
    const counts = answers.map((answer) => (answer.type === 'nodes' ? [answer.total, answer.records.length] : []))
    expect(counts.every(([total]) => total === answers.length)).toBe(true)
    expect(counts.reduce((sum, [, records = 0]) => sum + records, 0)).toBe(16)
    for (const answer of answers) expect(encodeMessageV5(answer).length).toBeLessThan(1180)
  })

  it('ignores records at other distances than the requested ones', () => {
    const target = new Target()
    const remote = new Remote(target, '10.0.0.2')
    const back = remote.ask(ping(1)).find(({ type }) => type === 'ping')
    remote.ask({ type: 'pong', requestId: back?.requestId as Uint8Array, enrSeq: 1n, host: HOST, port: 9000 })
    target.nowMs = 10_000
    const [question] = remote.open(
      target.handle({ kind: 'tick' }).map(({ bytes }) => readPacketV5(remote.id, bytes) as PacketV5),
    )
    if (question?.type !== 'findNode') throw new Error(question?.type)
    const others = Array.from({ length: 8 }, (_, i) => new Remote(target, `10.0.2.${i}`))
    const records = others.map((other) => other.record.bytes)
    remote.ask({ type: 'nodes', requestId: question.requestId, total: 1, records })
    const fitting = others.filter(({ id }) => question.distances.includes(logDistance(remote.id, id)))
    expect(target.machine.pending).toBe(fitting.length)
  })

  it('removes a node that fails three times in a row', () => {
    const target = new Target()
    const remote = new Remote(target, '10.0.0.2')
    const back = remote.ask(ping(1)).find(({ type }) => type === 'ping')
    remote.ask({ type: 'pong', requestId: back?.requestId as Uint8Array, enrSeq: 1n, host: HOST, port: 9000 })
    for (let i = 0; i < 200; i++) {
      target.nowMs += 500
      target.handle({ kind: 'tick' })
    }
    expect([target.machine.table.size, target.lost, target.machine.pending]).toEqual([0, 1, 0])
  })

  it('answers nodes with a session during a flood, within bounded memory', () => {
    const target = new Target()
    const honest = new Remote(target, '10.0.0.2')
    honest.ask(ping(1))
    const bytes = new Remote(target, '10.0.0.3').sealed(ping(1))
    let answers = 0
    for (let i = 0; i < 5_000; i++) {
      answers += target.handle({ kind: 'packet', bytes, from: { host: `10.1.${i >> 8}.${i & 255}`, port: 1 } }).length
    }
    expect(answers).toBeLessThanOrEqual(1_000)
    expect(honest.ask(ping(2))).toHaveLength(1)
  })

  it('checks the nodes of records during a flood of 500 packets per second', () => {
    const target = new Target()
    const bytes = new Remote(target, '10.0.0.3').sealed(ping(1))
    let junkCount = 0
    const junk = (): void => {
      const i = junkCount++
      target.handle({ kind: 'packet', bytes, from: { host: `10.1.${i >> 8}.${i & 255}`, port: 1 } })
    }
    for (let i = 0; i < 1_000; i++) junk()
    const remotes = Array.from({ length: 5 }, (_, i) => new Remote(target, `10.0.2.${i}`))
    let sent = target.handle({ kind: 'contacts', records: remotes.map(({ record }) => record) })
    for (let ms = 0; ms < 400; ms++) {
      if (ms % 2 === 0) junk()
      sent = sent.flatMap(
        ({ bytes, to }) => remotes.find(({ address }) => address.host === to.host)?.follow(bytes) ?? [],
      )
      target.nowMs++
    }
    expect(target.machine.table.size).toBe(5)
  })

  it('20 nodes exchange records on a network with loss', async () => {
    const net = new DiscoveryNetwork(4)
    const boot = await net.start({ isV5Enabled: true })
    const nodes = [boot]
    while (nodes.length < 20) nodes.push(await net.start({ isV5Enabled: true, bootnodes: [boot.contact] }))
    await net.world.pass(120_000)
    for (const { service } of nodes) expect(service.recordNodes.length).toBeGreaterThanOrEqual(15)
    for (const { service } of nodes) await service.close()
  }, 120_000)
})

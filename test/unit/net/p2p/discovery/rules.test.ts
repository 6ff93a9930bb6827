// slow: thousands of endpoints
import { describe, expect, it } from 'vitest'
import { createRecord } from '../../../../../src/net/p2p/discovery/nodeRecord.ts'
import { contactEntries } from '../../../../../src/net/p2p/discovery/recordEntries.ts'
import { createPacket } from '../../../../../src/net/p2p/discovery/v4/packet.ts'
import { Machine, Peer, type Sent } from './machine.ts'

const types = (sent: readonly Sent[]): string[] => sent.map(({ message }) => message.type)
const only = (sent: readonly Sent[], type: string): Sent => {
  const found = sent.filter(({ message }) => message.type === type)
  if (found.length !== 1) throw new Error(`${found.length} packets of type ${type}`)
  return found[0] as Sent
}

/** A ping with a correct hash and an impossible signature, so that the test is fast. */
function junkPing(machine: Machine): Uint8Array {
  const endpoint = { host: '10.0.0.9', udpPort: 1, tcpPort: 1 }
  const message = { type: 'ping', from: endpoint, to: endpoint, expiration: machine.expiration, enrSeq: 1n } as const
  const signature = new Uint8Array(64)
  const signer = { ...machine.signer, sign: () => ({ signature, yParity: 0 }) as const }
  return createPacket(signer, message).bytes
}

describe('bonding', () => {
  it('answers a ping with its hash and asks for a proof in return', () => {
    const machine = new Machine()
    const peer = new Peer(machine, '10.0.0.2')
    const answer = peer.ping()
    expect(types(answer)).toEqual(['pong', 'ping'])
    const pong = only(answer, 'pong').message
    expect(pong).toMatchObject({ to: { host: '10.0.0.2', udpPort: 30303 }, enrSeq: 1n, expiration: machine.expiration })
    peer.send(peer.pongTo(only(answer, 'ping')))
    expect(machine.machine.table.size).toBe(1)
    expect(machine.count('found')).toBe(1)
  })

  it('answers queries only after the proof', () => {
    const machine = new Machine()
    const peer = new Peer(machine, '10.0.0.2')
    const enrRequest = { type: 'enrRequest', expiration: machine.expiration } as const
    expect([...peer.findNode(), ...peer.send(enrRequest)]).toEqual([])
    peer.ping()
    expect([...peer.findNode(), ...peer.send(enrRequest)]).toEqual([])
    machine.pass(10_000)
    peer.bond()
    expect(types(peer.findNode())).toEqual(['neighbors'])
    expect(types(peer.send(enrRequest))).toEqual(['enrResponse'])
  })

  it('the proof holds for one address and 12 hours', () => {
    const machine = new Machine()
    const peer = new Peer(machine, '10.0.0.2')
    peer.bond()
    const query = { type: 'findNode', target: peer.contact.id, expiration: machine.expiration } as const
    expect(peer.send(query, { host: '10.0.0.9', port: 30303 })).toEqual([])
    expect(peer.send(query, { host: '10.0.0.2', port: 30304 })).toEqual([])
    machine.nowMs += 12 * 3600 * 1000 + 1
    expect(types(peer.findNode())).not.toContain('neighbors')
  })

  it('another node at the address of a proven one gets no answer', () => {
    const machine = new Machine()
    new Peer(machine, '10.0.0.2').bond()
    expect(new Peer(machine, '10.0.0.2').findNode()).toEqual([])
  })

  it.each(['another key', 'another address', 'an unknown hash', 'a replay', 'too late'])(
    'refuses a pong with %s',
    (fault) => {
      const machine = new Machine()
      const peer = new Peer(machine, '10.0.0.2')
      const ping = only(peer.ping(), 'ping')
      const pong = peer.pongTo(ping)
      if (fault === 'another key') new Peer(machine, '10.0.0.2').send(new Peer(machine, '10.0.0.2').pongTo(ping))
      if (fault === 'another address') peer.send(pong, { host: '10.0.0.3', port: 30303 })
      if (fault === 'an unknown hash') peer.send(peer.pongTo({ ...ping, hash: new Uint8Array(32) }))
      if (fault === 'too late') {
        machine.pass(10_000)
        peer.send(peer.pongTo(ping))
      }
      if (fault === 'a replay') {
        const bytes = peer.packet(pong).bytes
        machine.handle({ kind: 'packet', bytes, from: peer.address })
        machine.nowMs += 13 * 3600 * 1000
        machine.handle({ kind: 'packet', bytes, from: peer.address })
      }
      expect(peer.findNode()).toEqual([])
      expect(machine.machine.table.size).toBe(fault === 'a replay' ? 1 : 0)
    },
  )

  it('drops expired packets, its own, and those of banned nodes', () => {
    const banned = new Set<string>()
    const machine = new Machine({ allows: (_, host) => !banned.has(host) })
    const peer = new Peer(machine, '10.0.0.2')
    expect(peer.ping(undefined, machine.expiration - 61)).toEqual([])
    expect(types(peer.ping(undefined, machine.expiration - 60))).toEqual(['pong', 'ping'])
    banned.add('10.0.0.3')
    expect(new Peer(machine, '10.0.0.3').ping()).toEqual([])
    machine.handle({ kind: 'contacts', nodes: [{ ...peer.contact, id: machine.signer.publicKey }] })
    expect(machine.machine.pending).toBe(1)
  })
})

describe('bans', () => {
  it('remove a node within a minute', () => {
    const banned = new Set<string>()
    const machine = new Machine({ allows: (_, host) => !banned.has(host) })
    const peer = new Peer(machine, '10.0.0.2')
    peer.bond()
    banned.add('10.0.0.2')
    expect(peer.findNode()).toEqual([])
    machine.pass(60_000)
    expect([machine.machine.table.size, machine.count('lost')]).toEqual([0, 1])
  })
})

describe('records', () => {
  const forkId = { hash: Uint8Array.of(1, 2, 3, 4), next: 0n }

  it('asks for a record that is announced and reports the node with it', () => {
    const machine = new Machine()
    const peer = new Peer(machine, '10.0.0.2')
    const request = only(peer.bond(5n), 'enrRequest')
    expect(machine.count('found')).toBe(0)
    const record = createRecord(peer.signer, 5n, contactEntries(peer.contact, forkId))
    peer.send({ type: 'enrResponse', requestHash: request.hash, record: record.bytes })
    expect(machine.effects.at(-1)).toMatchObject({ kind: 'found', node: { record: { seq: 5n } } })
    expect(types(peer.ping(5n))).toEqual(['pong'])
    expect(types(peer.ping(6n))).toEqual(['pong', 'enrRequest'])
  })

  it('reports a node that does not send its record', () => {
    const machine = new Machine()
    new Peer(machine, '10.0.0.2').bond(5n)
    machine.pass(6_000)
    expect(machine.count('found')).toBe(1)
  })

  it('refuses the record of another node', () => {
    const machine = new Machine()
    const peer = new Peer(machine, '10.0.0.2')
    const request = only(peer.bond(5n), 'enrRequest')
    const { bytes } = createRecord(new Peer(machine, '10.0.0.3').signer, 5n, new Map())
    peer.send({ type: 'enrResponse', requestHash: request.hash, record: bytes })
    expect(machine.count('found')).toBe(0)
  })

  it('removes nodes of other chains and does not bond with them again', () => {
    const machine = new Machine({ acceptsRecord: () => false })
    const peer = new Peer(machine, '10.0.0.2')
    const request = only(peer.bond(5n), 'enrRequest')
    const { bytes } = createRecord(peer.signer, 5n, contactEntries(peer.contact, forkId))
    peer.send({ type: 'enrResponse', requestHash: request.hash, record: bytes })
    expect(machine.machine.table.size).toBe(0)
    expect([machine.count('found'), machine.effects.filter(({ kind }) => kind === 'lost').length]).toEqual([0, 1])
    expect(types(peer.ping(5n))).toEqual(['pong'])
    expect(peer.findNode()).toEqual([])
    machine.pass(31 * 60_000)
    expect(types(peer.ping(5n))).toEqual(['pong', 'ping'])
  })
})

describe('lookups', () => {
  it('starts when a bootnode answers, and not for nodes that contact this one', () => {
    const machine = new Machine()
    expect(types(new Peer(machine, '10.0.0.2').bond())).toEqual([])
    const boot = new Peer(machine, '10.0.0.3')
    const ping = only(machine.handle({ kind: 'contacts', nodes: [boot.contact] }), 'ping')
    boot.send(boot.pongTo(ping))
    const queries = machine.pass(600).filter(({ message }) => message.type === 'findNode')
    expect(queries[0]?.message).toMatchObject({ target: machine.signer.publicKey })
  })

  it('asks nodes that it hears of after their proof, and collects two packets of an answer', () => {
    const machine = new Machine()
    const peer = new Peer(machine, '10.0.0.2')
    peer.bond()
    const target = machine.random.bytes(64)
    const query = only(machine.handle({ kind: 'lookup', target }), 'findNode')
    expect(query.message).toMatchObject({ target })
    const others = Array.from({ length: 3 }, (_, i) => new Peer(machine, `10.0.1.${i}`))
    const { expiration } = machine
    peer.send({ type: 'neighbors', nodes: others.slice(0, 2).map(({ contact }) => contact), expiration })
    peer.send({ type: 'neighbors', nodes: others.slice(1).map(({ contact }) => contact), expiration })
    const pings = machine.pass(300)
    expect(pings.map(({ to }) => to.host).sort()).toEqual(['10.0.1.0', '10.0.1.1', '10.0.1.2'])
    for (const other of others) {
      const ping = pings.find(({ to }) => to.host === other.address.host) as Sent
      // They have not proven this node: it waits for their ping.
      expect(types(other.send(other.pongTo(ping)))).toEqual([])
    }
    expect(types(machine.pass(500))).toEqual(['findNode', 'findNode', 'findNode'])
    expect(machine.machine.table.size).toBe(4)
  })

  it('ignores neighbours that were not asked for or that the sender must not name', () => {
    const machine = new Machine()
    const peer = new Peer(machine, '8.8.8.8')
    const nodes = ['127.0.0.1', '10.0.0.9', '0.0.0.0', '255.255.255.255', '::1', 'fe80::1'].map(
      (host) => new Peer(machine, host).contact,
    )
    const { expiration } = machine
    peer.send({ type: 'neighbors', nodes, expiration })
    peer.bond()
    peer.send({ type: 'neighbors', nodes, expiration })
    expect(types(machine.pass(400))).not.toContain('ping')
    expect(machine.machine.pending).toBeLessThan(2)
  })

  it('names no local addresses to remote nodes', () => {
    const machine = new Machine()
    new Peer(machine, '10.0.0.2').bond()
    const [near, far] = [new Peer(machine, '10.0.0.3'), new Peer(machine, '8.8.8.8')]
    near.bond()
    far.bond()
    const named = (peer: Peer): string[] => {
      const { message } = only(peer.findNode(), 'neighbors')
      return message.type === 'neighbors' ? message.nodes.map(({ host }) => host).sort() : []
    }
    expect(named(near)).toEqual(['10.0.0.2', '10.0.0.3', '8.8.8.8'])
    expect(named(far)).toEqual(['8.8.8.8'])
  })

  it('ends although every node names nodes that do not exist', () => {
    const machine = new Machine()
    const liar = new Peer(machine, '10.0.0.2')
    liar.bond()
    machine.handle({ kind: 'lookup', target: new Uint8Array(64).fill(1) })
    let host = 0
    for (let round = 0; round < 400; round++) {
      const nodes = Array.from({ length: 16 }, () => ({
        ...liar.contact,
        id: machine.random.bytes(64),
        host: `10.9.${host >> 8}.${host++ & 255}`,
      }))
      liar.send({ type: 'neighbors', nodes, expiration: machine.expiration })
      machine.pass(1_000)
    }
    expect(machine.count('lookupDone')).toBeGreaterThanOrEqual(1)
    expect(machine.machine.pending).toBeLessThanOrEqual(256)
  })
})

describe('floods and amplification', () => {
  it('sends one ping to a silent sender and nothing that is larger than its packets', () => {
    const machine = new Machine()
    const peer = new Peer(machine, '10.0.0.2')
    const answers = Array.from({ length: 20 }, () => peer.ping()).flat()
    expect(types(answers).filter((type) => type === 'ping')).toHaveLength(1)
    expect(types(machine.pass(60_000))).toEqual([])
    expect(answers.every(({ size }) => size < 200)).toBe(true)
  })

  it('bounds the packets of a host per second', () => {
    const machine = new Machine()
    const peer = new Peer(machine, '10.0.0.2')
    const pongs = Array.from({ length: 400 }, () => peer.ping())
      .flat()
      .filter(({ message }) => message.type === 'pong')
    expect(pongs).toHaveLength(300)
    machine.pass(500)
    expect(
      Array.from({ length: 100 }, () => peer.ping())
        .flat()
        .filter(({ message }) => message.type === 'pong'),
    ).toHaveLength(50)
  })

  it('answers proven nodes during a flood from forged addresses, within bounded memory', () => {
    const machine = new Machine()
    const honest = new Peer(machine, '10.0.0.2')
    honest.bond()
    const forged = new Peer(machine, '10.0.0.3')
    const bytes = forged.packet({
      type: 'ping',
      from: { host: '10.0.0.3', udpPort: 1, tcpPort: 1 },
      to: { host: '10.0.0.1', udpPort: 1, tcpPort: 1 },
      expiration: machine.expiration,
      enrSeq: undefined,
    }).bytes
    let answers = 0
    for (let i = 0; i < 5000; i++) {
      const from = { host: `10.${1 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`, port: 30303 }
      answers += machine.handle({ kind: 'packet', bytes, from }).length
    }
    expect(answers).toBeLessThan(1_100)
    expect(machine.machine.pending).toBeLessThanOrEqual(70)
    expect(types(honest.findNode())).toEqual(['neighbors'])
  }, 20_000)

  it('bonds with the nodes that it contacts during a flood of 500 packets per second', () => {
    const machine = new Machine()
    const nodes = Array.from({ length: 20 }, (_, i) => new Peer(machine, `10.0.1.${i}`))
    const bytes = junkPing(machine)
    let junkCount = 0
    const junk = (): void => {
      const i = junkCount++
      const from = { host: `10.${2 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`, port: 30303 }
      machine.handle({ kind: 'packet', bytes, from })
    }
    for (let i = 0; i < 1_000; i++) junk()
    const answer = (sent: readonly Sent[]): void => {
      for (const ping of sent) {
        const node = nodes.find(({ address }) => address.host === ping.to.host)
        if (node !== undefined && ping.message.type === 'ping') node.send(node.pongTo(ping))
      }
    }
    let sent = machine.handle({ kind: 'contacts', nodes: nodes.map(({ contact }) => contact) })
    for (let ms = 0; ms < 6_000; ms++) {
      if (ms % 2 === 0) junk()
      answer(sent)
      sent = machine.pass(1)
    }
    expect(junkCount).toBe(4_000)
    expect(machine.machine.table.size).toBe(20)
  })
})

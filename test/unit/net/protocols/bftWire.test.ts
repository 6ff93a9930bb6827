import { describe, expect, it } from 'vitest'
import type { BftPacket, BftProtocol } from '../../../../src/consensus/bft/messages/packets.ts'
import { BFT_CAPABILITIES, type BftPeer, BftWire } from '../../../../src/net/protocols/bftWire.ts'

const address = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)
const packet = (protocol: BftProtocol, code: number): BftPacket => ({ protocol, code, payload: Uint8Array.of(0xc0) })
const PREPARE = packet('qbft', 0x13)

class FakePeer implements BftPeer {
  readonly id: string
  readonly address: Uint8Array
  readonly protocols: ReadonlySet<BftProtocol>
  readonly sent: BftPacket[] = []
  readonly heights: number[] = []
  readonly refusals: string[] = []

  constructor(byte: number, ...protocols: BftProtocol[]) {
    this.id = `peer ${byte}`
    this.address = address(byte)
    this.protocols = new Set(protocols)
  }

  send(sent: BftPacket): void {
    this.sent.push(sent)
  }

  sawHeight(height: number): void {
    this.heights.push(height)
  }

  refuse(reason: string): void {
    this.refusals.push(reason)
  }

  charge(): void {}
}

function network() {
  const peers = [1, 2, 3].map((byte) => new FakePeer(byte, 'qbft'))
  const wire = new BftWire()
  for (const peer of peers) wire.add(peer)
  return { wire, peers, sent: () => peers.map((peer) => peer.sent.length) }
}

it('names the capabilities', () => {
  expect(BFT_CAPABILITIES.ibft2).toEqual({ name: 'IBF', version: 1, codeCount: 4, protocol: 'ibft2' })
  expect(BFT_CAPABILITIES.qbft).toEqual({ name: 'istanbul', version: 100, codeCount: 22, protocol: 'qbft' })
})

describe('packets that are sent', () => {
  const validators = [1, 2, 4].map(address)

  it('go to connected validators only', () => {
    const { wire, sent } = network()
    wire.send(PREPARE, { validators, except: [], exceptPeer: undefined })
    expect(sent()).toEqual([1, 1, 0])
  })

  it('leave out authors and the peer from which they came', () => {
    const { wire, sent } = network()
    wire.send(PREPARE, { validators, except: [address(1)], exceptPeer: undefined })
    expect(sent()).toEqual([0, 1, 0])
    wire.send(PREPARE, { validators, except: [], exceptPeer: 'peer 2' })
    expect(sent()).toEqual([1, 1, 0])
  })

  it('need the capability and the connection', () => {
    const { wire, sent } = network()
    wire.send(packet('ibft2', 1), { validators, except: [], exceptPeer: undefined })
    wire.remove('peer 1')
    wire.send(PREPARE, { validators, except: [], exceptPeer: undefined })
    expect(sent()).toEqual([0, 1, 0])
  })
})

describe('packets that are received', () => {
  it('are passed on with the name of the peer while the network is open', () => {
    const { wire } = network()
    const received: [BftPacket, string][] = []
    expect(wire.receive('peer 1', PREPARE)).toBe(true)
    wire.open({ receive: (one, peer) => void received.push([one, peer]), connected() {} })
    expect(wire.receive('peer 1', PREPARE)).toBe(true)
    wire.remove('peer 2')
    wire.receive('peer 2', PREPARE)
    wire.close()
    wire.receive('peer 1', PREPARE)
    expect(received).toEqual([[PREPARE, 'peer 1']])
  })

  it('are refused when their code has no message', () => {
    const { wire } = network()
    const accepted = (protocol: BftProtocol) =>
      Array.from({ length: 24 }, (_, code) => code).filter((code) => wire.receive('peer 1', packet(protocol, code)))
    expect(accepted('ibft2')).toEqual([0, 1, 2, 3])
    expect(accepted('qbft')).toEqual([0x12, 0x13, 0x14, 0x15])
  })

  it('report heights and malformed messages to their peer', () => {
    const { wire, peers } = network()
    wire.sawHeight('peer 3', 12)
    wire.sawHeight('nobody', 13)
    wire.refuse('peer 2', 'malformed')
    wire.refuse('nobody', 'malformed')
    expect(peers.map(({ heights }) => heights)).toEqual([[], [], [12]])
    expect(peers.map(({ refusals }) => refusals)).toEqual([[], ['malformed'], []])
  })

  it('name each peer that connects while the network is open', () => {
    const { wire } = network()
    const connected: Uint8Array[] = []
    wire.open({ receive() {}, connected: (address) => void connected.push(address) })
    wire.add(new FakePeer(4, 'qbft'))
    wire.close()
    wire.add(new FakePeer(5, 'qbft'))
    expect(connected).toEqual([address(4)])
  })
})

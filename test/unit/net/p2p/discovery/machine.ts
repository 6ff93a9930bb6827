import { createSigner } from '../../../../../src/base/ports/keySigner.ts'
import type { Signer } from '../../../../../src/base/ports/signer.ts'
import type { SocketAddress } from '../../../../../src/base/ports/tcpSockets.ts'
import { createRecord } from '../../../../../src/net/p2p/discovery/nodeRecord.ts'
import { contactEntries } from '../../../../../src/net/p2p/discovery/recordEntries.ts'
import type { NodeContact } from '../../../../../src/net/p2p/discovery/table.ts'
import type {
  DiscoveryEffect,
  DiscoveryEvent,
  DiscoveryOptions,
} from '../../../../../src/net/p2p/discovery/v4/contract.ts'
import { DiscoveryV4 } from '../../../../../src/net/p2p/discovery/v4/discovery.ts'
import type { Message } from '../../../../../src/net/p2p/discovery/v4/messages.ts'
import { createPacket, readPacket, type SignedPacket } from '../../../../../src/net/p2p/discovery/v4/packet.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'

const START_MS = Date.UTC(2026, 0, 1)

export interface Sent {
  readonly message: Message
  readonly hash: Uint8Array
  readonly size: number
  readonly to: SocketAddress
}

/** The state machine, driven by hand. */
export class Machine {
  readonly random = new SeededRandom(42)
  readonly signer: Signer = createSigner(this.random)
  readonly machine: DiscoveryV4
  readonly effects: DiscoveryEffect[] = []
  nowMs = 0

  constructor(settings: Partial<DiscoveryOptions> = {}) {
    const self = { host: '10.0.0.1', udpPort: 30303, tcpPort: 30303 }
    const record = createRecord(this.signer, 1n, contactEntries(self))
    this.machine = new DiscoveryV4(
      {
        signer: this.signer,
        random: this.random,
        self,
        bootnodes: [],
        record: () => record,
        allows: () => true,
        acceptsRecord: () => true,
        ...settings,
      },
      this.#moment(),
    )
  }

  #moment(): { readonly monotonicMs: number; readonly unixMs: number } {
    return { monotonicMs: this.nowMs, unixMs: START_MS + this.nowMs }
  }

  get expiration(): number {
    return Math.floor(this.#moment().unixMs / 1000) + 60
  }

  /** @returns the packets that are sent in answer */
  handle(event: DiscoveryEvent): Sent[] {
    const effects = this.machine.handle(event, this.#moment())
    this.effects.push(...effects)
    return effects.flatMap((effect) => {
      const packet = effect.kind === 'send' ? readPacket(effect.bytes) : undefined
      if (effect.kind !== 'send' || packet === undefined) return []
      return [{ message: packet.message, hash: packet.hash, size: effect.bytes.length, to: effect.to }]
    })
  }

  /** Runs the ticks of a period. */
  pass(ms: number): Sent[] {
    const end = this.nowMs + ms
    const sent: Sent[] = []
    while (this.machine.nextAtMs <= end) {
      this.nowMs = Math.max(this.nowMs, this.machine.nextAtMs)
      sent.push(...this.handle({ kind: 'tick' }))
    }
    this.nowMs = end
    return sent
  }

  count(kind: DiscoveryEffect['kind']): number {
    return this.effects.filter((effect) => effect.kind === kind).length
  }
}

/** A remote node that sends what a test wants. */
export class Peer {
  readonly machine: Machine
  readonly signer: Signer
  readonly address: SocketAddress
  readonly contact: NodeContact

  constructor(machine: Machine, host: string, port = 30303) {
    this.machine = machine
    this.signer = createSigner(machine.random)
    this.address = { host, port }
    this.contact = { id: this.signer.publicKey, host, udpPort: port, tcpPort: port }
  }

  packet(message: Message): SignedPacket {
    return createPacket(this.signer, message)
  }

  send(message: Message, from: SocketAddress = this.address): Sent[] {
    return this.machine.handle({ kind: 'packet', bytes: this.packet(message).bytes, from })
  }

  ping(enrSeq?: bigint, expiration: number = this.machine.expiration): Sent[] {
    const from = { host: this.address.host, udpPort: this.address.port, tcpPort: this.address.port }
    return this.send({ type: 'ping', from, to: { ...from, host: '10.0.0.1' }, expiration, enrSeq })
  }

  pongTo(ping: Sent, enrSeq?: bigint): Message {
    const { host, udpPort, tcpPort } = this.contact
    return {
      type: 'pong',
      to: { host, udpPort, tcpPort },
      pingHash: ping.hash,
      expiration: this.machine.expiration,
      enrSeq,
    }
  }

  /** Exchanges the endpoint proofs in both directions. */
  bond(enrSeq?: bigint): Sent[] {
    const ping = this.ping(enrSeq).find(({ message }) => message.type === 'ping')
    return ping === undefined ? [] : this.send(this.pongTo(ping, enrSeq))
  }

  findNode(target: Uint8Array = this.contact.id): Sent[] {
    return this.send({ type: 'findNode', target, expiration: this.machine.expiration })
  }
}

/**
 * The inbox of a validator among honest peers and loud ones: strangers, and a validator that sends what it has heard under
 * another code before anyone else. However much they send, every message of an honest peer is read, once.
 */
import { KeySigner } from '../../../src/base/ports/keySigner.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import type { BftPacket } from '../../../src/consensus/bft/messages/packets.ts'
import { BftInbox } from '../../../src/sealing/bft/inbox.ts'
import { PeerQueues } from '../../../src/sealing/bft/peerQueues.ts'
import { agreementContext, PROTOCOLS, packetOf } from '../../../src/sealing/bft/protocols.ts'
import { SeededRandom } from '../seededRandom.ts'

export type InboxFault =
  /** All peers share one queue: the message that finds it full is dropped. */
  | 'oneQueue'
  /** A payload counts as known under whatever code it came first. */
  | 'codeIgnored'

export interface InboxReport {
  /** The violated invariant; undefined: none. */
  readonly problem: string | undefined
  readonly honest: number
  readonly hostile: number
}

const LIMITS = { messageQueueLimit: 40, duplicateMessageLimit: 1000, gossipedHistoryLimit: 1000 }
const STEPS = 40
/** Messages that the validator reads in one step. */
const READS = 12
const HEIGHT = 1
const SIGNERS = [1, 2, 3, 4, 5].map((byte) => new KeySigner(new Uint8Array(32).fill(byte)))
const STRANGER = new KeySigner(new Uint8Array(32).fill(9))
const VALIDATORS = SIGNERS.map(({ address }) => address)

export function runInboxFlood(seed: number, fault?: InboxFault): InboxReport {
  const restore = fault === 'oneQueue' ? shareQueue() : () => {}
  try {
    return new InboxFlood(seed, fault === 'codeIgnored').run()
  } finally {
    restore()
  }
}

/** @returns removes the fault */
function shareQueue(): () => void {
  const { prototype } = PeerQueues
  const { add } = prototype
  const counts = new WeakMap<PeerQueues, number>()
  const { next } = prototype
  prototype.add = function (packet, peer) {
    const count = counts.get(this) ?? 0
    if (count >= LIMITS.messageQueueLimit) return false
    counts.set(this, count + 1)
    return add.call(this, packet, peer)
  }
  prototype.next = function () {
    counts.set(this, Math.max(0, (counts.get(this) ?? 0) - 1))
    return next.call(this)
  }
  return () => Object.assign(prototype, { add, next })
}

class InboxFlood {
  readonly #random: SeededRandom
  readonly #protocol
  readonly #ignoresCodes: boolean
  readonly #inbox: BftInbox
  readonly #expected = new Set<string>()
  readonly #payloads = new Set<string>()
  #problem: string | undefined
  #honest = 0
  #hostile = 0
  #round = 0

  constructor(seed: number, ignoresCodes: boolean) {
    this.#random = new SeededRandom(seed)
    this.#protocol = PROTOCOLS[this.#random.chance(0.5) ? 'ibft2' : 'qbft']
    this.#ignoresCodes = ignoresCodes
    const network = { refuse: (peer: string, reason: string) => this.#refused(peer, reason), charge: () => {} }
    this.#inbox = new BftInbox(LIMITS, { network, clock: { monotonic: () => 0 }, logger: silentLogger })
  }

  run(): InboxReport {
    for (let step = 0; step < STEPS; step++) {
      if (this.#random.chance(0.5)) this.#flood()
      // A validator has few messages at a time.
      for (const [i] of SIGNERS.entries()) if (this.#random.chance(0.3)) this.#sendHonest(i)
      if (this.#random.chance(0.5)) this.#flood()
      this.#read(READS)
    }
    this.#read(Number.POSITIVE_INFINITY)
    if (this.#expected.size > 0) this.#problem ??= `${this.#expected.size} messages of honest peers were lost`
    return { problem: this.#problem, honest: this.#honest, hostile: this.#hostile }
  }

  #packet(signer: KeySigner): BftPacket {
    const context = agreementContext(this.#protocol, signer)
    const digest = new Uint8Array(32).fill(this.#random.below(256))
    const view = { height: HEIGHT, round: this.#round++, digest } as const
    const kind = this.#random.chance(0.5) ? 'prepare' : 'commit'
    const signed =
      kind === 'prepare'
        ? context.sign({ kind: 'prepare', ...view } as const)
        : context.sign({ kind: 'commit', ...view, seal: context.seal(digest) } as const)
    return packetOf({ kind, signed } as Parameters<typeof packetOf>[0], this.#protocol)
  }

  #sendHonest(i: number): void {
    const packet = this.#packet(SIGNERS[i] as KeySigner)
    if (this.#random.chance(0.3)) this.#add(this.#relabelled(packet), 'relay')
    this.#honest++
    this.#expected.add(bytesToHex(packet.payload))
    this.#add(packet, `honest ${i}`)
  }

  #relabelled(packet: BftPacket): BftPacket {
    const { codes } = this.#protocol.codec
    const others = Object.values(codes).filter((code) => code !== packet.code)
    return { ...packet, code: others[this.#random.below(others.length)] as number }
  }

  #flood(): void {
    const peer = `loud ${this.#random.below(3)}`
    const packet = this.#packet(STRANGER)
    for (let i = this.#random.below(3 * LIMITS.messageQueueLimit); i > 0; i--) this.#add(packet, peer)
  }

  #add(packet: BftPacket, peer: string): void {
    if (!peer.startsWith('honest')) this.#hostile++
    const payload = bytesToHex(packet.payload)
    if (this.#ignoresCodes && this.#payloads.has(payload) && peer.startsWith('honest')) return
    this.#payloads.add(payload)
    this.#inbox.add(packet, peer)
  }

  #read(count: number): void {
    for (let i = 0; i < count && !this.#inbox.isEmpty; i++) {
      const received = this.#inbox.next({ height: HEIGHT, validators: VALIDATORS })
      if (received === undefined) continue
      const payload = bytesToHex(received.encoded)
      if (!this.#expected.delete(payload)) this.#problem ??= `a message of ${received.from} was read twice`
    }
  }

  #refused(peer: string, reason: string): void {
    if (peer.startsWith('honest')) this.#problem ??= `${peer} was refused: ${reason}`
  }
}

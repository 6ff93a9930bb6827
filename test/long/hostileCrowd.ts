/**
 * Many hostile connections to running nodes, in a process of their own.
 *
 *   hostileCrowd <file with CrowdOptions as JSON>
 *
 * Prints what was sent as JSON at the end.
 */
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { installNodeCrypto } from '../../adapters/server/crypto/crypto.ts'
import { KeySigner } from '../../src/base/ports/keySigner.ts'
import type { Signer } from '../../src/base/ports/signer.ts'
import { hexToBytes } from '../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../src/base/primitives/keccak.ts'
import { rlpDecode } from '../../src/base/primitives/rlp.ts'
import { IBFT2, QBFT } from '../../src/consensus/bft/flavour.ts'
import { bftBlockHash } from '../../src/consensus/bft/hashes.ts'
import type { OfferedCapability } from '../../src/net/p2p/rlpx/capabilities.ts'
import { BFT_CAPABILITIES } from '../../src/net/protocols/bftWire.ts'
import { decodeEthMessage } from '../../src/net/protocols/eth/codec.ts'
import type { NewBlock } from '../../src/net/protocols/eth/messages.ts'
import { type EthVersion, ethVersion } from '../../src/net/protocols/eth/versions.ts'
import { SNAP_CODE_COUNT } from '../../src/net/protocols/snap/messages.ts'
import { SeededRandom } from '../simulation/seededRandom.ts'
import { type SocketAddress, SocketPeer, type SocketPeerOptions } from '../support/peers/socketPeer.ts'
import { HOSTILE_KINDS, type HostileKind } from './hostileKinds.ts'

export type Consensus = 'pow' | 'clique' | 'ibft2' | 'qbft'

/** A message whose payload is compressed already. */
export interface Bomb {
  readonly capability: string
  readonly code: number
  readonly payload: Uint8Array
}

export interface CrowdOptions {
  readonly consensus: Consensus
  readonly nodes: readonly { readonly host: string; readonly port: number; readonly id: string }[]
  readonly connections: number
  readonly seconds: number
  readonly seed: number
  /** RLP of [capability, code, compressed payload]. */
  readonly bombs: string
  /** Key of a validator or signer that is hostile. */
  readonly key?: string
}

const ETH68 = ethVersion(68) as EthVersion
const MAX_KNOWN_HEADERS = 512
/** Pause between two sessions of one connection. */
const PAUSE_MS = 150

/** State that all hostile connections share. */
export class Crowd {
  readonly options: CrowdOptions
  readonly nodes: readonly SocketAddress[]
  readonly bombs: readonly Bomb[]
  readonly signer: Signer | undefined
  readonly random: SeededRandom
  readonly report: Record<string, number> = {}
  /** Encoded headers by number. */
  readonly headers = new Map<number, Uint8Array>()
  head: NewBlock | undefined
  readonly #endMs: number
  #hosts = 0

  constructor(options: CrowdOptions) {
    this.options = options
    this.nodes = options.nodes.map(({ host, port, id }) => ({ host, port, id: hexToBytes(`0x${id}`) }))
    this.bombs = readBombs(options.bombs)
    this.signer = options.key === undefined ? undefined : new KeySigner(hexToBytes(`0x${options.key}`))
    this.random = new SeededRandom(options.seed)
    this.#endMs = performance.now() + options.seconds * 1000
  }

  get isOver(): boolean {
    return performance.now() > this.#endMs
  }

  get height(): number {
    return Number(this.head?.header.header.number ?? 0n)
  }

  headHash(): Uint8Array {
    const { head, options } = this
    if (head === undefined) return new Uint8Array(32)
    const { header, encoding } = head.header
    const flavour = { ibft2: IBFT2, qbft: QBFT, clique: undefined, pow: undefined }[options.consensus]
    return flavour === undefined ? keccak256(encoding) : bftBlockHash(header, flavour)
  }

  count(what: string, by = 1): void {
    this.report[what] = (this.report[what] ?? 0) + by
  }

  /** An address of loopback, as if it were another computer at another site. */
  nextHost(): string {
    const n = ++this.#hosts
    return `127.${1 + ((n >> 8) % 250)}.${n & 255}.1`
  }

  /** Connects to a node and learns its chain from what it announces. */
  async connect(to: SocketAddress = this.nodes[0] as SocketAddress, more: Partial<SocketPeerOptions> = {}) {
    const capabilities = capabilitiesOf(this.options.consensus)
    const peer = await SocketPeer.connect(to, { random: this.random, capabilities, from: this.nextHost(), ...more })
    this.count(peer === undefined ? 'refused connections' : 'connections')
    if (peer !== undefined) this.listen(peer, () => {})
    return peer
  }

  /** Replaces what a connection does with messages; blocks are always learnt. */
  listen(peer: SocketPeer, onMessage: SocketPeer['onMessage']): void {
    peer.onMessage = (capability, code, payload) => {
      if (capability === 'eth' && code === 7) this.#learn(payload)
      onMessage(capability, code, payload)
    }
  }

  /** Waits until the node ends the connection, at most for the time. */
  async linger(peer: SocketPeer, ms: number): Promise<void> {
    for (const end = performance.now() + ms; performance.now() < end && !peer.isClosed && !this.isOver; )
      await delay(20)
  }

  #learn(payload: Uint8Array): void {
    const message = decodeEthMessage(ETH68, { code: 7, payload }) as NewBlock
    const number = Number(message.header.header.number)
    if (number <= this.height) return
    this.head = message
    this.headers.set(number, message.header.encoding)
    this.headers.delete(number - MAX_KNOWN_HEADERS)
  }

  async run(): Promise<void> {
    const kinds = HOSTILE_KINDS.filter((kind) => kind.suits(this))
    const slots = Array.from({ length: this.options.connections }, (_, i) => kinds[i % kinds.length] as HostileKind)
    await Promise.all([this.#scout(), ...slots.map((kind) => this.#repeat(kind))])
  }

  /** A connection that only listens. */
  async #scout(): Promise<void> {
    while (!this.isOver) {
      const peer = await this.connect()
      if (peer === undefined) await delay(500)
      else await this.linger(peer, Number.POSITIVE_INFINITY)
      peer?.close()
    }
  }

  async #repeat(kind: HostileKind): Promise<void> {
    await delay(this.random.below(2000))
    while (!this.isOver) {
      await kind.run(this)
      this.count(kind.name)
      await delay(PAUSE_MS / 2 + this.random.below(PAUSE_MS))
    }
  }
}

function capabilitiesOf(consensus: Consensus): readonly OfferedCapability[] {
  const common = [
    { name: 'eth', version: ETH68.number, length: ETH68.codeCount },
    { name: 'snap', version: 1, length: SNAP_CODE_COUNT },
  ]
  if (consensus !== 'ibft2' && consensus !== 'qbft') return common
  const { name, version, codeCount } = BFT_CAPABILITIES[consensus]
  return [...common, { name, version, length: codeCount }]
}

function readBombs(file: string): Bomb[] {
  const items = rlpDecode(readFileSync(file)) as [Uint8Array, Uint8Array, Uint8Array][]
  return items.map(([name, code, payload]) => ({
    capability: Buffer.from(name).toString(),
    code: code[0] ?? 0,
    payload,
  }))
}

const file = process.argv[2]
if (file === undefined) throw new Error('usage: hostileCrowd <file>')
await installNodeCrypto()
const crowd = new Crowd(JSON.parse(readFileSync(file, 'utf8')))
await crowd.run()
process.stdout.write(`${JSON.stringify(crowd.report)}\n`, () => process.exit(0))

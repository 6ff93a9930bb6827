/** Peers in virtual time, honest and otherwise. */

import { PEER_REQUEST_TIMEOUT_MS } from '../../../../src/base/limits/networkLimits.ts'
import { bytesToHex, equalBytes } from '../../../../src/base/primitives/bytes.ts'
import { Emitter } from '../../../../src/base/primitives/events.ts'
import type { EthPeer, EthPeerEvents, EthPeers, PeerHead, Question, Reply } from '../../../../src/net/eth/contract.ts'
import type { EthRequest } from '../../../../src/net/protocols/eth/messages.ts'
import { ethVersion } from '../../../../src/net/protocols/eth/versions.ts'
import { PeerKnowledge } from '../../../../src/net/protocols/peerKnowledge.ts'
import type { Life } from '../../../simulation/world.ts'
import { type ServedChain, totalDifficulty } from './branches.ts'

export interface Behaviour {
  readonly chain: ServedChain
  /** Number of the best block; default: the last. */
  readonly height?: number
  /** The false claims of the peer. */
  readonly claims?: Partial<PeerHead>
  readonly latencyMs?: readonly [least: number, most: number]
  /** Requests that are answered; after them, the peer is silent. */
  readonly answers?: number
  /** Requests that are answered; then the peer leaves. */
  readonly leavesAfter?: number
  /** Bodies are those of other blocks. */
  readonly swapsBodies?: boolean
  /** Bodies are left out at random, as nodes may do. */
  readonly omitsBodies?: boolean
  /** A header of each longer answer is missing. */
  readonly hasGaps?: boolean
  /** Answers without headers or bodies. */
  readonly isEmpty?: boolean
  /** Most headers of one answer. */
  readonly maxHeaders?: number
  readonly isMaintained?: boolean
  readonly hasDifficulty?: boolean
}

let peerCount = 0

export class SimulatedPeer implements EthPeer {
  readonly connection
  readonly version
  readonly knowledge: PeerKnowledge
  readonly toldHead: Uint8Array = new Uint8Array(32)
  readonly backlog = 0
  readonly #behaviour: Behaviour
  readonly #life: Life
  /** All blocks that the peer has ever had. */
  readonly #byHash = new Map<string, { readonly number: number; readonly chain: ServedChain }>()
  #head: PeerHead
  #asked = 0
  #outstanding = 0
  #chain: ServedChain
  #height: number
  isOpen = true
  /** Reason of the disconnection by the node. */
  dropped: string | undefined
  readonly conduct = { useful: 0, useless: 0 }
  onLeft: () => void = () => {}
  onHead: () => void = () => {}

  constructor(life: Life, behaviour: Behaviour) {
    const key = (++peerCount).toString(16).padStart(128, '0')
    this.#life = life
    this.#behaviour = behaviour
    this.#chain = behaviour.chain
    this.#height = behaviour.height ?? behaviour.chain.length - 1
    this.#keep(behaviour.chain)
    this.version = ethVersion(68) as NonNullable<ReturnType<typeof ethVersion>>
    this.knowledge = new PeerKnowledge(life.world.random)
    const id = new Uint8Array(64)
    this.connection = {
      key,
      id,
      hello: { version: 5, clientId: `simulated/${peerCount}`, capabilities: [], port: 0, nodeId: id },
      isInbound: false,
      isMaintained: behaviour.isMaintained ?? false,
      remoteAddress: { host: '10.0.0.1', port: 1 },
    }
    this.#head = this.#trueHead()
  }

  get head(): PeerHead {
    return { ...this.#head, ...this.#behaviour.claims }
  }

  get hasCapacity(): boolean {
    return this.#outstanding < 5
  }

  get asked(): number {
    return this.#asked
  }

  #trueHead(): PeerHead {
    const hasDifficulty = this.#behaviour.hasDifficulty ?? true
    return {
      hash: this.#chain[this.#height]?.hash,
      number: BigInt(this.#height),
      totalDifficulty: hasDifficulty ? totalDifficulty(this.#chain, this.#height) : undefined,
    }
  }

  /** The peer has another best block. */
  advance(height: number, chain: ServedChain = this.#chain): void {
    this.#chain = chain
    this.#keep(chain)
    this.#height = Math.min(height, chain.length - 1)
    this.#head = this.#trueHead()
    this.onHead()
  }

  #keep(chain: ServedChain): void {
    for (const [number, { hash }] of chain.entries()) this.#byHash.set(bytesToHex(hash), { number, chain })
  }

  sawHead(): void {}

  send(): void {}

  charge(): void {}

  report(conduct: 'useful' | 'useless'): void {
    this.conduct[conduct]++
  }

  disconnect(_reason: string, details: string): void {
    this.dropped = details
    this.leave()
  }

  leave(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.onLeft()
  }

  ask<K extends EthRequest['kind']>(question: Question<K>): Promise<Reply<K>> {
    if (!this.isOpen) return Promise.resolve({ kind: 'closed' })
    if (!this.hasCapacity) return Promise.resolve({ kind: 'busy' })
    const { answers = Number.POSITIVE_INFINITY, leavesAfter, latencyMs = [5, 50] } = this.#behaviour
    const { random } = this.#life.world
    const index = this.#asked++
    this.#outstanding++
    if (leavesAfter !== undefined && index >= leavesAfter) this.leave()
    return new Promise((resolve) => {
      const isSilent = index >= answers
      const delay = isSilent ? PEER_REQUEST_TIMEOUT_MS : random.between(...latencyMs)
      this.#life.schedule(delay, `peer ${question.kind}`, () => {
        this.#outstanding--
        if (!this.isOpen) resolve({ kind: 'closed' })
        else if (isSilent) resolve({ kind: 'timeout' })
        else resolve({ kind: 'answer', response: this.#answer(question as Question) } as unknown as Reply<K>)
      })
    })
  }

  #answer(question: Question) {
    if (question.kind === 'getBlockHeaders')
      return { kind: 'blockHeaders', requestId: 0n, headers: this.#headers(question) }
    if (question.kind === 'getBlockBodies')
      return { kind: 'blockBodies', requestId: 0n, bodies: this.#bodies(question) }
    throw new Error(`unexpected ${question.kind}`)
  }

  #headers({ start, limit, skip, isReverse }: Question<'getBlockHeaders'>) {
    const { maxHeaders = 192, hasGaps, isEmpty } = this.#behaviour
    if (isEmpty) return []
    const found = []
    const first = start instanceof Uint8Array ? this.#byHash.get(bytesToHex(start))?.number : Number(start)
    if (first === undefined) return []
    const chain = this.#chain
    const step = (Number(skip) + 1) * (isReverse ? -1 : 1)
    for (let number = first; found.length < Math.min(Number(limit), maxHeaders); number += step) {
      const block = number > this.#height ? undefined : chain[number]
      if (block === undefined || number < 0) break
      if (number === first && start instanceof Uint8Array && !equalBytes(block.hash, start)) break
      found.push({ header: block.header, encoding: block.encoding })
    }
    if (hasGaps && found.length > 2) found.splice(1, 1)
    return found
  }

  #bodies({ hashes }: Question<'getBlockBodies'>): Uint8Array[] {
    const { swapsBodies, omitsBodies, isEmpty } = this.#behaviour
    if (isEmpty) return []
    const found: Uint8Array[] = []
    for (const hash of hashes) {
      const known = this.#byHash.get(bytesToHex(hash))
      if (known === undefined) continue
      if (omitsBodies && this.#life.world.random.chance(0.3)) continue
      const block = known.chain[swapsBodies ? Math.max(1, known.number - 1) : known.number]
      if (block !== undefined && found.length < 128) found.push(block.body)
    }
    return found
  }
}

export class SimulatedPeers implements EthPeers {
  readonly events = new Emitter<EthPeerEvents>((error) => {
    throw error
  })
  readonly #all: SimulatedPeer[] = []

  get all(): readonly EthPeer[] {
    return this.#all
  }

  join(peer: SimulatedPeer): void {
    this.#all.push(peer)
    peer.onLeft = () => {
      this.#all.splice(this.#all.indexOf(peer), 1)
      this.events.emit('left', peer)
    }
    peer.onHead = () => this.events.emit('head', peer)
    this.events.emit('joined', peer)
  }
}

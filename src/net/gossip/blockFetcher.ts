/**
 * Fetches blocks that peers have announced by hash: header and body from the announcing peer, then from others.
 * @module
 */
import {
  BLOCK_FETCH_MS,
  MAX_ANNOUNCED_BLOCKS,
  MAX_BLOCK_FETCHES,
  MAX_BLOCK_SOURCES,
  MAX_PEER_ANNOUNCED_BLOCKS,
} from '../../base/limits/limits.ts'
import type { Clock, Logger } from '../../base/ports/host.ts'
import type { Timers } from '../../base/ports/timers.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../base/primitives/keccak.ts'
import { rlpEncode, rlpListOfEncoded, rlpSpan } from '../../base/primitives/rlp.ts'
import { keyToText } from '../../storage/keyText.ts'
import type { EthPeer, EthPeers } from '../eth/contract.ts'
import type { EncodedHeader } from '../protocols/eth/messages.ts'
import type { GossipChain } from './contract.ts'
import { completed, type ReceivedBlock, readBlock } from './receivedBlock.ts'

/** Delay before a peer with too many requests is asked again. */
const BUSY_MS = 250

export interface BlockFetcherDeps {
  readonly peers: Pick<EthPeers, 'all'>
  readonly chain: Pick<GossipChain, 'config' | 'consensus'>
  readonly clock: Clock
  readonly timers: Timers
  readonly logger: Pick<Logger, 'error'>
  /** Receives a block whose hash is the requested one and whose body belongs to the header. */
  onBlock(block: ReceivedBlock, source: EthPeer): void
}

interface Fetch {
  readonly hash: Uint8Array
  readonly number: bigint
  /** First announcer; the fetch counts against its limit. */
  readonly owner: EthPeer
  readonly announcers: Set<EthPeer>
  readonly asked: Set<EthPeer>
  readonly endMs: number
}

export class BlockFetcher {
  readonly #deps: BlockFetcherDeps
  /** Waiting and running ones by block hash, in order of announcement. */
  readonly #fetches = new Map<string, Fetch>()
  readonly #waiting: Fetch[] = []
  readonly #perPeer = new Map<EthPeer, number>()
  #running = 0
  #isStopped = false

  constructor(deps: BlockFetcherDeps) {
    this.#deps = deps
  }

  /** Number of waiting and running fetches. */
  get size(): number {
    return this.#fetches.size
  }

  has(hash: Uint8Array): boolean {
    return this.#fetches.has(keyToText(hash))
  }

  /** Fetches a block, unless too many are waiting. If it is already being fetched, remembers the source. */
  fetch(hash: Uint8Array, number: bigint, source: EthPeer): void {
    const key = keyToText(hash)
    const current = this.#fetches.get(key)
    if (current !== undefined) {
      if (current.announcers.size < MAX_BLOCK_SOURCES) current.announcers.add(source)
      return
    }
    const count = this.#perPeer.get(source) ?? 0
    if (this.#isStopped || count >= MAX_PEER_ANNOUNCED_BLOCKS || this.#fetches.size >= MAX_ANNOUNCED_BLOCKS) return
    const endMs = this.#deps.clock.monotonic() + BLOCK_FETCH_MS
    // A view would keep the whole message in memory.
    const fetch: Fetch = {
      hash: hash.slice(),
      number,
      owner: source,
      announcers: new Set([source]),
      asked: new Set(),
      endMs,
    }
    this.#fetches.set(key, fetch)
    this.#perPeer.set(source, count + 1)
    this.#waiting.push(fetch)
    this.#next()
  }

  stop(): void {
    this.#isStopped = true
    this.#waiting.length = 0
  }

  #next(): void {
    while (this.#running < MAX_BLOCK_FETCHES) {
      const fetch = this.#waiting.shift()
      if (fetch === undefined) return
      this.#running++
      this.#run(fetch)
        .catch((error: unknown) => this.#deps.logger.error('could not fetch an announced block', { error }))
        .then(() => {
          this.#running--
          this.#remove(fetch)
          this.#next()
        })
    }
  }

  #remove({ hash, owner }: Fetch): void {
    this.#fetches.delete(keyToText(hash))
    const remaining = (this.#perPeer.get(owner) ?? 1) - 1
    if (remaining === 0) this.#perPeer.delete(owner)
    else this.#perPeer.set(owner, remaining)
  }

  async #run(fetch: Fetch): Promise<void> {
    const { clock, timers, onBlock } = this.#deps
    while (!this.#isStopped && clock.monotonic() < fetch.endMs && fetch.asked.size < MAX_BLOCK_SOURCES) {
      const peer = this.#nextSource(fetch)
      if (peer === undefined) return
      if (!peer.hasCapacity) {
        await new Promise<void>((resolve) => void timers.schedule(BUSY_MS, resolve))
        continue
      }
      fetch.asked.add(peer)
      const block = await this.#ask(peer, fetch)
      if (block === undefined || this.#isStopped) continue
      onBlock(block, peer)
      return
    }
  }

  /** Announcers first, then peers that should have the block; those with capacity first. */
  #nextSource({ announcers, asked, number }: Fetch): EthPeer | undefined {
    const others = this.#deps.peers.all.filter((peer) => !announcers.has(peer) && peer.head.number >= number)
    const candidates = [...announcers, ...others].filter((peer) => peer.isOpen && !asked.has(peer))
    return candidates.find(({ hasCapacity }) => hasCapacity) ?? candidates[0]
  }

  async #ask(peer: EthPeer, fetch: Fetch): Promise<ReceivedBlock | undefined> {
    const { hash } = fetch
    const header = await this.#askHeader(peer, fetch)
    const body = header && (await this.#askBody(peer, header, hash))
    if (header === undefined || body === undefined) return undefined
    const { chain } = this.#deps
    try {
      const rlp = rlpListOfEncoded([header.encoding, body.subarray(rlpSpan(body, 0).payload)])
      const block = completed(readBlock(rlp, header.header, chain.consensus), chain.config)
      if (typeof block !== 'string') return block
      peer.disconnect('breachOfProtocol', `a body of another block: ${block}`)
    } catch (error) {
      if (!isNodeError(error)) throw error
      peer.disconnect('breachOfProtocol', error.message)
    }
    return undefined
  }

  async #askHeader(peer: EthPeer, { hash, announcers }: Fetch): Promise<EncodedHeader | undefined> {
    const reply = await peer.ask<'getBlockHeaders'>({
      kind: 'getBlockHeaders',
      start: hash,
      limit: 1n,
      skip: 0n,
      isReverse: false,
    })
    if (reply.kind !== 'answer') return undefined
    const { headers } = reply.response
    const [first] = headers
    if (first === undefined) {
      // Other peers may lack the block, which need not exist.
      if (announcers.has(peer)) peer.report('useless', 'getBlockHeaders')
      return undefined
    }
    if (headers.length === 1 && this.#isNamed(first, hash)) return first
    peer.disconnect('breachOfProtocol', 'headers that were not requested')
    return undefined
  }

  async #askBody(peer: EthPeer, { header }: EncodedHeader, hash: Uint8Array): Promise<Uint8Array | undefined> {
    const { transactionsRoot, ommersHash, withdrawalsRoot } = header
    const isEmpty = equalBytes(transactionsRoot, EMPTY_TRIE_ROOT) && equalBytes(ommersHash, EMPTY_LIST_HASH)
    if (isEmpty && withdrawalsRoot === undefined) return rlpEncode([[], []])
    const reply = await peer.ask<'getBlockBodies'>({ kind: 'getBlockBodies', hashes: [hash] })
    if (reply.kind !== 'answer') return undefined
    const { bodies } = reply.response
    if (bodies.length > 1) peer.disconnect('breachOfProtocol', 'bodies that were not requested')
    else peer.report(bodies.length === 1 ? 'useful' : 'useless', 'getBlockBodies')
    return bodies.length === 1 ? bodies[0] : undefined
  }

  #isNamed({ header, encoding }: EncodedHeader, hash: Uint8Array): boolean {
    return equalBytes(this.#deps.chain.consensus.hash(header, encoding), hash)
  }
}

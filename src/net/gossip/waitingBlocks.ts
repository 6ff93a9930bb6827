import {
  MAX_PEER_WAITING_BLOCKS,
  MAX_WAITING_BLOCK_BYTES,
  MAX_WAITING_BLOCKS,
  WAITING_BLOCK_MS,
} from '../../base/limits/limits.ts'
import { keyToText } from '../../storage/keyText.ts'
import type { EthPeer } from '../eth/contract.ts'
import type { ReceivedBlock } from './receivedBlock.ts'

export interface WaitingBlock {
  readonly block: ReceivedBlock
  readonly source: EthPeer
  readonly sinceMs: number
}

/** Blocks whose parents are not stored. A peer that fills the buffer displaces only its own blocks. */
export class WaitingBlocks {
  /** By id, oldest first. */
  readonly #blocks = new Map<string, WaitingBlock>()
  /** Ids by the hash of the parent. */
  readonly #children = new Map<string, Set<string>>()
  /** Blocks by hash; if several have the same hash, the newest. */
  readonly #byHash = new Map<string, WaitingBlock>()
  readonly #perPeer = new Map<EthPeer, number>()
  #bytes = 0

  get size(): number {
    return this.#blocks.size
  }

  get bytes(): number {
    return this.#bytes
  }

  has(id: string): boolean {
    return this.#blocks.has(id)
  }

  /** @returns false when the peer has too many blocks, or the block is too large */
  add(block: ReceivedBlock, source: EthPeer, nowMs: number): boolean {
    this.#expire(nowMs)
    if (this.#blocks.has(block.id)) return true
    const { length } = block.rlp
    if ((this.#perPeer.get(source) ?? 0) >= MAX_PEER_WAITING_BLOCKS || length > MAX_WAITING_BLOCK_BYTES) return false
    while (this.#blocks.size >= MAX_WAITING_BLOCKS || this.#bytes + length > MAX_WAITING_BLOCK_BYTES) this.#evict()
    const waiting: WaitingBlock = { block, source, sinceMs: nowMs }
    this.#blocks.set(block.id, waiting)
    this.#byHash.set(keyToText(block.hash), waiting)
    this.#bytes += length
    this.#perPeer.set(source, (this.#perPeer.get(source) ?? 0) + 1)
    const parent = keyToText(block.block.header.parentHash)
    const siblings = this.#children.get(parent)
    if (siblings === undefined) this.#children.set(parent, new Set([block.id]))
    else siblings.add(block.id)
    return true
  }

  /** Hash of the nearest ancestor that does not wait. */
  missingAncestor({ block }: ReceivedBlock): { readonly hash: Uint8Array; readonly number: bigint } {
    let { parentHash: hash, number } = block.header
    for (let remaining = this.#blocks.size; remaining >= 0; remaining--) {
      number--
      const waiting = this.#byHash.get(keyToText(hash))
      if (waiting === undefined) break
      hash = waiting.block.block.header.parentHash
    }
    return { hash, number }
  }

  /** Removes and returns the children of a block. */
  takeChildren(hash: Uint8Array): readonly WaitingBlock[] {
    const ids = this.#children.get(keyToText(hash))
    if (ids === undefined) return []
    const children = [...ids].map((id) => this.#blocks.get(id) as WaitingBlock)
    for (const child of children) this.#delete(child)
    return children
  }

  clear(): void {
    this.#blocks.clear()
    this.#children.clear()
    this.#byHash.clear()
    this.#perPeer.clear()
    this.#bytes = 0
  }

  #expire(nowMs: number): void {
    for (const waiting of this.#blocks.values()) {
      if (nowMs - waiting.sinceMs < WAITING_BLOCK_MS) return
      this.#delete(waiting)
    }
  }

  /** Removes the oldest block of the peer that has the most. */
  #evict(): void {
    let most: EthPeer | undefined
    for (const [peer, count] of this.#perPeer) {
      if (most === undefined || count > (this.#perPeer.get(most) as number)) most = peer
    }
    for (const waiting of this.#blocks.values()) {
      if (waiting.source !== most) continue
      this.#delete(waiting)
      return
    }
  }

  #delete(waiting: WaitingBlock): void {
    const { block, source } = waiting
    this.#blocks.delete(block.id)
    const key = keyToText(block.hash)
    if (this.#byHash.get(key) === waiting) this.#byHash.delete(key)
    this.#bytes -= block.rlp.length
    const remaining = (this.#perPeer.get(source) as number) - 1
    if (remaining === 0) this.#perPeer.delete(source)
    else this.#perPeer.set(source, remaining)
    const parent = keyToText(block.block.header.parentHash)
    const siblings = this.#children.get(parent)
    siblings?.delete(block.id)
    if (siblings?.size === 0) this.#children.delete(parent)
  }
}

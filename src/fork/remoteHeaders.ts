/**
 * Headers of a remote at and below the fork block, by hash and by number.
 * @module
 */
import { FORK_INDEX_ENTRIES, MAX_FORK_LINKED_HEADERS } from '../base/limits/limits.ts'
import { bytesToHex, equalBytes, quantity } from '../base/primitives/bytes.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import type { RemoteRequest } from '../remote/contract.ts'
import { encodeHeader } from '../types/headerCodec.ts'
import { cacheKeys } from './cacheKeys.ts'
import type { ForkSource } from './contract.ts'
import { blockChanged, contradictedAnswer, unknownBlock, unproven } from './errors.ts'
import { decodePlainBlock, encodePlainBlock, type ForkHeader, readForkHeader } from './forkBlock.ts'
import type { RemoteAccess } from './remoteAccess.ts'

export interface RemoteHeadersDeps {
  readonly remote: RemoteAccess
  readonly source: ForkSource
  /** 16 bytes: whose word is taken for what is not proven (fork/cacheKeys.ts) */
  readonly scope: Uint8Array
  /** The block on which the local chain begins. */
  readonly forkBlock: ForkHeader
  /** Whether hashes must be those of the headers. */
  readonly checks: boolean
  /** Whether only what a hash proves counts: a number where headers lead from the fork block to it, no total difficulty. */
  readonly isStrict: boolean
}

export class RemoteHeaders {
  readonly #deps: RemoteHeadersDeps
  /** Of blocks of the canonical chain. */
  readonly #hashes = new LruCache<number, Uint8Array>(FORK_INDEX_ENTRIES)

  constructor(deps: RemoteHeadersDeps) {
    this.#deps = deps
    this.#keepCanonical(deps.forkBlock)
  }

  /** Hash of a block of the canonical chain, if it is known. */
  canonicalHash(number: number): Uint8Array | undefined {
    const { forkBlock } = this.#deps
    return number === forkBlock.number ? forkBlock.hash : this.#hashes.get(number)
  }

  /**
   * Headers of the canonical chain, in the order of the numbers, which are below the fork block.
   * @throws {NodeError} FORK_BLOCK_CHANGED, FORK_UNPROVEN, PROOF_INVALID
   */
  async at(numbers: readonly number[]): Promise<ForkHeader[]> {
    await (this.#deps.isStrict ? this.#linkAll(numbers) : this.#recall(numbers))
    const hashes = numbers.map((number) => this.#hashes.get(number))
    const unknown = numbers.filter((_, i) => hashes[i] === undefined)
    const asked = new Map((await this.#askNumbers(unknown)).map((block) => [block.number, block]))
    const known = hashes.filter((hash) => hash !== undefined)
    const byHash = await this.of(known)
    let next = 0
    return numbers.map((number, i) => {
      if (hashes[i] === undefined) return asked.get(number) as ForkHeader
      const block = byHash[next++]
      if (block === undefined) throw unknownBlock(`block ${number} (${bytesToHex(hashes[i])})`)
      return block
    })
  }

  /** @returns in the order of the hashes; undefined for a block that the remote lacks or that is above the fork block */
  async of(hashes: readonly Uint8Array[]): Promise<(ForkHeader | undefined)[]> {
    const blocks = await this.#stored(hashes)
    const missing = hashes.filter((_, i) => blocks[i] === undefined)
    if (missing.length === 0) return blocks
    const requests = missing.map((hash) => byHash(hash))
    const values = await this.#deps.remote.valuesOf(requests, `block ${bytesToHex(missing[0] as Uint8Array)}`)
    const found = values.map((value, i) => this.#answered(value, missing[i] as Uint8Array))
    this.#store(found.filter((block) => block !== undefined))
    return blocks.map((block) => block ?? found.shift())
  }

  /** From pack or cache. */
  async #stored(hashes: readonly Uint8Array[]): Promise<(ForkHeader | undefined)[]> {
    if (hashes.length === 0) return []
    const { source, scope, checks } = this.#deps
    const plain = hashes.map((hash) => cacheKeys.plainBlock(scope, hash))
    const values = await source.getMany([...plain, ...hashes.map(cacheKeys.header)])
    return hashes.map((hash, i) => {
      const value = values[i]
      const block = value && decodePlainBlock(hash, value, values[hashes.length + i])
      return checks && block?.isVerified === false ? undefined : block
    })
  }

  #store(blocks: readonly ForkHeader[]): void {
    const { source, scope } = this.#deps
    source.put(
      blocks.flatMap((block) => {
        const plain = [cacheKeys.plainBlock(scope, block.hash), encodePlainBlock(block)] as const
        return block.isVerified ? [plain, [cacheKeys.header(block.hash), encodeHeader(block.header)] as const] : [plain]
      }),
    )
  }

  #answered(value: unknown, hash: Uint8Array): ForkHeader | undefined {
    if (value === null) return undefined
    const block = this.#read(value, 'eth_getBlockByHash')
    if (!equalBytes(block.hash, hash)) {
      throw contradictedAnswer('eth_getBlockByHash.hash', `it is ${bytesToHex(block.hash)}, not ${bytesToHex(hash)}`)
    }
    return block.number > this.#deps.forkBlock.number ? undefined : block
  }

  #read(value: unknown, method: string): ForkHeader {
    const block = readForkHeader(value, method, this.#deps.isStrict)
    if (this.#deps.checks && !block.isVerified) {
      throw contradictedAnswer(method, `the header of block ${block.number} has another hash`)
    }
    return block
  }

  /** Learns hashes from pack or cache. */
  async #recall(numbers: readonly number[]): Promise<void> {
    const { source, scope } = this.#deps
    const unknown = numbers.filter((number) => this.#hashes.get(number) === undefined)
    if (unknown.length === 0) return
    const hashes = await source.getMany(unknown.map((number) => cacheKeys.canonicalHash(scope, number)))
    unknown.forEach((number, i) => {
      const hash = hashes[i]
      if (hash !== undefined) this.#hashes.set(number, hash)
    })
  }

  async #askNumbers(numbers: readonly number[]): Promise<ForkHeader[]> {
    if (numbers.length === 0) return []
    const { remote, source, scope } = this.#deps
    const values = await remote.valuesOf(numbers.map(byNumber), `block ${numbers[0]}`)
    const blocks = values.map((value, i) => {
      const number = numbers[i] as number
      if (value === null) throw unknownBlock(`block ${number}`)
      const block = this.#read(value, 'eth_getBlockByNumber')
      if (block.number === number) return block
      throw contradictedAnswer('eth_getBlockByNumber.number', `it is ${block.number}, not ${number}`)
    })
    for (const block of [...blocks].sort((a, b) => b.number - a.number)) this.#keepCanonical(block)
    this.#store(blocks)
    source.put(blocks.map(({ number, hash }) => [cacheKeys.canonicalHash(scope, number), hash]))
    return blocks
  }

  /** Each header names the hash of the one before it. @throws {NodeError} FORK_BLOCK_CHANGED */
  #keepCanonical({ number, hash, header, isVerified }: ForkHeader): void {
    const pinned = this.canonicalHash(number)
    if (pinned !== undefined && !equalBytes(pinned, hash)) throw blockChanged(number, pinned, hash)
    this.#hashes.set(number, hash)
    if (isVerified && number > 0) this.#hashes.set(number - 1, header.parentHash)
  }

  async #linkAll(numbers: readonly number[]): Promise<void> {
    for (const number of [...numbers].sort((a, b) => b - a)) await this.#link(number)
  }

  /** Learns the hash of a block from those above it. */
  async #link(number: number): Promise<void> {
    let top = number
    while (this.canonicalHash(top) === undefined) {
      if (top - number >= MAX_FORK_LINKED_HEADERS) throw tooFar(number)
      top++
    }
    for (; top > number; top--) {
      const [block] = await this.#stored([this.canonicalHash(top) as Uint8Array])
      if (block === undefined) break
      this.#keepCanonical(block)
    }
    if (top > number) await this.#askNumbers(Array.from({ length: top - number + 1 }, (_, i) => top - i))
  }
}

function byHash(hash: Uint8Array): RemoteRequest {
  return { method: 'eth_getBlockByHash', params: [bytesToHex(hash), false] }
}

function byNumber(number: number): RemoteRequest {
  return { method: 'eth_getBlockByNumber', params: [quantity(number), false] }
}

function tooFar(number: number) {
  const reason = `more than ${MAX_FORK_LINKED_HEADERS} headers lead to it`
  return unproven(`block ${number}`, `${reason} from a block that is proven; its hash needs no proof`)
}

/**
 * Finds the block on which a fork begins.
 * @module
 */
import { bigIntToBytes, bytesToBigInt, bytesToHex, equalBytes, quantity } from '../base/primitives/bytes.ts'
import type { RemoteRequest } from '../remote/contract.ts'
import { encodeHeader } from '../types/headerCodec.ts'
import { cacheKeys, originScope } from './cacheKeys.ts'
import type { ForkSource, VerifyMode } from './contract.ts'
import { contradictedAnswer, unknownBlock, unproven, unsupported } from './errors.ts'
import { decodePlainBlock, encodePlainBlock, type ForkHeader, readForkHeader } from './forkBlock.ts'
import { acceptedValue, type RemoteAccess } from './remoteAccess.ts'
import { RemoteObject, readNumber, readUint } from './remoteObject.ts'

/** Which block of the remote a chain forks. */
export type ForkReference =
  | { readonly kind: 'tag'; readonly tag: 'latest' | 'safe' | 'finalized' }
  /** A negative number counts from the head: -1 is the block before it. */
  | { readonly kind: 'number'; readonly number: number }
  /** 32 bytes */
  | { readonly kind: 'hash'; readonly hash: Uint8Array }
  /** The state right after a transaction; 32 bytes. */
  | { readonly kind: 'transaction'; readonly hash: Uint8Array }

type BlockReference = Exclude<ForkReference, { readonly kind: 'transaction' }>

export interface ForkPoint {
  readonly chainId: bigint
  /** The block on which the local chain begins. */
  readonly block: ForkHeader
  /** 16 bytes: whose word is taken for what is not proven (fork/cacheKeys.ts) */
  readonly scope: Uint8Array
  /**
   * After the fork block, the first transactions of this block have to be executed, up to and including the one with the
   * index.
   */
  readonly replay: { readonly block: ForkHeader; readonly index: number } | undefined
}

export interface ForkPointDeps {
  readonly remote: RemoteAccess
  readonly source: ForkSource
  /** Of the first address; empty without one. */
  readonly origin: string
  readonly mode: VerifyMode
  /** Hears of each kind of data that this node cannot verify. */
  readonly onUnverified: (what: string) => void
}

/**
 * Asks at most twice, each time in one batch. A block with a number or a hash is asked for only once: then it is in the
 * cache.
 * @throws {NodeError} FORK_UNAVAILABLE, FORK_OFFLINE; FORK_UNPROVEN when everything must be proven, but the hash of the
 *   block is not that of its header
 */
export async function findForkPoint(deps: ForkPointDeps, reference: ForkReference): Promise<ForkPoint> {
  const search = new ForkPointSearch(deps)
  const found = await search.find(reference)
  const { block } = found
  if (!block.isVerified) {
    if (deps.mode === 'proofs') throw unproven(`block ${block.number}`, 'its hash is not that of its header')
    if (deps.mode === 'auto') deps.onUnverified('headers, whose hash is computed in a way that this node does not know')
  }
  search.keep(found)
  return found
}

class ForkPointSearch {
  readonly #deps: ForkPointDeps

  constructor(deps: ForkPointDeps) {
    this.#deps = deps
  }

  async find(reference: ForkReference): Promise<ForkPoint> {
    if (reference.kind === 'transaction') return this.#afterTransaction(reference.hash)
    const stored = await this.#stored(reference)
    if (stored !== undefined) return stored
    if (reference.kind === 'number' && reference.number < 0) return this.#belowHead(reference.number)
    const [chainId, value] = await this.#ask(blockRequest(reference), reference.kind === 'tag')
    const block = this.#requireBlock(value, reference)
    if (reference.kind === 'tag' && this.#deps.mode === 'quorum') await this.#confirm(block)
    return this.#point(chainId, block)
  }

  /** Each remote has its own head, but all must have the block. */
  async #confirm({ hash }: ForkHeader): Promise<void> {
    const reference: BlockReference = { kind: 'hash', hash }
    const [value] = await this.#deps.remote.valuesOf([blockRequest(reference)], nameOf(reference))
    this.#requireBlock(value, reference)
  }

  /** Stores what another start needs. */
  keep({ chainId, scope, block }: ForkPoint): void {
    const { source, origin } = this.#deps
    source.put([
      [cacheKeys.chainId(origin), bigIntToBytes(chainId)],
      [cacheKeys.canonicalHash(scope, block.number), block.hash],
      [cacheKeys.plainBlock(scope, block.hash), encodePlainBlock(block)],
      ...(block.isVerified ? [[cacheKeys.header(block.hash), encodeHeader(block.header)] as const] : []),
    ])
  }

  /** A block with a number or a hash, from pack or cache. */
  async #stored(reference: BlockReference): Promise<ForkPoint | undefined> {
    const isNamed = reference.kind === 'hash' || (reference.kind === 'number' && reference.number >= 0)
    const { source, origin } = this.#deps
    if (!isNamed) return undefined
    const [id] = await source.getMany([cacheKeys.chainId(origin)])
    if (id === undefined) return undefined
    const scope = this.#scope(bytesToBigInt(id))
    const hash = reference.kind === 'hash' ? reference.hash : await this.#storedHash(scope, reference.number)
    if (hash === undefined) return undefined
    const [plain, proven] = await source.getMany([cacheKeys.plainBlock(scope, hash), cacheKeys.header(hash)])
    const block = plain && decodePlainBlock(hash, plain, proven)
    return block && this.#point(bytesToBigInt(id), block)
  }

  async #storedHash(scope: Uint8Array, number: number): Promise<Uint8Array | undefined> {
    const [hash] = await this.#deps.source.getMany([cacheKeys.canonicalHash(scope, number)])
    return hash
  }

  async #belowHead(distance: number): Promise<ForkPoint> {
    const [chainId, height] = await this.#ask({ method: 'eth_blockNumber', params: [] }, true)
    const number = readNumber(height, 'eth_blockNumber') + distance
    if (number < 0) throw unknownBlock(`a block ${-distance} below its head`)
    const reference: BlockReference = { kind: 'number', number }
    const [block] = await this.#deps.remote.valuesOf([blockRequest(reference)], nameOf(reference))
    return this.#point(chainId, this.#requireBlock(block, reference))
  }

  async #afterTransaction(hash: Uint8Array): Promise<ForkPoint> {
    const [chainId, value] = await this.#ask({ method: 'eth_getTransactionByHash', params: [bytesToHex(hash)] })
    if (value === null) throw unknownBlock(`transaction ${bytesToHex(hash)}`)
    const json = new RemoteObject(value, 'eth_getTransactionByHash')
    if (!json.has('blockNumber')) throw unsupported(`transaction ${bytesToHex(hash)} of the remote is in no block yet`)
    const number = json.number('blockNumber')
    if (number === 0) throw unsupported('a fork after a transaction of the genesis block')
    const references = [number, number - 1].map((at): BlockReference => ({ kind: 'number', number: at }))
    const values = await this.#deps.remote.valuesOf(references.map(blockRequest), `block ${number}`)
    const [block, parent] = values.map((answer, i) => this.#requireBlock(answer, references[i] as BlockReference))
    if (block === undefined || parent === undefined) throw unknownBlock(`block ${number}`)
    if (!equalBytes(block.header.parentHash, parent.hash)) {
      throw contradictedAnswer(`parentHash of block ${number}`, `block ${number - 1} has another hash`)
    }
    return { ...this.#point(chainId, parent), replay: { block, index: json.number('transactionIndex') } }
  }

  /** Asks for the chain id as well. @param isHead whether the answer depends on the head of the remote */
  async #ask(request: RemoteRequest, isHead = false): Promise<[chainId: bigint, value: unknown]> {
    const { remote } = this.#deps
    const requests = [{ method: 'eth_chainId', params: [] }, request]
    const ask = isHead ? remote.requestOne : remote.requestAll
    const results = await ask.call(remote, requests, 'the fork block')
    const [id, value] = results.map((result, i) => acceptedValue(result, requests[i] as RemoteRequest))
    return [readUint(id, 'eth_chainId', 256), value]
  }

  /** @throws {NodeError} when the remote answers with no block, or with another one */
  #requireBlock(value: unknown, reference: BlockReference): ForkHeader {
    if (value === null) throw unknownBlock(nameOf(reference))
    const block = readForkHeader(value, blockRequest(reference).method, this.#deps.mode === 'proofs')
    if (reference.kind === 'number' && block.number !== reference.number) {
      throw contradictedAnswer(nameOf(reference), `the remote answered with block ${block.number}`)
    }
    if (reference.kind === 'hash' && !equalBytes(block.hash, reference.hash)) {
      throw contradictedAnswer(nameOf(reference), `the remote answered with block ${bytesToHex(block.hash)}`)
    }
    return block
  }

  #point(chainId: bigint, block: ForkHeader): ForkPoint {
    return { chainId, block, scope: this.#scope(chainId), replay: undefined }
  }

  /** Values on which two remotes agreed are not mixed with those that one alone has said. */
  #scope(chainId: bigint): Uint8Array {
    const { mode, origin } = this.#deps
    return originScope(chainId, mode === 'quorum' ? `quorum ${origin}` : origin)
  }
}

function blockRequest(reference: BlockReference): RemoteRequest {
  if (reference.kind === 'hash') return { method: 'eth_getBlockByHash', params: [bytesToHex(reference.hash), false] }
  const block = reference.kind === 'number' ? quantity(reference.number) : reference.tag
  return { method: 'eth_getBlockByNumber', params: [block, false] }
}

function nameOf(reference: BlockReference): string {
  if (reference.kind === 'number') return `block ${reference.number}`
  return reference.kind === 'tag' ? `a ${reference.tag} block` : `block ${bytesToHex(reference.hash)}`
}

/**
 * Bodies, receipts and transactions of a remote at and below the fork block.
 * @module
 */
import { FORK_RAW_BLOCK_BYTES } from '../base/limits/limits.ts'
import { bytesToHex, equalBytes, quantity } from '../base/primitives/bytes.ts'
import type { NodeError } from '../base/primitives/errors.ts'
import { EMPTY_LIST_HASH } from '../base/primitives/keccak.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import { loadRecovery } from '../base/primitives/recovery.ts'
import { decodeTransactionKeys } from '../chain/blockRecord.ts'
import type { RemoteRequest } from '../remote/contract.ts'
import { isMissingMethod, isMisunderstood } from '../remote/refusals.ts'
import { keyToText } from '../storage/keyText.ts'
import type { Header } from '../types/block.ts'
import { encodeStoredReceipts } from '../types/receiptCodec.ts'
import { readHeader, readOmmerHashes } from './blockJson.ts'
import { cacheKeys } from './cacheKeys.ts'
import type { ForkSource } from './contract.ts'
import { unknownBlock, unsupported } from './errors.ts'
import type { ForkHeader } from './forkBlock.ts'
import {
  decodeForkBody,
  encodeForkBody,
  type ForeignBody,
  type ForkBody,
  hasTransactions,
  isForeign,
  readBody,
  readReceipts,
  transactionsOf,
} from './forkContent.ts'
import { acceptedValue, type RemoteAccess } from './remoteAccess.ts'
import { RemoteObject } from './remoteObject.ts'

export interface RemoteBlocksDeps {
  readonly remote: RemoteAccess
  readonly source: ForkSource
  /** Whether bodies and receipts must be those that the headers name. */
  readonly checks: boolean
  /** Whether nothing counts that is not proven: not the size that the remote says, nor the reason of a revert. */
  readonly isStrict: boolean
  /** Hears of each kind of data that this node cannot verify. */
  readonly onUnverified: (what: string) => void
}

/** Place of a transaction, as a remote says it. */
export interface ClaimedLocation {
  /** 32 bytes */
  readonly blockHash: Uint8Array
  readonly blockNumber: number
  readonly index: number
}

export class RemoteBlocks {
  readonly #deps: RemoteBlocksDeps
  /** Blocks that this node cannot encode, as JSON with whole transactions. */
  readonly #foreign = new LruCache<string, { readonly json: unknown; readonly reason: string }>(FORK_RAW_BLOCK_BYTES)
  readonly #reported = new Set<string>()

  constructor(deps: RemoteBlocksDeps) {
    this.#deps = deps
  }

  get isStrict(): boolean {
    return this.#deps.isStrict
  }

  /** The JSON of a block whose transactions this node cannot encode, once its body was asked for. */
  rawBlock(hash: Uint8Array): unknown {
    return this.#foreign.get(keyToText(hash))?.json
  }

  /**
   * @returns in the order of the blocks
   * @throws {NodeError} PROOF_INVALID, FORK_UNAVAILABLE; FORK_UNSUPPORTED for transactions of a type that this node does not know
   */
  async bodies(blocks: readonly ForkHeader[]): Promise<ForkBody[]> {
    const stored = await this.#deps.source.getMany(blocks.map(({ hash }) => cacheKeys.body(hash)))
    const missing = blocks.filter((_, i) => stored[i] === undefined)
    const fetched = await this.#fetchBodies(missing)
    return stored.map((value) => (value === undefined ? (fetched.shift() as ForkBody) : decodeForkBody(value)))
  }

  /**
   * In the format of the database; undefined for a block without transactions.
   * @param bodies of the blocks
   * @throws {NodeError} PROOF_INVALID, FORK_UNAVAILABLE
   */
  async receipts(blocks: readonly ForkHeader[], bodies: readonly ForkBody[]): Promise<(Uint8Array | undefined)[]> {
    const stored = await this.#deps.source.getMany(blocks.map(({ hash }) => cacheKeys.receipts(hash)))
    const missing = blocks.flatMap((block, i) =>
      stored[i] === undefined && hasTransactions(block) ? [{ block, body: bodies[i] as ForkBody }] : [],
    )
    const fetched = await this.#fetchReceipts(missing)
    return stored.map((value, i) => value ?? (hasTransactions(blocks[i] as ForkHeader) ? fetched.shift() : undefined))
  }

  /** @returns undefined for a transaction that the remote does not have in a block */
  async locations(hashes: readonly Uint8Array[]): Promise<(ClaimedLocation | undefined)[]> {
    const requests = hashes.map((hash) => ({ method: 'eth_getTransactionByHash', params: [bytesToHex(hash)] }))
    const values = await this.#deps.remote.valuesOf(requests, `transaction ${bytesToHex(hashes[0] as Uint8Array)}`)
    return values.map((value) => {
      if (value === null) return undefined
      const json = new RemoteObject(value, 'eth_getTransactionByHash')
      if (!json.has('blockNumber') || !json.has('blockHash')) return undefined
      return {
        blockHash: json.bytes('blockHash', 32),
        blockNumber: json.number('blockNumber'),
        index: json.number('transactionIndex'),
      }
    })
  }

  async #fetchBodies(blocks: readonly ForkHeader[]): Promise<ForkBody[]> {
    if (blocks.length === 0) return []
    for (const block of blocks) {
      const foreign = this.#foreign.get(keyToText(block.hash))
      if (foreign !== undefined) throw cannotDecode(block, foreign)
    }
    const requests = blocks.map(({ hash }) => ({ method: 'eth_getBlockByHash', params: [bytesToHex(hash), true] }))
    const asked = this.#deps.remote.valuesOf(requests, `the body of block ${blocks[0]?.number}`)
    const [values] = await Promise.all([asked, loadRecovery()])
    values.forEach((value, i) => {
      if (value === null) throw unknownBlock(nameOf(blocks[i] as ForkHeader))
    })
    const ommers = await this.#fetchOmmers(blocks, values)
    return blocks.map((block, i) => {
      const body = readBody(values[i], block, ommers[i] as Header[], this.#deps.checks)
      if (isForeign(body)) throw this.#keepForeign(block, values[i], body)
      return this.#keepBody(block, body)
    })
  }

  #keepBody(block: ForkHeader, body: ForkBody): ForkBody {
    const { source, checks } = this.#deps
    if (checks) source.put([[cacheKeys.body(block.hash), encodeForkBody(body)]])
    return body
  }

  #keepForeign(block: ForkHeader, json: unknown, { reason }: ForeignBody): NodeError {
    this.#foreign.set(keyToText(block.hash), { json, reason }, JSON.stringify(json).length)
    if (!this.#reported.has(reason)) this.#deps.onUnverified(reason)
    this.#reported.add(reason)
    return cannotDecode(block, { reason })
  }

  async #fetchOmmers(blocks: readonly ForkHeader[], values: readonly unknown[]): Promise<Header[][]> {
    const counts = blocks.map(({ header }, i) =>
      equalBytes(header.ommersHash, EMPTY_LIST_HASH)
        ? 0
        : readOmmerHashes(new RemoteObject(values[i], 'eth_getBlockByHash')).length,
    )
    const requests = blocks.flatMap(({ hash }, i) =>
      Array.from({ length: counts[i] as number }, (_, at) => ({
        method: 'eth_getUncleByBlockHashAndIndex',
        params: [bytesToHex(hash), quantity(at)],
      })),
    )
    if (requests.length === 0) return blocks.map(() => [])
    const answers = await this.#deps.remote.valuesOf(requests, 'ommers')
    const ommers = answers.map((value) => readHeader(new RemoteObject(value, 'eth_getUncleByBlockHashAndIndex')))
    return counts.map((count) => ommers.splice(0, count))
  }

  async #fetchReceipts(
    parts: readonly { readonly block: ForkHeader; readonly body: ForkBody }[],
  ): Promise<Uint8Array[]> {
    if (parts.length === 0) return []
    const { source, checks, isStrict } = this.#deps
    const answers = await this.#askReceipts(parts)
    return parts.map(({ block, body }, i) => {
      const { senders } = decodeTransactionKeys(body.transactionKeys)
      const read = readReceipts(answers[i], block, transactionsOf(body), senders, checks)
      const encoded = encodeStoredReceipts(isStrict ? read.map(({ revertReason: _, ...proven }) => proven) : read)
      if (checks) source.put([[cacheKeys.receipts(block.hash), encoded]])
      return encoded
    })
  }

  /** A list of receipts for each block. */
  async #askReceipts(parts: readonly { readonly block: ForkHeader; readonly body: ForkBody }[]): Promise<unknown[]> {
    const { remote } = this.#deps
    const datum = `the receipts of block ${parts[0]?.block.number}`
    if (remote.can('blockReceipts') !== false) {
      const requests = parts.map(({ block }) => ({ method: 'eth_getBlockReceipts', params: [bytesToHex(block.hash)] }))
      const results = await remote.requestAll(requests, datum)
      const refused = results.some(
        (result) => result.kind === 'error' && (isMissingMethod(result.error) || isMisunderstood(result.error)),
      )
      remote.learn('blockReceipts', !refused)
      if (!refused) return results.map((result, i) => acceptedValue(result, requests[i] as RemoteRequest))
    }
    const hashes = parts.map(({ body }) => decodeTransactionKeys(body.transactionKeys).hashes)
    const requests = hashes.flat().map((hash) => ({ method: 'eth_getTransactionReceipt', params: [bytesToHex(hash)] }))
    const values = await remote.valuesOf(requests, datum)
    return hashes.map(({ length }) => values.splice(0, length))
  }
}

function nameOf({ number, hash }: ForkHeader): string {
  return `block ${number} (${bytesToHex(hash)})`
}

function cannotDecode({ number }: ForkHeader, { reason }: ForeignBody): NodeError {
  return unsupported(`block ${number} of the remote has ${reason}, which this node cannot decode`)
}

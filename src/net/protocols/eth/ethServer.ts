/**
 * Answers requests from peers with stored bytes.
 * @see docs/reference/p2p.md section 4
 * @module
 */
import {
  MAX_ETH_ANSWER_BYTES,
  MAX_SERVED_BODIES,
  MAX_SERVED_HEADERS,
  MAX_SERVED_NODES,
  MAX_SERVED_POOLED_TRANSACTIONS,
  MAX_SERVED_RECEIPTS,
} from '../../../base/limits/limits.ts'
import { rlpEncode } from '../../../base/primitives/rlp.ts'
import type { PooledTransaction, PoolReader } from '../../../txpool/contract.ts'
import { encodePooledTransaction } from '../../../types/blobSidecar.ts'
import { transactionItem } from '../../../types/blockCodec.ts'
import { EMPTY_LIST } from '../../../types/wireReader.ts'
import { type Answer, AnswerItems } from '../answer.ts'
import { type BlockPosition, hasTransactions, type StoredBlocks } from '../storedBlocks.ts'
import { isSent } from './batches.ts'
import { collectHeaders } from './headerQuery.ts'
import type { EthRequest } from './messages.ts'
import { wireReceipts } from './receiptItems.ts'
import { ETH_MESSAGES, ETH_RESPONSES, type EthVersion } from './versions.ts'

/** Trie nodes and code by hash (GetNodeData). */
export interface NodeSource {
  /** undefined when it is not known */
  byHash(hash: Uint8Array): Uint8Array | undefined
}

/** Maximum number of items in an answer. */
export type ServedItems = Readonly<Record<EthRequest['kind'], number>>

export interface EthServerDeps {
  readonly blocks: StoredBlocks
  readonly pool: Pick<PoolReader, 'byHash'>
  readonly nodes: NodeSource
  readonly maxItems?: ServedItems
  readonly maxBytes?: number
}

export const SERVED_ITEMS: ServedItems = {
  getBlockHeaders: MAX_SERVED_HEADERS,
  getBlockBodies: MAX_SERVED_BODIES,
  getPooledTransactions: MAX_SERVED_POOLED_TRANSACTIONS,
  getNodeData: MAX_SERVED_NODES,
  getReceipts: MAX_SERVED_RECEIPTS,
}

/** Blocks whose parts are read together: few, since the first of them may fill the answer. */
const BLOCKS_PER_READ = 16

type BlockRead = (blocks: readonly BlockPosition[]) => Iterable<Uint8Array | undefined>

export class EthServer {
  readonly #deps: EthServerDeps
  readonly #maxItems: ServedItems
  readonly #maxBytes: number

  constructor(deps: EthServerDeps) {
    this.#deps = deps
    this.#maxItems = deps.maxItems ?? SERVED_ITEMS
    this.#maxBytes = deps.maxBytes ?? MAX_ETH_ANSWER_BYTES
  }

  /**
   * Answers with the items that are known, in the order of the request.
   * @throws {StoreMiss} over a store that is not resident: the call can be repeated
   */
  answer(version: EthVersion, request: EthRequest): Answer {
    const items = new AnswerItems(this.#maxBytes)
    this.#collect(version, request, items)
    const { code } = ETH_MESSAGES[ETH_RESPONSES[request.kind]]
    return { code, payload: items.encode(request.requestId), items: items.items.length }
  }

  #collect(version: EthVersion, request: EthRequest, answer: AnswerItems): void {
    const { blocks, nodes } = this.#deps
    const max = this.#maxItems[request.kind]
    switch (request.kind) {
      case 'getBlockHeaders':
        collectHeaders(blocks, request, max, answer)
        return
      case 'getBlockBodies':
        this.#collectBlocks(request.hashes.slice(0, max), answer, (positions) => blocks.bodies(positions))
        return
      case 'getReceipts':
        this.#collectBlocks(request.hashes.slice(0, max), answer, (positions) => this.#receipts(version, positions))
        return
      case 'getPooledTransactions':
        this.#collectPooled(request.hashes.slice(0, max), answer)
        return
      case 'getNodeData':
        for (const hash of request.hashes.slice(0, max)) {
          const value = nodes.byHash(hash)
          if (value !== undefined && !answer.add(rlpEncode(value))) return
        }
    }
  }

  #collectBlocks(hashes: readonly Uint8Array[], answer: AnswerItems, read: BlockRead): void {
    for (let at = 0; at < hashes.length; at += BLOCKS_PER_READ) {
      const positions = this.#deps.blocks.positions(hashes.slice(at, at + BLOCKS_PER_READ))
      const foundPositions = positions.filter((position) => position !== undefined)
      for (const item of read(foundPositions)) if (item !== undefined && !answer.add(item)) return
    }
  }

  *#receipts(version: EthVersion, positions: readonly BlockPosition[]): Generator<Uint8Array | undefined> {
    const { blocks } = this.#deps
    const headers = blocks.headers(positions)
    for (const [i, stored] of blocks.receipts(positions).entries()) {
      const header = headers[i]
      if (stored !== undefined) yield wireReceipts(version, stored)
      else if (header !== undefined && !hasTransactions(header)) yield EMPTY_LIST
    }
  }

  /** An answer that named a transaction twice would be malformed. */
  #collectPooled(hashes: readonly Uint8Array[], answer: AnswerItems): void {
    const answered = new Set<PooledTransaction>()
    for (const hash of hashes) {
      const pooled = this.#deps.pool.byHash(hash)
      if (pooled === undefined || !isSent(pooled) || answered.has(pooled)) continue
      answered.add(pooled)
      const encoding = pooled.sidecar === undefined ? pooled.encoding : encodePooledTransaction(pooled)
      if (!answer.add(transactionItem(encoding))) return
    }
  }
}

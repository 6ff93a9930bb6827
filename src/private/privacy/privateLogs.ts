/**
 * Logs of private transactions.
 * @module
 */

import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import type { ChainHeader, ChainReader } from '../../chain/contract.ts'
import type { Log } from '../../types/receipt.ts'
import type { PrivateReads } from './privateReads.ts'
import { type GroupRecord, groupBlocks, readGroupRecord, readPrivateReceipt } from './privateRecords.ts'

/** Conditions for a log: one of the addresses (empty: any), and at each position one of the topics (undefined: any). */
export interface PrivateLogTerms {
  readonly addresses: readonly Uint8Array[]
  readonly topics: readonly (readonly Uint8Array[] | undefined)[]
}

export interface PrivateLog {
  readonly log: Log
  readonly blockHash: Uint8Array
  readonly blockNumber: bigint
  /** Hash of the marker. */
  readonly transactionHash: Uint8Array
  /** Index of the marker in its block. */
  readonly transactionIndex: number
  /** Counts the logs of the group in the block. */
  readonly logIndex: number
  readonly removed: boolean
}

export interface BlockId {
  readonly number: number
  readonly hash: Uint8Array
}

export interface PrivateLogsOptions {
  readonly chain: ChainReader
  readonly store: KeyValueReader
  readonly reads: PrivateReads
}

/** Every read may throw `StoreMiss`. */
export class PrivateLogs {
  readonly #options: PrivateLogsOptions

  constructor(options: PrivateLogsOptions) {
    this.#options = options
  }

  /** Matching logs of canonical blocks, both ends included, in their order. */
  inRange(groupId: Uint8Array, from: number, to: number, terms: PrivateLogTerms): PrivateLog[] {
    const { store, reads, chain } = this.#options
    const logs: PrivateLog[][] = []
    const end = Math.min(to, Number(chain.head.header.number))
    for (const { number, hash, ...record } of groupBlocks(store, groupId, end, reads.chainTo(chain.head))) {
      if (number < from) break
      logs.push(this.#logsOf({ number, hash }, record, terms, false))
    }
    return logs.reverse().flat()
  }

  /** Matching logs of one block, canonical or not. */
  inBlock(groupId: Uint8Array, block: BlockId, terms: PrivateLogTerms, removed = false): PrivateLog[] {
    const record = readGroupRecord(this.#options.store, groupId, block)
    return record === undefined ? [] : this.#logsOf(block, record, terms, removed)
  }

  /** Whether a block changed a group. */
  isIn(groupId: Uint8Array, block: BlockId): boolean {
    return readGroupRecord(this.#options.store, groupId, block) !== undefined
  }

  header(hash: Uint8Array): ChainHeader | undefined {
    return this.#options.chain.headerByHash(hash)
  }

  #logsOf(block: BlockId, { changes }: GroupRecord, terms: PrivateLogTerms, removed: boolean): PrivateLog[] {
    const { store, chain } = this.#options
    const hashes = chain.transactionHashes(block.hash) ?? []
    const logs: PrivateLog[] = []
    let logIndex = 0
    for (const { marker } of changes) {
      const receipt = readPrivateReceipt(store, block.hash, marker)
      const transactionIndex = hashes.findIndex((hash) => equalBytes(hash, marker))
      for (const log of receipt?.logs ?? []) {
        if (matches(log, terms)) {
          const place = {
            blockHash: block.hash,
            blockNumber: BigInt(block.number),
            transactionHash: marker,
            transactionIndex,
          }
          logs.push({ log, ...place, logIndex, removed })
        }
        logIndex++
      }
    }
    return logs
  }
}

function matches({ address, topics }: Log, terms: PrivateLogTerms): boolean {
  if (terms.addresses.length > 0 && !terms.addresses.some((wanted) => equalBytes(wanted, address))) return false
  return terms.topics.every((wanted, i) => {
    if (wanted === undefined) return i < topics.length
    const topic = topics[i]
    return topic !== undefined && wanted.some((one) => equalBytes(one, topic))
  })
}

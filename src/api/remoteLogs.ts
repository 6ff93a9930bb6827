/**
 * Logs of blocks that another node has: those below the first block of a forked chain.
 * @module
 */
import { concatBytes, EMPTY_BYTES } from '../base/primitives/bytes.ts'
import { TRANSACTION_KEYS_BYTES, transactionHashOffset } from '../chain/blockRecord.ts'
import type { LogTerms, StoredLogs } from '../chain/contract.ts'
import { type LogLocation, TOPIC_STRIDE } from '../types/storedLogs.ts'
import type { LogCollector, LogRange } from './logCollector.ts'
import type { LogView } from './viewTypes.ts'

export interface RemoteLogs {
  /** Number of the last block whose logs the other node has. */
  readonly last: number
  /**
   * Logs of canonical blocks in the order of the chain.
   * @param range ends at `last`
   * @throws {NodeError} RANGE_TOO_LARGE, FORK_UNAVAILABLE and others of the remote
   */
  find(terms: LogTerms, range: LogRange): Promise<readonly LogView[]>
}

/** Passes logs to a collector as if they had been read from the store. */
export function collectLogs(logs: readonly LogView[], collector: LogCollector): void {
  let block: StoredLogs | undefined
  for (const [i, view] of logs.entries()) {
    if (block?.number !== Number(view.blockNumber)) block = blockOf(logs, i)
    collector.add(locationOf(view), block, view.removed)
  }
}

/** The block of the log at an index, with the hashes of the transactions that have logs in the list. */
function blockOf(logs: readonly LogView[], from: number): StoredLogs {
  const { blockNumber, blockHash } = logs[from] as LogView
  const own: LogView[] = []
  for (let i = from; logs[i]?.blockNumber === blockNumber; i++) own.push(logs[i] as LogView)
  const count = own.reduce((most, { transactionIndex }) => Math.max(most, transactionIndex + 1), 0)
  const transactionKeys = new Uint8Array(count * TRANSACTION_KEYS_BYTES)
  for (const { transactionIndex, transactionHash } of own)
    transactionKeys.set(transactionHash, transactionHashOffset(transactionKeys, transactionIndex))
  return { number: Number(blockNumber), blockHash, receipts: EMPTY_BYTES, transactionKeys }
}

/** A log in the form in which it is stored: address, topics with a prefix each, data. */
function locationOf({ log, transactionIndex, logIndex }: LogView): LogLocation {
  const { address, topics, data } = log
  const prefixed = topics.map((topic) => concatBytes(Uint8Array.of(0), topic))
  const bytes = concatBytes(address, ...prefixed, data)
  const topicsAt = address.length + 1
  const dataAt = address.length + topics.length * TOPIC_STRIDE
  return {
    bytes,
    transactionIndex,
    logIndex,
    address: 0,
    topicCount: topics.length,
    topics: topicsAt,
    data: dataAt,
    dataEnd: bytes.length,
  }
}

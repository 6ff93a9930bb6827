/**
 * Searches ranges of canonical blocks for logs.
 * @module
 */

import type { ChainHeader, ChainReader, StoredLogs } from '../chain/contract.ts'
import { LOG_SCAN_BLOCKS, MAX_LOG_RESULTS } from '../config/limits.ts'
import type { YieldToHost } from '../ports/yieldToHost.ts'
import { NodeError } from '../primitives/errors.ts'
import { forEachStoredLog } from '../types/storedLogs.ts'
import type { Cancellation } from './cancellation.ts'
import type { LogMatcher } from './logMatcher.ts'
import { blockLogs } from './views.ts'
import type { LogView } from './viewTypes.ts'

/** Logs of blocks that may match, which a search examines before it yields. */
const SCAN_LOGS = 8192
/** Blocks whose logs are read in parallel. */
const SCAN_READS = 16

/** Receives the logs that a scan finds, in order. */
export interface LogCollector {
  /** Number of logs received. */
  readonly count: number
  /** Bytes of the log are only valid during the call. @throws {NodeError} RANGE_TOO_LARGE */
  add(view: LogView): void
}

/** First and last block number. */
export interface LogRange {
  readonly from: number
  readonly to: number
}

export interface LogScanBackend {
  readonly chain: Pick<ChainReader, 'head' | 'index' | 'storedLogs'>
  readonly yieldToHost: YieldToHost
}

/**
 * Passes matching logs of the canonical blocks `from` to `to`, both inclusive, to the collector. There are none beyond
 * the head.
 * @returns the collector; synchronously when one slice was enough
 * @throws {NodeError} RANGE_TOO_LARGE for more than MAX_LOG_RESULTS logs; TIMEOUT
 */
export function scanLogs<C extends LogCollector>(
  backend: LogScanBackend,
  matcher: LogMatcher,
  range: LogRange,
  collector: C,
  context: Cancellation,
): C | Promise<C> {
  const scan = new LogScan(backend.chain, matcher, range, collector)
  return scan.turn() ? collector : scanInTurns(scan, collector, backend, context)
}

/** Matching logs of one block. */
export function matchingLogs(
  chain: ChainReader,
  header: ChainHeader,
  matcher: LogMatcher,
  removed: boolean,
): LogView[] {
  if (!matcher.mayMatch(header.header.logsBloom)) return []
  return blockLogs(chain, header, (entry) => matcher.matches(entry), removed)
}

async function scanInTurns<C extends LogCollector>(
  scan: LogScan,
  collector: C,
  { yieldToHost }: LogScanBackend,
  { signal }: Cancellation,
): Promise<C> {
  for (;;) {
    await yieldToHost()
    if (signal?.aborted === true) throw new NodeError({ code: 'TIMEOUT' }, 'request timed out')
    if (scan.turn()) return collector
  }
}

class LogScan {
  readonly #chain: LogScanBackend['chain']
  readonly #matcher: LogMatcher
  readonly #last: number
  readonly #collector: LogCollector
  /** Number of the next block. */
  #next: number
  /** Logs examined in this slice. */
  #logsSeen = 0

  constructor(chain: LogScanBackend['chain'], matcher: LogMatcher, { from, to }: LogRange, collector: LogCollector) {
    this.#chain = chain
    this.#matcher = matcher
    this.#collector = collector
    this.#next = Math.max(from, 0)
    this.#last = Math.min(to, Number(chain.head.header.number))
  }

  /** Examines one slice of the range. @returns whether the scan is complete */
  turn(): boolean {
    this.#logsSeen = 0
    const end = Math.min(this.#last, this.#next + LOG_SCAN_BLOCKS - 1)
    let found: number[] = []
    for (const number of this.#chain.index.blocksWithLogs(this.#matcher, this.#next, end)) {
      found.push(number)
      if (found.length < SCAN_READS) continue
      this.#scan(found)
      found = []
      if (this.#logsSeen > SCAN_LOGS) return false
    }
    this.#scan(found)
    this.#next = end + 1
    return this.#next > this.#last
  }

  #scan(numbers: readonly number[]): void {
    const blocks = this.#chain.storedLogs(numbers)
    for (const [i, number] of numbers.entries()) {
      const block = blocks[i]
      if (block !== undefined) this.#scanBlock(number, block)
      if (this.#collector.count > MAX_LOG_RESULTS) {
        throw new NodeError({ code: 'RANGE_TOO_LARGE' }, `query returned more than ${MAX_LOG_RESULTS} results`)
      }
    }
    const last = numbers.at(-1)
    if (last !== undefined) this.#next = last + 1
  }

  #scanBlock(number: number, { blockHash, receipts, transactionHashes }: StoredLogs): void {
    const blockNumber = BigInt(number)
    forEachStoredLog(receipts, (log, transactionIndex, logIndex) => {
      this.#logsSeen++
      const transactionHash = transactionHashes[transactionIndex]
      if (transactionHash === undefined || !this.#matcher.matches(log)) return
      this.#collector.add({ log, blockNumber, blockHash, transactionHash, transactionIndex, logIndex, removed: false })
    })
  }
}

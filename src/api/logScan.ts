/**
 * Looks for logs in ranges of canonical blocks.
 * @module
 */

import type { ChainHeader, ChainReader, StoredLogs } from '../chain/contract.ts'
import { LOG_SCAN_BLOCKS, LOG_SCAN_LOGS, LOG_SCAN_READS, MAX_LOG_RESULTS } from '../config/limits.ts'
import type { YieldToHost } from '../ports/yieldToHost.ts'
import { NodeError } from '../primitives/errors.ts'
import { LogText } from '../rpc/codecs/logText.ts'
import type { LogView } from '../rpc/codecs/receipt.ts'
import type { CallContext } from '../rpc/method.ts'
import type { TextResult } from '../rpc/textResult.ts'
import { forEachStoredLog } from '../types/storedLogs.ts'
import type { LogMatcher } from './logMatcher.ts'
import { blockLogs } from './views.ts'

export interface LogScanBackend {
  readonly chain: Pick<ChainReader, 'head' | 'index' | 'storedLogs'>
  readonly yieldToHost: YieldToHost
}

/**
 * Matching logs of the canonical blocks `from` to `to`, both inclusive; what is beyond the chain has none.
 * @throws {NodeError} RANGE_TOO_LARGE when there are more than MAX_LOG_RESULTS; TIMEOUT
 */
export function scanLogs(
  backend: LogScanBackend,
  matcher: LogMatcher,
  from: number,
  to: number,
  context: CallContext,
): TextResult | Promise<TextResult> {
  const scan = new LogScan(backend.chain, matcher, from, to)
  return scan.turn() ? scan.result() : scanInTurns(scan, backend, context)
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

async function scanInTurns(
  scan: LogScan,
  { yieldToHost }: LogScanBackend,
  { signal }: CallContext,
): Promise<TextResult> {
  for (;;) {
    await yieldToHost()
    if (signal?.aborted === true) throw new NodeError({ code: 'TIMEOUT' }, 'request timed out')
    if (scan.turn()) return scan.result()
  }
}

class LogScan {
  readonly #chain: LogScanBackend['chain']
  readonly #matcher: LogMatcher
  readonly #last: number
  readonly #text = new LogText()
  /** Of the next block. */
  #next: number
  /** In this turn. */
  #logsSeen = 0

  constructor(chain: LogScanBackend['chain'], matcher: LogMatcher, from: number, to: number) {
    this.#chain = chain
    this.#matcher = matcher
    this.#next = Math.max(from, 0)
    this.#last = Math.min(to, Number(chain.head.header.number))
  }

  /** Looks through as much as may be done without a break. @returns whether that was all */
  turn(): boolean {
    this.#logsSeen = 0
    const end = Math.min(this.#last, this.#next + LOG_SCAN_BLOCKS - 1)
    let found: number[] = []
    for (const number of this.#chain.index.blocksWithLogs(this.#matcher, this.#next, end)) {
      found.push(number)
      if (found.length < LOG_SCAN_READS) continue
      this.#scan(found)
      found = []
      if (this.#logsSeen > LOG_SCAN_LOGS) return false
    }
    this.#scan(found)
    this.#next = end + 1
    return this.#next > this.#last
  }

  result(): TextResult {
    return this.#text.result()
  }

  #scan(numbers: readonly number[]): void {
    const blocks = this.#chain.storedLogs(numbers)
    for (const [i, number] of numbers.entries()) {
      const block = blocks[i]
      if (block !== undefined) this.#scanBlock(number, block)
      if (this.#text.count > MAX_LOG_RESULTS) {
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
      this.#text.add({ log, blockNumber, blockHash, transactionHash, transactionIndex, logIndex, removed: false })
    })
  }
}

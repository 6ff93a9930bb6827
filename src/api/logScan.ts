/**
 * Searches stored blocks for logs, on the bytes of their receipts.
 * @module
 */

import { LOG_SCAN_BLOCKS, MAX_LOG_RESULTS } from '../base/limits/limits.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { transactionHashOffset } from '../chain/blockRecord.ts'
import type { ChainHeader, ChainReader, StoredLogs } from '../chain/contract.ts'
import { type LogLocation, logAt, StoredLogWalk } from '../types/storedLogs.ts'
import type { Cancellation } from './cancellation.ts'
import type { LogCollector, LogRange } from './logCollector.ts'
import type { LogMatcher } from './logMatcher.ts'
import { collectLogs, type RemoteLogs } from './remoteLogs.ts'
import type { LogView } from './viewTypes.ts'

/** Work of a search before it yields (about 4 ms). Each byte of the receipts that are read costs 1. */
const SLICE_COST: number = 8 * 1024 * 1024
/** Cost of a matching log, and of each byte of its data. */
const MATCH_COST = 768
const MATCH_COST_PER_BYTE = 4
/** Blocks whose logs are read in parallel, unless they are large. */
const SCAN_READS = 16
const HASH_BYTES = 32

export interface LogScanBackend {
  readonly chain: Pick<ChainReader, 'lowestNumber' | 'head' | 'index' | 'storedLogs'>
  readonly yieldToHost: YieldToHost
  /** Of the blocks up to the one that a forked chain continues; undefined on every other chain. */
  readonly remoteLogs?: RemoteLogs | undefined
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
  const { remoteLogs } = backend
  if (remoteLogs !== undefined && range.from <= remoteLogs.last && range.from <= range.to)
    return scanBoth(remoteLogs, backend, matcher, range, collector, context)
  const scan = new LogScan(backend.chain, matcher, range, collector)
  return scan.turn() ? collector : scanInTurns(scan, collector, backend, context)
}

/** Logs of the remote, then those of the local blocks. */
async function scanBoth<C extends LogCollector>(
  remoteLogs: RemoteLogs,
  { chain, yieldToHost }: LogScanBackend,
  matcher: LogMatcher,
  { from, to }: LogRange,
  collector: C,
  context: Cancellation,
): Promise<C> {
  const { last } = remoteLogs
  const found = await remoteLogs.find(matcher, { from, to: Math.min(to, last) })
  requireRoom(found.length - 1)
  collectLogs(found, collector)
  return to <= last ? collector : scanLogs({ chain, yieldToHost }, matcher, { from: last + 1, to }, collector, context)
}

/** @param count of logs before the next one */
function requireRoom(count: number): void {
  if (count < MAX_LOG_RESULTS) return
  throw new NodeError({ code: 'RANGE_TOO_LARGE' }, `query returned more than ${MAX_LOG_RESULTS} results`)
}

/** Passes matching logs of one block, canonical or not, to the collector. @returns the collector */
export function blockLogs<C extends LogCollector>(
  chain: Pick<ChainReader, 'storedLogsOf'>,
  { header, hash }: ChainHeader,
  matcher: LogMatcher,
  removed: boolean,
  collector: C,
): C {
  if (!matcher.mayMatch(header.logsBloom)) return collector
  const stored = chain.storedLogsOf(hash)
  if (stored === undefined) return collector
  const log = new StoredLogWalk(stored.receipts)
  while (log.next()) {
    if (!matcher.matches(log)) continue
    log.locateData()
    collector.add(log, stored, removed)
  }
  return collector
}

/** Collects decoded logs. */
export class LogViews implements LogCollector {
  readonly views: LogView[] = []

  get count(): number {
    return this.views.length
  }

  add(log: LogLocation, block: StoredLogs, removed: boolean): void {
    this.views.push(logView(log, block, removed))
  }
}

/** Decodes a log; its bytes are views of the stored ones. */
export function logView(
  location: LogLocation,
  { number, blockHash, transactionKeys }: StoredLogs,
  removed: boolean,
): LogView {
  const { transactionIndex, logIndex } = location
  const at = transactionHashOffset(transactionKeys, transactionIndex)
  const transactionHash = transactionKeys.subarray(at, at + HASH_BYTES)
  const blockNumber = BigInt(number)
  return { log: logAt(location), blockNumber, blockHash, transactionHash, transactionIndex, logIndex, removed }
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
  /** Number of the next block to read. */
  #next: number
  /** Blocks that were read but not examined completely, and the walk in the first of them. */
  #pending: StoredLogs[] = []
  #walk: StoredLogWalk | undefined
  /** Cost left in this slice. */
  #left = 0
  /** Blocks to read in parallel. */
  #reads = SCAN_READS

  constructor(chain: LogScanBackend['chain'], matcher: LogMatcher, { from, to }: LogRange, collector: LogCollector) {
    this.#chain = chain
    this.#matcher = matcher
    this.#collector = collector
    this.#next = Math.max(from, chain.lowestNumber)
    this.#last = Math.min(to, Number(chain.head.header.number))
  }

  /** Examines one slice of the range. @returns whether the scan is complete */
  turn(): boolean {
    this.#left = SLICE_COST
    if (!this.#examine([])) return false
    this.#next = this.#chain.index.skipDerived(this.#next)
    const end = Math.min(this.#last, this.#next + LOG_SCAN_BLOCKS - 1)
    let found: number[] = []
    for (const number of this.#chain.index.blocksWithLogs(this.#matcher, this.#next, end)) {
      found.push(number)
      if (found.length < this.#reads) continue
      this.#next = number + 1
      if (!this.#examine(found)) return false
      found = []
    }
    this.#next = end + 1
    return this.#examine(found) && this.#next > this.#last
  }

  /** Examines blocks that were read before, and these. @returns false when the slice ended first */
  #examine(numbers: readonly number[]): boolean {
    if (numbers.length > 0) this.#read(numbers)
    let done = 0
    for (const block of this.#pending) {
      if (!this.#examineBlock(block)) {
        this.#pending = this.#pending.slice(done)
        return false
      }
      done++
    }
    this.#pending = []
    return true
  }

  #read(numbers: readonly number[]): void {
    let bytes = 0
    for (const block of this.#chain.storedLogs(numbers)) {
      if (block === undefined) continue
      this.#pending.push(block)
      bytes += block.receipts.length
    }
    const average = Math.max(1, bytes / numbers.length)
    this.#reads = Math.max(1, Math.min(SCAN_READS, Math.floor(SLICE_COST / average)))
    this.#left -= bytes
  }

  #examineBlock(block: StoredLogs): boolean {
    const matcher = this.#matcher
    const log = this.#walk ?? new StoredLogWalk(block.receipts)
    this.#walk = log
    while (this.#left > 0) {
      if (!log.next()) {
        this.#walk = undefined
        return true
      }
      if (!matcher.matches(log)) continue
      log.locateData()
      this.#left -= MATCH_COST + MATCH_COST_PER_BYTE * (log.dataEnd - log.data)
      this.#add(log, block)
    }
    return false
  }

  #add(log: LogLocation, block: StoredLogs): void {
    const collector = this.#collector
    requireRoom(collector.count)
    collector.add(log, block, false)
  }
}

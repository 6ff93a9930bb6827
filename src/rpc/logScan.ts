/**
 * Looks for logs in ranges of canonical blocks.
 * @module
 */
import type { ChainHeader, ChainReader } from '../chain/contract.ts'
import { LOG_SCAN_BLOCKS, MAX_LOG_RESULTS } from '../config/limits.ts'
import { NodeError } from '../primitives/errors.ts'
import type { LogView } from './codecs/receipt.ts'
import type { LogMatcher } from './logMatcher.ts'
import type { CallContext } from './method.ts'
import { blockLogs } from './views.ts'

export interface LogScanBackend {
  readonly chain: ChainReader
  pause(): Promise<void>
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
): LogView[] | Promise<LogView[]> {
  const { chain } = backend
  const first = Math.max(from, 0)
  const last = Math.min(to, Number(chain.head.header.number))
  if (last - first >= LOG_SCAN_BLOCKS) return scanInTurns(backend, matcher, first, last, context)
  const logs: LogView[] = []
  scan(chain, matcher, first, last, logs)
  return logs
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

function scan(chain: ChainReader, matcher: LogMatcher, first: number, last: number, logs: LogView[]): void {
  for (let number = first; number <= last; number++) {
    const header = chain.headerByNumber(number)
    if (header === undefined) break
    for (const view of matchingLogs(chain, header, matcher, false)) logs.push(view)
    if (logs.length > MAX_LOG_RESULTS) {
      throw new NodeError({ code: 'RANGE_TOO_LARGE' }, `query returned more than ${MAX_LOG_RESULTS} results`)
    }
  }
}

async function scanInTurns(
  { chain, pause }: LogScanBackend,
  matcher: LogMatcher,
  first: number,
  last: number,
  { signal }: CallContext,
): Promise<LogView[]> {
  const logs: LogView[] = []
  for (let number = first; number <= last; number += LOG_SCAN_BLOCKS) {
    scan(chain, matcher, number, Math.min(number + LOG_SCAN_BLOCKS - 1, last), logs)
    await pause()
    if (signal?.aborted === true) throw new NodeError({ code: 'TIMEOUT' }, 'request timed out')
  }
  return logs
}

import type { Cancellation } from '../api/cancellation.ts'
import type { LogMatcher } from '../api/logMatcher.ts'
import { type LogRange, type LogScanBackend, scanLogs } from '../api/logScan.ts'
import { LogText } from './codecs/logText.ts'
import type { TextResult } from './textResult.ts'

/**
 * The answer to a search for logs in a range of canonical blocks, both ends inclusive.
 * @throws {NodeError} RANGE_TOO_LARGE, TIMEOUT
 */
export function logText(
  backend: LogScanBackend,
  matcher: LogMatcher,
  range: LogRange,
  context: Cancellation,
): TextResult | Promise<TextResult> {
  const text = scanLogs(backend, matcher, range, new LogText(), context)
  return text instanceof Promise ? text.then((found) => found.result()) : text.result()
}

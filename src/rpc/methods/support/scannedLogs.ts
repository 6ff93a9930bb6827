import type { Cancellation } from '../../../api/cancellation.ts'
import type { LogRange } from '../../../api/logCollector.ts'
import type { LogMatcher } from '../../../api/logMatcher.ts'
import { type LogScanBackend, scanLogs } from '../../../api/logScan.ts'
import { LogText } from '../../codecs/logText.ts'
import type { RequestContext } from '../../method.ts'
import type { TextResult } from '../../textResult.ts'

/**
 * Answers a log query over a range of canonical blocks, both ends inclusive.
 * @throws {NodeError} RANGE_TOO_LARGE, RESPONSE_TOO_LARGE when too much output is unsent, TIMEOUT
 */
export function scannedLogs(
  backend: LogScanBackend,
  matcher: LogMatcher,
  range: LogRange,
  context: Cancellation & Pick<RequestContext, 'hold'>,
): TextResult | Promise<TextResult> {
  const text = scanLogs(backend, matcher, range, heldText(context), context)
  return text instanceof Promise ? text.then((found) => found.result()) : text.result()
}

/** A text that counts as output of the request. */
export function heldText(context: Pick<RequestContext, 'hold'>): LogText {
  return new LogText((bytes) => context.hold?.(bytes) ?? true)
}

import { LATEST } from '../../../api/blockReference.ts'
import type { LogFilter } from '../../../api/logFilter.ts'
import { LogMatcher } from '../../../api/logMatcher.ts'
import { blockLogs, type LogScanBackend } from '../../../api/logScan.ts'
import { rangeEnd } from '../../../api/lookup.ts'
import type { ApiOptions } from '../../../api/options.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { logFilter } from '../../codecs/filter.ts'
import { log } from '../../codecs/receipt.ts'
import { arrayOf } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, type RequestContext, result } from '../../method.ts'
import type { TextResult } from '../../textResult.ts'
import { LOG_FILTER } from '../support/parameterTexts.ts'
import { heldText, scannedLogs } from '../support/scannedLogs.ts'

interface Backend extends LogScanBackend {
  readonly chain: ChainReader
  readonly options: ApiOptions
}

export const getLogs: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getLogs',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Logs of a range of canonical blocks, or of one block, that match a filter.',
  params: [param('filter', logFilter, LOG_FILTER)],
  result: result('logs', arrayOf(log)),
  errors: ['RANGE_TOO_LARGE', 'BLOCK_NOT_FOUND', 'TIMEOUT'],
  handler: (backend: Backend, [filter], context) =>
    filter.blockHash === undefined
      ? logsOfRange(backend, filter, context)
      : logsOfBlock(backend, filter.blockHash, new LogMatcher(filter), context),
})

function logsOfBlock(
  { chain, options }: Backend,
  hash: Uint8Array,
  matcher: LogMatcher,
  context: RequestContext,
): TextResult {
  const header = chain.headerByHash(hash)
  const text = heldText(context)
  if (header !== undefined) return blockLogs(chain, header, matcher, !chain.isCanonical(hash), text).result()
  if (options.profile === 'besu') return text.result()
  throw new NodeError({ code: 'BLOCK_NOT_FOUND' }, 'unknown block')
}

function logsOfRange(backend: Backend, filter: LogFilter, context: RequestContext): TextResult | Promise<TextResult> {
  const { chain, options } = backend
  const from = rangeEnd(chain, filter.fromBlock ?? LATEST)
  const to = rangeEnd(chain, filter.toBlock ?? LATEST)
  const limit = options.maxLogsRange
  if (limit > 0 && to - from > limit) {
    throw new NodeError({ code: 'RANGE_TOO_LARGE' }, `block range exceeds the limit of ${limit}`)
  }
  return scannedLogs(backend, new LogMatcher(filter), { from, to }, context)
}

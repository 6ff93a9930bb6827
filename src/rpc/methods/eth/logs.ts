import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import { LOG_SCAN_BLOCKS } from '../../../config/limits.ts'
import { isNodeError, NodeError } from '../../../primitives/errors.ts'
import type { RpcOptions } from '../../backend.ts'
import { type BlockNumberOrTag, LATEST } from '../../codecs/blockParameter.ts'
import { type LogFilter, logFilter } from '../../codecs/filter.ts'
import { type LogView, log } from '../../codecs/receipt.ts'
import { arrayOf, invalidParams } from '../../codecs/support.ts'
import { LogMatcher } from '../../logMatcher.ts'
import { findHeader } from '../../lookup.ts'
import { type CallContext, defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { blockLogs } from '../../views.ts'

interface Backend {
  readonly chain: ChainReader
  readonly options: RpcOptions
  pause(): Promise<void>
}

export const getLogs: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getLogs',
  group: 'ETH',
  summary: 'Logs of a range of canonical blocks, or of one block, that match a filter.',
  params: [param('filter', logFilter)],
  result: result('logs', arrayOf(log)),
  errors: ['RANGE_TOO_LARGE', 'BLOCK_NOT_FOUND', 'TIMEOUT'],
  handler: (backend: Backend, [filter], context) =>
    filter.blockHash === undefined
      ? logsOfRange(backend, filter, context)
      : logsOfBlock(backend, filter.blockHash, new LogMatcher(filter)),
})

function logsOfBlock({ chain, options }: Backend, hash: Uint8Array, matcher: LogMatcher): LogView[] {
  const header = chain.headerByHash(hash)
  if (header !== undefined) return matchingLogs(chain, header, matcher, !chain.isCanonical(hash))
  if (options.profile === 'besu') return []
  throw new NodeError({ code: 'BLOCK_NOT_FOUND' }, 'unknown block')
}

function logsOfRange(backend: Backend, filter: LogFilter, context: CallContext): LogView[] | Promise<LogView[]> {
  const { chain, options } = backend
  const from = boundary(chain, filter.fromBlock)
  const to = boundary(chain, filter.toBlock)
  const limit = options.maxLogsRange
  if (limit > 0 && to - from > limit) {
    throw new NodeError({ code: 'RANGE_TOO_LARGE' }, `block range exceeds the limit of ${limit}`)
  }
  const matcher = new LogMatcher(filter)
  const first = Math.max(from, 0)
  const last = Math.min(to, Number(chain.head.header.number))
  if (last - first < LOG_SCAN_BLOCKS) return scan(chain, matcher, first, last)
  return scanInTurns(backend, matcher, first, last, context)
}

function scan(chain: ChainReader, matcher: LogMatcher, first: number, last: number): LogView[] {
  const logs: LogView[] = []
  for (let number = first; number <= last; number++) {
    const header = chain.headerByNumber(number)
    if (header === undefined) break
    for (const view of matchingLogs(chain, header, matcher, false)) logs.push(view)
  }
  return logs
}

async function scanInTurns(
  { chain, pause }: Backend,
  matcher: LogMatcher,
  first: number,
  last: number,
  { signal }: CallContext,
): Promise<LogView[]> {
  const logs: LogView[] = []
  for (let number = first; number <= last; number += LOG_SCAN_BLOCKS) {
    const end = Math.min(number + LOG_SCAN_BLOCKS - 1, last)
    for (const view of scan(chain, matcher, number, end)) logs.push(view)
    await pause()
    if (signal?.aborted === true) throw new NodeError({ code: 'TIMEOUT' }, 'request timed out')
  }
  return logs
}

function matchingLogs(chain: ChainReader, header: ChainHeader, matcher: LogMatcher, removed: boolean): LogView[] {
  if (!matcher.mayMatch(header.header.logsBloom)) return []
  return blockLogs(chain, header, (entry) => matcher.matches(entry), removed)
}

/** Number of a range's end; beyond the head it stays as it is. */
function boundary(chain: ChainReader, block: BlockNumberOrTag = LATEST): number {
  if (block.kind === 'number') return block.number
  try {
    return Number(findHeader(chain, block)?.header.number ?? chain.head.header.number)
  } catch (error) {
    if (isNodeError(error, 'UNKNOWN_BLOCK')) throw invalidParams(error.message)
    throw error
  }
}

import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
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
}

export const getLogs: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getLogs',
  group: 'ETH',
  summary: 'Logs of a range of canonical blocks, or of one block, that match a filter.',
  params: [param('filter', logFilter)],
  result: result('logs', arrayOf(log)),
  errors: ['RANGE_TOO_LARGE', 'TIMEOUT'],
  handler: ({ chain, options }: Backend, [filter], context) =>
    filter.blockHash === undefined
      ? logsOfRange(chain, filter, options.maxLogsRange, context)
      : logsOfBlock(chain, filter.blockHash, new LogMatcher(filter)),
})

function logsOfBlock(chain: ChainReader, hash: Uint8Array, matcher: LogMatcher): LogView[] {
  const header = chain.headerByHash(hash)
  return header === undefined ? [] : matchingLogs(chain, header, matcher, !chain.isCanonical(hash))
}

function logsOfRange(chain: ChainReader, filter: LogFilter, limit: number, context: CallContext): LogView[] {
  const from = boundary(chain, filter.fromBlock)
  const to = boundary(chain, filter.toBlock)
  if (limit > 0 && to - from > limit) {
    throw new NodeError({ code: 'RANGE_TOO_LARGE' }, `block range exceeds the limit of ${limit}`)
  }
  const matcher = new LogMatcher(filter)
  const last = Math.min(to, Number(chain.head.header.number))
  const logs: LogView[] = []
  for (let number = Math.max(from, 0); number <= last; number++) {
    if (context.signal?.aborted) throw new NodeError({ code: 'TIMEOUT' }, 'request timed out')
    const header = chain.headerByNumber(number)
    if (header === undefined) break
    for (const view of matchingLogs(chain, header, matcher, false)) logs.push(view)
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

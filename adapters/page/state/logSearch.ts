/**
 * Logs of a long chain, newest first, within a bound of requests.
 * @module
 */
import { count, toQuantity } from '../format/hex.ts'
import type { Ask } from '../rpc/ask.ts'
import { RpcError } from '../rpc/errors.ts'
import type { Log } from '../rpc/types.ts'

export interface LogFilter {
  readonly address?: string
  readonly topics: readonly (string | readonly string[] | null)[]
}

export interface FoundLogs {
  /** Newest first. */
  readonly logs: readonly Log[]
  /** All blocks from this one on were searched. */
  readonly from: number
}

const FIRST_RANGE = 1024
const MAX_REQUESTS = 24

/**
 * Searches ranges that grow while they are empty, and shrink when the node refuses one as too large.
 * @param filters a log is found when it fits one of them
 * @param until no block above; undefined: the head
 * @param wanted number of logs after which the search ends
 */
export async function searchLogs(
  ask: Ask,
  filters: readonly LogFilter[],
  wanted: number,
  until?: number,
): Promise<FoundLogs> {
  let to = until ?? count(await ask<string>('eth_blockNumber'))
  let range = FIRST_RANGE
  const logs: Log[] = []
  for (let requests = 0; requests < MAX_REQUESTS && to >= 0 && logs.length < wanted; requests++) {
    const from = Math.max(0, to - range + 1)
    try {
      const found = await Promise.all(
        filters.map((filter) =>
          ask<readonly Log[]>('eth_getLogs', { ...filter, fromBlock: toQuantity(from), toBlock: toQuantity(to) }),
        ),
      )
      logs.push(...found.flat().toSorted(newestFirst))
      to = from - 1
      range *= 4
    } catch (error) {
      if (!(error instanceof RpcError) || range === 1) throw error
      range = Math.max(1, range >> 3)
    }
  }
  return { logs: unique(logs), from: to + 1 }
}

function newestFirst(a: Log, b: Log): number {
  return count(b.blockNumber) - count(a.blockNumber) || count(b.logIndex) - count(a.logIndex)
}

/** A log may fit two filters. */
function unique(logs: readonly Log[]): Log[] {
  return [...new Map(logs.map((log) => [`${log.blockHash} ${log.logIndex}`, log])).values()]
}

import type { Chain } from '../chain/chain.ts'
import { TERM_SECTIONS } from '../chain/termIndex/indexColumn.ts'
import { INDEX_REPORT_INTERVAL_MS } from '../config/limits.ts'
import { DerivedColumns } from '../storage/derivedColumns.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { NodeHost } from './node.ts'

export interface IndexBuild {
  /** Resolves when there is nothing left to build, or when it was stopped or has failed. */
  readonly done: Promise<void>
  /** Stops after the batch under way. A later start of the node goes on from there. */
  close(): Promise<void>
}

/**
 * Completes, turn by turn with the blocks that come in, the indexes of a database that is older than they are. What is
 * not indexed yet is searched block by block.
 */
export function startIndexBuild(host: NodeHost, chain: Pick<Chain, 'inTurn'>): IndexBuild {
  const { logger } = host
  const stop = new AbortController()
  const done = build(host, chain, stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) logger.error('the index could not be completed', { error })
  })
  return {
    done,
    close: () => {
      stop.abort()
      return done
    },
  }
}

async function build(host: NodeHost, chain: Pick<Chain, 'inTurn'>, signal: AbortSignal): Promise<void> {
  const { store, residency, clock, logger, yieldToHost } = host
  const columns = await retryMisses(() => new DerivedColumns(store, [TERM_SECTIONS]), residency)
  let reportedMs = clock.monotonic()
  let isReported = false
  await columns.build({
    signal,
    inTurn: async (turn) => {
      await yieldToHost()
      if (!signal.aborted) await chain.inTurn(() => retryMisses(turn, residency))
    },
    report: (index, progress) => {
      const now = clock.monotonic()
      const isDue = now - reportedMs >= INDEX_REPORT_INTERVAL_MS
      if (!isDue && !(isReported && progress === 1)) return
      isReported = true
      reportedMs = now
      logger.info('completing an index', { index, percent: Math.floor(progress * 100) })
    },
  })
}

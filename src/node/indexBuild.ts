import type { Chain } from '../chain/chain.ts'
import { SPENT_TERMS, TERM_SECTIONS } from '../chain/termIndex/indexColumn.ts'
import { IndexColumns } from '../storage/indexColumns.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { NodeHost } from './host.ts'
import type { Lifecycle } from './lifecycle.ts'
import { LongWork } from './longWork.ts'

/** A completion that takes longer is reported. */
const REPORT_DELAY_MS = 10_000

/**
 * Completes the indexes of a database that is older than they are, in tasks that alternate with block imports. Blocks
 * that are not indexed yet are searched one by one. A stop waits for the current batch; a later start resumes there.
 */
export class IndexBuild implements Lifecycle {
  readonly name = 'index build'
  readonly #host: NodeHost
  readonly #chain: Pick<Chain, 'run'>
  readonly #abort = new AbortController()
  #done: Promise<void> = Promise.resolve()

  constructor(host: NodeHost, chain: Pick<Chain, 'run'>) {
    this.#host = host
    this.#chain = chain
  }

  /** Resolves when nothing is left to build, or when the build was stopped or has failed. */
  get done(): Promise<void> {
    return this.#done
  }

  start(): void {
    const { signal } = this.#abort
    this.#done = build(this.#host, this.#chain, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#host.logger.error('failed to complete the index', { error })
    })
  }

  stop(): Promise<void> {
    this.#abort.abort()
    return this.#done
  }
}

async function build(host: NodeHost, chain: Pick<Chain, 'run'>, signal: AbortSignal): Promise<void> {
  const { store, residency, clock, yieldToHost } = host
  const columns = await retryMisses(() => new IndexColumns(store, [TERM_SECTIONS, SPENT_TERMS]), residency)
  const startedMs = clock.monotonic()
  let work: LongWork | undefined
  await columns.build({
    signal,
    inTurn: async (turn) => {
      await yieldToHost()
      if (!signal.aborted) await chain.run('ordinary', () => retryMisses(turn, residency))
    },
    report: (index, progress) => {
      if (work === undefined && clock.monotonic() - startedMs < REPORT_DELAY_MS) return
      work ??= new LongWork(host, 'completing an index', { index })
      work.report(progress)
    },
  })
  if (!signal.aborted) work?.end()
}

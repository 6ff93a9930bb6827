/**
 * `db compact` and `db prune`, on the data directory of a stopped node.
 * @module
 */
import { NodeError } from '../../../../src/base/primitives/errors.ts'
import type { ImportEnd } from '../../../../src/chain/importReport.ts'
import { StatePruner } from '../../../../src/chain/pruning/statePruner.ts'
import { Column } from '../../../../src/storage/schema.ts'
import { compactDatabase } from '../../data/compaction.ts'
import type { ServerNode } from '../../serverNode.ts'
import type { CommandRun } from './commandRun.ts'

export { requireDatabase } from '../../data/dataDirectory.ts'

const MEGABYTE = 1e6

/** @throws {NodeError} as {@link compactDatabase} */
export async function compact(directory: string, { output, signal }: CommandRun): Promise<void> {
  const showProgress = (progress: Parameters<typeof output.showWork>[0]): void => output.showWork(progress)
  const { bytesBefore, bytesAfter } = await compactDatabase(directory, { showProgress, signal })
  output.progress.end()
  output.print({
    message: 'the database is compact',
    fields: { directory, bytesBefore, bytesAfter },
    text: () => `${directory}: the database has ${megabytes(bytesAfter)}, before ${megabytes(bytesBefore)}`,
  })
}

/**
 * @param retained blocks below the head whose states are kept
 * @returns whether all is deleted; false after a signal
 * @throws {NodeError} INVALID_OPTION for a chain with private transactions
 */
export async function prune(
  { node: { chain }, host, chosenGenesis, directory }: ServerNode,
  retained: number,
  { output, signal }: CommandRun,
): Promise<boolean> {
  const { store: kv } = host
  for (const _ of kv.range({ prefix: Uint8Array.of(Column.privateRoots), limit: 1 })) {
    const message = `${directory} has private transactions, which need the states of all blocks`
    throw new NodeError({ code: 'INVALID_OPTION' }, message)
  }
  const target = Math.max(1, Number(chain.head.header.number) - retained)
  const startedMs = performance.now()
  let deletedTo: number | undefined
  const pruner = new StatePruner({
    ...host,
    chain,
    kv,
    residency: host.residency,
    retained,
    isDev: chosenGenesis.isDev,
    // Nothing else reads.
    graceMs: 0,
    stepBlocks: 1,
    onDeleted: (number) => {
      deletedTo = number
      const fraction = Math.min(1, number / target)
      const remainingMs = fraction === 0 ? undefined : ((performance.now() - startedMs) / fraction) * (1 - fraction)
      output.showWork({ work: 'deleting old states', fields: { block: number }, fraction, remainingMs })
    },
  })
  const stop = (): void => void pruner.stop()
  signal.addEventListener('abort', stop, { once: true })
  await pruner.prune()
  signal.removeEventListener('abort', stop)
  output.progress.end()
  const result = deletedTo === undefined ? 'no states to delete' : `the states up to block ${deletedTo} are deleted`
  const stopped = signal.aborted ? 'stopped; ' : ''
  output.print({
    message: `${stopped}${result}`,
    fields: { directory, deletedTo: deletedTo ?? null, retained, head: chain.head.header.number },
    text: () => `${directory}: ${stopped}${result}; "db compact" makes the file smaller`,
  })
  return !signal.aborted
}

/**
 * Deletes old states while blocks are imported, so that the database does not grow with all of them.
 * @param retained blocks below the head whose states are kept
 */
export async function pruneDuring(
  { node: { chain }, host, chosenGenesis: { isDev } }: ServerNode,
  retained: number,
  signal: AbortSignal,
  work: () => Promise<ImportEnd['kind']>,
): Promise<ImportEnd['kind']> {
  const { store: kv, residency } = host
  // Nothing else reads.
  const pruner = new StatePruner({ ...host, chain, kv, residency, retained, isDev, graceMs: 0 })
  const stop = (): void => void pruner.stop()
  signal.addEventListener('abort', stop, { once: true })
  pruner.start()
  try {
    const end = await work()
    if (end !== 'aborted') await pruner.prune()
    return end
  } finally {
    signal.removeEventListener('abort', stop)
    await pruner.stop()
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`
}

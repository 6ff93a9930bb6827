/**
 * `blocks import` and `blocks export`.
 * @see docs/reference/cli-and-config.md section 7
 * @module
 */

import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../../../src/base/primitives/errors.ts'
import { importBlocks } from '../../../../src/chain/import.ts'
import type { ImportEnd, ImportProgress } from '../../../../src/chain/importReport.ts'
import { type Progress, secondsLeft, timeLeft } from '../../../../src/cli/progress.ts'
import type { CommandValues } from '../../../../src/config/options.ts'
import { readBlocks } from '../../../../src/types/blockSplitter.ts'
import type { ServerNode } from '../../serverNode.ts'
import type { Output } from '../output.ts'
import type { CommandRun } from './commandRun.ts'

const READ_BYTES = 1024 * 1024
const SHOW_INTERVAL_MS = 1000

/**
 * Imports the files in sequence, up to the first invalid block. An error is reported first, then the summary of what
 * is kept.
 * @returns `failed` after an invalid block or another error during the import; the error has been reported
 * @throws {NodeError} INVALID_OPTION before the import of a file
 */
export async function importFiles(
  serverNode: ServerNode,
  files: readonly string[],
  values: CommandValues<'blocks import'>,
  run: CommandRun,
): Promise<ImportEnd['kind']> {
  if (files.length === 0)
    throw new NodeError({ code: 'INVALID_OPTION' }, 'No files specified to import; use --from=FILE')
  if (values.format === 'JSON') {
    throw new NodeError({ code: 'INVALID_OPTION' }, 'Block files in JSON are not supported')
  }
  for (const file of files) {
    const kind = await importFile(serverNode, file, values, run)
    if (kind !== 'done') return kind
  }
  return 'done'
}

async function importFile(
  serverNode: ServerNode,
  file: string,
  values: CommandValues<'blocks import'>,
  run: CommandRun,
): Promise<ImportEnd['kind']> {
  const { node, host } = serverNode
  const { output, signal } = run
  const totalBytes = fileSize(file)
  let last: ImportProgress | undefined
  const show = (): void => output.progress.show(() => progressOf(file, node.chain.head.header.number, last))
  // The head moves within a chunk, and the first chunk may wait for the cache of an ethash epoch.
  const timer = setInterval(show, SHOW_INTERVAL_MS)
  const endProgress = (): void => {
    clearInterval(timer)
    output.progress.end()
  }
  show()
  try {
    const report = await importBlocks(
      { chain: node.chain, senders: host.senders, clock: host.clock },
      {
        blocks: readBlocks(createReadStream(file, { highWaterMark: READ_BYTES })),
        verifySeal: !values['skip-pow-validation-enabled'],
        signal,
        totalBytes,
        ...(values['start-block'] === undefined ? {} : { startBlock: values['start-block'] }),
        ...(values['end-block'] === undefined ? {} : { endBlock: values['end-block'] }),
        onProgress: (progress) => {
          last = progress
          show()
        },
      },
    )
    endProgress()
    const { end } = report
    if (end.kind === 'failed') output.fail(end.reason)
    summarize(serverNode, file, report, end.kind, output)
    return end.kind
  } catch (error) {
    endProgress()
    if (!isNodeError(error) || last === undefined) throw error
    output.fail(error.message)
    summarize(serverNode, file, last, 'broken', output)
    return 'failed'
  }
}

type Outcome = ImportEnd['kind'] | 'broken'

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  done: '',
  aborted: 'stopped, ',
  failed: 'stopped at an invalid block, ',
  broken: 'stopped at an error, ',
}

function summarize(
  { node }: ServerNode,
  file: string,
  progress: ImportProgress,
  outcome: Outcome,
  output: Output,
): void {
  const { imported, skipped, transactions, gasUsed, elapsedMs } = progress
  const { header, hash } = node.chain.head
  const hint = outcome === 'done' ? '' : '; the blocks imported so far are kept'
  output.print({
    message: outcome === 'done' ? 'imported blocks' : 'the import has stopped; the blocks imported so far are kept',
    fields: {
      file,
      imported,
      skipped,
      transactions,
      gasUsed,
      seconds: rounded(elapsedMs / 1000),
      ...rateFields(progress),
      head: header.number,
      hash,
    },
    text: () => {
      const counts = `${OUTCOMES[outcome]}${imported} blocks imported (${transactions} transactions), ${skipped} skipped`
      const time = `in ${(elapsedMs / 1000).toFixed(2)} s: ${rateText(progress)}`
      return `${file}: ${counts} ${time}${hint}; head ${header.number} ${bytesToHex(hash)}`
    },
  })
}

function fileSize(file: string): number {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats !== undefined && !stats.isDirectory()) return stats.size
  const reason = stats === undefined ? 'no such file' : 'it is a directory'
  throw new NodeError({ code: 'INVALID_OPTION' }, `Could not import from file ${file}: ${reason}`)
}

function rateFields({ blocksPerSecond, megagasPerSecond }: ImportProgress) {
  return { blocksPerSecond: rounded(blocksPerSecond), megagasPerSecond: rounded(megagasPerSecond) }
}

function rateText({ blocksPerSecond, megagasPerSecond }: ImportProgress): string {
  return `${blocksPerSecond.toFixed(0)} blocks/s, ${megagasPerSecond.toFixed(2)} Mgas/s`
}

function rounded(value: number): number {
  return Number(value.toFixed(2))
}

/** @param progress undefined until the first chunk of blocks is complete */
function progressOf(file: string, head: bigint, progress: ImportProgress | undefined): Progress {
  const [fields, text] = [{ file, head }, `importing blocks: block ${head}`]
  if (progress === undefined) return { message: 'importing blocks', fields, text }
  const { imported, remainingMs } = progress
  return {
    message: 'importing blocks',
    fields: { ...fields, imported, ...rateFields(progress), ...secondsLeft(remainingMs) },
    text: `${text}, ${rateText(progress)}${timeLeft(remainingMs)}`,
  }
}

/**
 * Writes blocks to a file. With a start block it appends to the file; otherwise it overwrites it.
 * @returns whether the export is complete; false after a signal
 * @throws {NodeError} INVALID_BLOCK_RANGE, INVALID_OPTION
 */
export async function exportFile(
  { node, host, directory }: ServerNode,
  values: CommandValues<'blocks export'>,
  { output, signal }: CommandRun,
): Promise<boolean> {
  const { to, 'start-block': startBlock, 'end-block': endBlock } = values
  if (to === undefined) throw new NodeError({ code: 'INVALID_OPTION' }, "Missing required option: '--to=FILE'")
  const range = { ...(startBlock === undefined ? {} : { startBlock }), ...(endBlock === undefined ? {} : { endBlock }) }
  const { header } = node.chain.head
  const firstNumber = Number(node.chain.genesis.header.number)
  const blocks = node.chain.exportBlocks(range)
  if (Number(header.number) === firstNumber) {
    const message = `Chain is empty. Unable to export blocks from specified data directory: ${directory ?? 'memory'}`
    throw new NodeError({ code: 'EMPTY_CHAIN' }, message)
  }
  const first = Math.max(startBlock ?? 0, firstNumber)
  const total = Math.min(endBlock ?? Number.MAX_SAFE_INTEGER, Number(header.number) + 1) - first
  const startedMs = host.clock.monotonic()
  let count = 0
  const countedChunks = function* (): Generator<Uint8Array, void, undefined> {
    for (const block of blocks) {
      if (signal.aborted) return
      count++
      output.progress.show(() => exportProgress(count, total, host.clock.monotonic() - startedMs))
      yield block
    }
  }
  await writeFile(to, countedChunks(), startBlock === undefined ? 'w' : 'a')
  output.progress.end()
  const stopped = signal.aborted && count < total
  output.print({
    message: stopped ? 'the export has stopped; the file is incomplete' : 'exported blocks',
    fields: { file: to, blocks: count },
    text: () => `${stopped ? 'stopped, ' : ''}${count} blocks exported to ${to}${stopped ? `, of ${total}` : ''}`,
  })
  return !stopped
}

function exportProgress(count: number, total: number, elapsedMs: number): Progress {
  const blocksPerSecond = count / (Math.max(elapsedMs, 1) / 1000)
  const remainingMs = ((total - count) / blocksPerSecond) * 1000
  return {
    message: 'exporting blocks',
    fields: { blocks: count, total, blocksPerSecond: rounded(blocksPerSecond), ...secondsLeft(remainingMs) },
    text: `exporting blocks: ${count} of ${total}, ${blocksPerSecond.toFixed(0)} blocks/s${timeLeft(remainingMs)}`,
  }
}

async function writeFile(file: string, parts: Iterable<Uint8Array>, flags: 'w' | 'a'): Promise<void> {
  try {
    await pipeline(parts, createWriteStream(file, { flags }))
  } catch (cause) {
    if (cause instanceof NodeError) throw cause
    const { message } = cause as Error
    throw new NodeError({ code: 'INVALID_OPTION' }, `Could not write ${file}: ${message}`, { cause })
  }
}

/**
 * `blocks import` and `blocks export`.
 * @see cli-and-config.md section 7
 * @module
 */

import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { type ImportReport, importBlocks } from '../../../src/chain/import.ts'
import type { ImportProgress } from '../../../src/chain/importTally.ts'
import type { CommandValues } from '../../../src/config/options.ts'
import { bytesToHex } from '../../../src/primitives/bytes.ts'
import { NodeError } from '../../../src/primitives/errors.ts'
import { readBlocks } from '../../../src/types/blockSplitter.ts'
import type { Session } from '../session.ts'
import { print, progressLine } from '../terminal.ts'

const READ_BYTES = 1024 * 1024

/**
 * Imports the files in sequence, up to the first invalid block.
 * @throws {NodeError} INVALID_BLOCK, INVALID_OPTION
 */
export async function importFiles(
  { node, host }: Session,
  files: readonly string[],
  values: CommandValues<'blocks import'>,
  signal: AbortSignal,
): Promise<void> {
  if (files.length === 0)
    throw new NodeError({ code: 'INVALID_OPTION' }, 'No files specified to import; use --from=FILE')
  if (values.format === 'JSON') {
    throw new NodeError({ code: 'INVALID_OPTION' }, 'Block files in JSON are not supported')
  }
  for (const file of files) {
    const report = await importFile({ node, host }, file, values, signal)
    progressLine.clear()
    const outcome = report.end.kind === 'failed' ? 'stopped at an invalid block, ' : ''
    print(`${file}: ${outcome}${summary(report)}; head ${headOf(node)}`)
    if (report.end.kind === 'failed') throw new NodeError({ code: 'INVALID_BLOCK' }, report.end.reason)
    if (report.end.kind === 'aborted') {
      print('stopped; the blocks imported so far are kept')
      return
    }
  }
}

function importFile(
  { node, host }: Pick<Session, 'node' | 'host'>,
  file: string,
  values: CommandValues<'blocks import'>,
  signal: AbortSignal,
): Promise<ImportReport> {
  const totalBytes = fileSize(file)
  return importBlocks(
    { chain: node.chain, senders: host.senders, clock: host.clock },
    {
      blocks: readBlocks(createReadStream(file, { highWaterMark: READ_BYTES })),
      verifySeal: !values['skip-pow-validation-enabled'],
      signal,
      totalBytes,
      ...(values['start-block'] === undefined ? {} : { startBlock: values['start-block'] }),
      ...(values['end-block'] === undefined ? {} : { endBlock: values['end-block'] }),
      onProgress: (progress) => progressLine.show(progressText(progress)),
    },
  )
}

function fileSize(file: string): number {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats !== undefined && !stats.isDirectory()) return stats.size
  const reason = stats === undefined ? 'no such file' : 'it is a directory'
  throw new NodeError({ code: 'INVALID_OPTION' }, `Could not import from file ${file}: ${reason}`)
}

function headOf({ chain }: Session['node']): string {
  return `${chain.head.header.number} ${bytesToHex(chain.head.hash)}`
}

function rates({ blocksPerSecond, megagasPerSecond }: ImportProgress): string {
  return `${blocksPerSecond.toFixed(0)} blocks/s, ${megagasPerSecond.toFixed(2)} Mgas/s`
}

function progressText(progress: ImportProgress): string {
  const left = progress.remainingMs === undefined ? '' : `, ${Math.ceil(progress.remainingMs / 1000)} s left`
  return `block ${progress.lastBlock ?? 0}: ${rates(progress)}${left}`
}

function summary(progress: ImportProgress): string {
  const { imported, skipped, transactions, elapsedMs } = progress
  const counts = `${imported} blocks imported (${transactions} transactions), ${skipped} skipped`
  return `${counts} in ${(elapsedMs / 1000).toFixed(2)} s: ${rates(progress)}`
}

/**
 * Writes blocks to a file. With a start block it appends to the file; otherwise it overwrites it.
 * @throws {NodeError} INVALID_BLOCK_RANGE, INVALID_OPTION
 */
export async function exportFile(
  { node, directory }: Session,
  values: CommandValues<'blocks export'>,
  signal: AbortSignal,
): Promise<void> {
  const { to, 'start-block': startBlock, 'end-block': endBlock } = values
  if (to === undefined) throw new NodeError({ code: 'INVALID_OPTION' }, "Missing required option: '--to=FILE'")
  const range = { ...(startBlock === undefined ? {} : { startBlock }), ...(endBlock === undefined ? {} : { endBlock }) }
  const { header } = node.chain.head
  const blocks = node.chain.exportBlocks(range)
  if (header.number === 0n) {
    const message = `Chain is empty. Unable to export blocks from specified data directory: ${directory ?? 'memory'}`
    throw new NodeError({ code: 'EMPTY_CHAIN' }, message)
  }
  let count = 0
  const counted = function* (): Generator<Uint8Array, void, undefined> {
    for (const block of blocks) {
      if (signal.aborted) return
      count++
      progressLine.show(`${count} blocks written`)
      yield block
    }
  }
  await writeFile(to, counted(), startBlock === undefined ? 'w' : 'a')
  progressLine.clear()
  print(`${count} blocks exported to ${to}`)
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

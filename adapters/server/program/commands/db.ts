/**
 * `db backup` and `db restore`.
 * @module
 */
import type { CommandValues } from '../../../../src/config/options.ts'
import { type BackupRecord, backUp, restore } from '../../data/backup.ts'
import type { CommandRun } from './commandRun.ts'

const MEGABYTE = 1e6

/** @throws {NodeError} those of {@link backUp} */
export async function writeBackup(
  directory: string,
  { to, 'with-keys': withKeys }: CommandValues<'db backup'>,
  { output, signal }: CommandRun,
): Promise<void> {
  const record = await backUp(directory, to, withKeys, {
    showProgress: (progress) => output.showWork(progress),
    signal,
  })
  output.progress.end()
  const keys = withKeys ? 'with the private keys' : 'without private keys (--with-keys copies them)'
  output.print({
    message: 'the data are copied',
    fields: { directory, to, withKeys, ...fieldsOf(record) },
    text: () => `${directory} is copied to ${to}, ${keys}: ${textOf(record)}`,
  })
}

/** @throws {NodeError} those of {@link restore} */
export async function restoreBackup(
  directory: string,
  { from }: CommandValues<'db restore'>,
  { output, signal }: CommandRun,
): Promise<void> {
  const record = await restore(from, directory, { showProgress: (progress) => output.showWork(progress), signal })
  output.progress.end()
  output.print({
    message: 'the backup is restored',
    fields: { directory, from, ...fieldsOf(record) },
    text: () => `${from} is copied to ${directory}: ${textOf(record)}`,
  })
}

function bytesOf({ files }: BackupRecord): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

function fieldsOf(record: BackupRecord) {
  const { headNumber = null, headHash } = record
  return { bytes: bytesOf(record), head: headNumber, hash: headHash }
}

function textOf(record: BackupRecord): string {
  const { headNumber, headHash } = record
  const head = headNumber === undefined ? headHash : `${headNumber} ${headHash}`
  return `${(bytesOf(record) / MEGABYTE).toFixed(1)} MB, the chain ends at block ${head}`
}

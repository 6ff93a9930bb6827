/**
 * `db stats` and `db verify`: they read one state of the database, also beside a running node.
 * @module
 */
import { statSync } from 'node:fs'
import path from 'node:path'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../../src/base/primitives/errors.ts'
import {
  type ColumnUsage,
  columnUsage,
  type StoreAverages,
  type StoreBounds,
  storeAverages,
  storeBounds,
} from '../../../../src/chain/inspection/storeUsage.ts'
import { type VerifiedStore, verifyStore } from '../../../../src/chain/inspection/verifyStore.ts'
import { readMetadata } from '../../../../src/storage/metadata.ts'
import { columnOf } from '../../../../src/storage/schema.ts'
import { yieldToHost } from '../../../shared/systemPorts.ts'
import { installNodeCrypto } from '../../crypto/crypto.ts'
import { DATABASE_FILE, requireDatabase } from '../../data/dataDirectory.ts'
import { LmdbSnapshot, type PageUsage } from '../../data/lmdbSnapshot.ts'
import { storedHasher } from '../../data/storedHasher.ts'
import { rows } from '../banner.ts'
import type { CommandRun } from './commandRun.ts'

const MEGABYTE = 1e6

/** @throws {NodeError} INVALID_OPTION, STORE_DAMAGED, FORMAT_TOO_NEW, STORE_NOT_MIGRATED; STOPPED after the signal */
export async function printStats(directory: string, run: CommandRun): Promise<void> {
  await reading(directory, async (snapshot) => {
    const bounds = storeBounds(snapshot)
    if (bounds === undefined) throw noChain(directory)
    const { pages } = snapshot
    const work = { work: 'reading the database', total: pages.usedPages * pages.pageBytes }
    const usage = await worked(columnUsage(snapshot), run, (bytes) => ({ ...work, fraction: bytes / work.total }))
    const file = { ...pages, bytes: statSync(path.join(directory, DATABASE_FILE)).size }
    const averages = storeAverages(usage)
    run.output.print({
      message: 'the content of the database',
      fields: { directory, ...bounds, file, columns: usage, averages },
      text: () => statsText(directory, bounds, file, usage, averages),
    })
  })
}

/**
 * Prints every problem when it is found.
 * @returns whether there is none
 * @throws {NodeError} as {@link printStats}
 */
export async function verifyDatabase(directory: string, run: CommandRun): Promise<boolean> {
  await installNodeCrypto()
  return reading(directory, (snapshot) => verifySnapshot(snapshot, directory, run))
}

/** As {@link verifyDatabase}. @param directory for messages */
export async function verifySnapshot(snapshot: LmdbSnapshot, directory: string, run: CommandRun): Promise<boolean> {
  const { output } = run
  const metadata = readMetadata(snapshot)
  if (metadata === undefined) throw noChain(directory)
  let problems = 0
  const report = (column: string, keyBytes: Uint8Array, problem: string): void => {
    const key = bytesToHex(keyBytes)
    problems++
    output.print({
      level: 'error',
      message: 'a problem',
      fields: { column, key, problem },
      text: () => `${column} ${key}: ${problem}`,
    })
  }
  const values = snapshot.checkValues((key) =>
    report(columnOf(key) ?? 'no column', key, 'the value does not fit its checksum'),
  )
  await worked(values, run, (fraction) => ({ work: 'checking values', fraction }))
  const steps = verifyStore(snapshot, await storedHasher(metadata.genesis), report)
  const verified = await worked(steps, run, (progress) => progress)
  output.print({
    message: problems === 0 ? 'the database is intact' : 'the database is damaged',
    fields: { directory, problems, ...verified },
    text: () => `${directory}: ${problems === 0 ? 'no problems' : `${problems} problems`}; ${verifiedText(verified)}`,
  })
  return problems === 0
}

async function reading<T>(directory: string, work: (snapshot: LmdbSnapshot) => Promise<T>): Promise<T> {
  requireDatabase(directory)
  const snapshot = new LmdbSnapshot(path.dirname(path.join(directory, DATABASE_FILE)))
  try {
    return await work(snapshot)
  } finally {
    await snapshot.close()
  }
}

interface Step {
  readonly work: string
  readonly fraction: number
}

/** Runs work to its end, and shows its progress. Signals are received between two steps. */
async function worked<S, T>(
  steps: Generator<S, T>,
  { output, signal }: CommandRun,
  describe: (step: S) => Step,
): Promise<T> {
  let current: string | undefined
  let startedMs = 0
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) {
      output.progress.end()
      return step.value
    }
    const { work, fraction } = describe(step.value)
    if (work !== current) startedMs = performance.now()
    current = work
    const elapsedMs = performance.now() - startedMs
    const remainingMs = fraction > 0 ? (elapsedMs / fraction) * (1 - fraction) : undefined
    output.showWork({ work, fields: {}, fraction, remainingMs })
    do await yieldToHost()
    while (output.isBehind && !signal.aborted)
    if (signal.aborted) throw new NodeError({ code: 'STOPPED' }, 'stopped before the end of the database')
  }
}

function noChain(directory: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, `the database in ${directory} has no chain`)
}

function statsText(
  directory: string,
  { format, genesisHash, head, headHash, stateFrom, prunedTo }: StoreBounds,
  { bytes, pageBytes, usedPages, freePages }: PageUsage & { readonly bytes: number },
  usage: readonly ColumnUsage[],
  averages: StoreAverages,
): string {
  const deleted = prunedTo === undefined ? '' : `; those up to block ${prunedTo} are deleted`
  const share = ((100 * freePages) / Math.max(1, usedPages + freePages)).toFixed(1)
  return [
    rows([
      ['directory', directory],
      ['format', String(format)],
      ['genesis', genesisHash],
      ['head', `${head ?? 'not stored'} ${headHash}`],
      ['states', `from block ${stateFrom}${deleted}`],
      [
        'file',
        `${megabytes(bytes)}: ${usedPages} pages of ${pageBytes} bytes, and ${freePages} free ones (${share} %)`,
      ],
    ]),
    '',
    columnTable(usage),
    '',
    `  average bytes of keys and values: ${averagesText(averages)}`,
  ].join('\n')
}

function columnTable(usage: readonly ColumnUsage[]): string {
  const total = usage.reduce((sum, { bytes }) => sum + bytes, 0)
  const row = (name: string, keys: string, bytes: string, share: string): string =>
    `  ${name.padEnd(18)}${keys.padStart(12)}${bytes.padStart(16)}${share.padStart(9)}`
  return [
    row('column', 'keys', 'bytes', 'share'),
    ...usage.map(({ column, keys, bytes }) =>
      row(column, String(keys), String(bytes), `${((100 * bytes) / total).toFixed(1)} %`),
    ),
    row('all', String(usage.reduce((sum, { keys }) => sum + keys, 0)), String(total), ''),
  ].join('\n')
}

function averagesText({ block, account, slot, trieNodesPerEntry, stateDiff }: StoreAverages): string {
  const parts: [string, number | undefined][] = [
    ['block', block],
    ['account', account],
    ['slot', slot],
    ['trie nodes per account and slot', trieNodesPerEntry],
    ['state diff', stateDiff],
  ]
  return parts.flatMap(([name, bytes]) => (bytes === undefined ? [] : [`${name} ${bytes.toFixed(0)}`])).join(', ')
}

function verifiedText({ head, blocks, transactions, accounts, slots, nodes, hasFlatView }: VerifiedStore): string {
  const flat = hasFlatView ? '' : '; the flat view belongs to another state and was not compared'
  return (
    `head ${head ?? 'missing'}, ${blocks} blocks, ${transactions} transactions, ` +
    `${accounts} accounts and ${slots} slots in ${nodes} trie nodes${flat}`
  )
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`
}

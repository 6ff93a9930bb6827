/**
 * `mirror push`, `info`, `verify`, `compact` and `prune`.
 * @module
 */
import path from 'node:path'
import process from 'node:process'
import { KeySigner } from '../../../../src/base/ports/keySigner.ts'
import type { ObjectStore } from '../../../../src/base/ports/objectStore.ts'
import { bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { historyBlocks } from '../../../../src/cli/mirrorRules.ts'
import type { CommandCall } from '../../../../src/cli/parse.ts'
import type { NodeOptions } from '../../../../src/config/options.ts'
import { type KnownIdentity, MirrorObjects } from '../../../../src/mirror/mirrorObjects.ts'
import type { PublishedDatabase } from '../../../../src/mirror/publisher/contract.ts'
import { type HistoryStart, newestBlocks } from '../../../../src/mirror/publisher/history.ts'
import { positionMutation } from '../../../../src/mirror/publisher/journal.ts'
import { pruneMirror } from '../../../../src/mirror/publisher/prune.ts'
import { Publisher } from '../../../../src/mirror/publisher/publisher.ts'
import { type VerifyStep, verifyMirror } from '../../../../src/mirror/verify.ts'
import { systemClock, yieldToHost } from '../../../shared/systemPorts.ts'
import { openDataDirectory, requireDatabase } from '../../data/dataDirectory.ts'
import { LmdbSnapshots } from '../../data/lmdbSnapshot.ts'
import { loadMirrorKey } from '../../data/nodeKey.ts'
import { installMirrorWriting } from '../../objects/mirrorCodec.ts'
import { openObjectReader, openObjectStore } from '../../objects/openObjects.ts'
import { rows } from '../banner.ts'
import type { CommandRun } from './commandRun.ts'

export type MirrorCall = Extract<CommandCall, { command: `mirror ${string}` }>

const SECOND_MS = 1000
const MEGABYTE = 1e6

/**
 * @param directory of the node's data; only commands that write use it
 * @returns the exit code
 * @throws {NodeError} INVALID_OPTION, those of the data directory, and those of {@link Publisher} and {@link verifyMirror}
 */
export async function runMirrorCommand(line: MirrorCall, directory: string, run: CommandRun): Promise<number> {
  await installMirrorWriting()
  const url = line.command === 'mirror push' ? line.values.to : (line.operands[0] ?? '')
  switch (line.command) {
    case 'mirror info':
      await printInfo(url, run)
      return 0
    case 'mirror verify':
      return (await verify(url, line, run)) ? 0 : 1
    case 'mirror push':
      await publishing({ url, directory, historyStart: historyOf(line) }, line.options, run, (publisher) =>
        push(publisher, line.values.rewind, run),
      )
      return 0
    case 'mirror compact':
      await publishing({ url, directory }, line.options, run, (publisher) => compact(publisher, run))
      return 0
    case 'mirror prune':
      await publishing({ url, directory }, line.options, run, async (publisher, objects) => {
        await publisher.open()
        await prune(objects, line, run)
      })
      return 0
  }
}

function historyOf({ values, options }: Extract<CommandCall, { command: 'mirror push' }>): HistoryStart {
  const { from } = values
  return from === undefined ? newestBlocks(historyBlocks(options)) : () => from
}

interface PublishedPlace {
  readonly url: string
  readonly directory: string
  /** undefined: the mirror keeps what it has */
  readonly historyStart?: HistoryStart
}

type Work = (publisher: Publisher, objects: ObjectStore) => Promise<void>

/** Opens the database of a stopped node, and a publisher for it. */
async function publishing(
  { url, directory, historyStart }: PublishedPlace,
  options: NodeOptions,
  { output, signal }: CommandRun,
  work: Work,
): Promise<void> {
  requireDatabase(directory)
  const objects = await openObjectStore(url, process.env)
  const data = openDataDirectory(directory, options['data-durability'])
  const snapshots = new LmdbSnapshots(path.dirname(data.databaseFile))
  const record: PublishedDatabase['record'] = async (position) => {
    await data.store.commit([positionMutation(position)])
  }
  let recorded = Promise.resolve()
  const database: PublishedDatabase = {
    open: () => snapshots.open(),
    note: (position) => {
      recorded = recorded.then(() => record(position))
    },
    record,
  }
  const startedMs = performance.now()
  try {
    const total = totalKeys(snapshots)
    const signer = new KeySigner(loadMirrorKey(directory, options['mirror-key-file']))
    const publisher = new Publisher({
      objects,
      database,
      signer,
      clock: systemClock,
      yieldToHost,
      historyStart,
      graceMs: options['mirror-grace'] * SECOND_MS,
      signal,
      onProgress: (keys) => {
        const fraction = Math.min(1, keys / total)
        const remainingMs = fraction === 0 ? undefined : ((performance.now() - startedMs) / fraction) * (1 - fraction)
        output.showWork({ work: 'publishing', fields: { keys }, fraction, remainingMs })
      },
    })
    await work(publisher, objects)
    await publisher.hint()
    await recorded
  } finally {
    output.progress.end()
    await snapshots.close()
    await data.close()
    await objects.close()
  }
}

/** Keys of the database: a little more than what is published. */
function totalKeys(snapshots: LmdbSnapshots): number {
  const snapshot = snapshots.open()
  const { entries } = snapshot.pages
  void snapshot.close()
  return Math.max(1, entries)
}

async function push(publisher: Publisher, rewinds: boolean, { output }: CommandRun): Promise<void> {
  let manifest = await publisher.open({ rewinds })
  // A mirror that keeps less of the history than before gives it up step by step.
  for (let next: typeof manifest | undefined = manifest; next !== undefined; ) {
    manifest = next
    next = await publisher.publishChanges()
  }
  const { recent, runs } = publisher.content
  const segments = [...recent, ...runs.flat()]
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0)
  const { number, head, publisher: address } = manifest
  output.progress.end()
  output.print({
    message: 'the chain is published',
    fields: { manifest: number, head: head.number, segments: segments.length, bytes, publisher: bytesToHex(address) },
    text: () =>
      `published up to block ${head.number} ${bytesToHex(head.hash)} as manifest ${number}: ${segments.length} segments, ` +
      `${megabytes(bytes)}. Readers trust the publisher ${bytesToHex(address)}`,
  })
}

async function compact(publisher: Publisher, { output }: CommandRun): Promise<void> {
  await publisher.open()
  const before = publisher.content.runs.length + publisher.content.recent.length
  await publisher.merge('whole')
  const { number } = await publisher.publishAnyway()
  output.print({
    message: 'the mirror is compact',
    fields: { manifest: number, runsBefore: before, runs: publisher.content.runs.length },
    text: () =>
      `the mirror is one run of segments since manifest ${number}, before ${before}; "mirror prune" deletes the old ones`,
  })
}

type PruneCall = Extract<CommandCall, { command: 'mirror prune' }>

async function prune(objects: ObjectStore, { options, values }: PruneCall, { output }: CommandRun): Promise<void> {
  const identity = await new MirrorObjects(objects).identity(undefined)
  const sinceMs = systemClock.now() - options['mirror-grace'] * SECOND_MS
  const { manifests, others } = await pruneMirror(objects, identity, { keep: values.keep, sinceMs })
  output.print({
    message: 'the mirror is pruned',
    fields: { manifests, others },
    text: () => `deleted ${manifests} manifests, and ${others} segments and lists`,
  })
}

async function printInfo(url: string, { output }: CommandRun): Promise<void> {
  const objects = await openObjectReader(url, process.env)
  try {
    const mirror = new MirrorObjects(objects)
    const identity = await mirror.identity(undefined)
    const number = (await mirror.lastListed()) ?? (await mirror.latest())
    const manifest = number === undefined ? undefined : await mirror.manifest(number, identity)
    const merged = manifest?.list === undefined ? [] : await mirror.list(manifest.list)
    const { recent = [], head, epoch, timeMs } = manifest ?? {}
    const levels = new Set(merged.map(({ level }) => level)).size
    const bytes = [...recent, ...merged].reduce((sum, segment) => sum + segment.bytes, 0)
    const fields = {
      ...identityFields(identity),
      manifest: number ?? null,
      head: head?.number ?? null,
      hash: head === undefined ? null : bytesToHex(head.hash),
      epoch: epoch ?? null,
      time: timeMs === undefined ? null : new Date(timeMs).toISOString(),
      recentSegments: recent.length,
      mergedSegments: merged.length,
      runs: levels,
      bytes,
    }
    output.print({
      message: 'the mirror',
      fields,
      text: () => rows(Object.entries(fields).map(([name, value]) => [name, String(value ?? 'none')])),
    })
  } finally {
    await objects.close()
  }
}

function identityFields({ chainId, genesisHash, publisher }: KnownIdentity) {
  return { chainId: String(chainId), genesis: bytesToHex(genesisHash), publisher: bytesToHex(publisher) }
}

type VerifyCall = Extract<CommandCall, { command: 'mirror verify' }>

/** Prints every problem when it is found. @returns whether there is none */
async function verify(url: string, { values, options }: VerifyCall, run: CommandRun): Promise<boolean> {
  const { output } = run
  const objects = await openObjectReader(url, process.env)
  let problems = 0
  const report = (object: string, problem: string): void => {
    problems++
    output.print({
      level: 'error',
      message: 'a problem',
      fields: { object, problem },
      text: () => (problem.startsWith(object) ? problem : `${object}: ${problem}`),
    })
  }
  try {
    const { publisher, deep } = values
    const trusted = publisher === undefined ? undefined : hexToBytes(publisher)
    const graceMs = options['mirror-grace'] * SECOND_MS
    const steps = verifyMirror(objects, { publisher: trusted, graceMs }, report)
    const { newest, ...totals } = await worked(steps, run)
    const bad = (): string => (problems === 0 ? 'no problems' : `${problems} problems`)
    output.print({
      message: problems === 0 ? 'the mirror is intact' : 'the mirror is damaged',
      fields: { problems, head: newest?.head.number ?? null, ...totals },
      text: () =>
        `${bad()}; ${totals.manifests} manifests up to block ${newest?.head.number ?? 'none'}, ${totals.segments} segments ` +
        `with ${totals.entries} entries and ${megabytes(totals.bytes)}, ${totals.unnamed} objects that nothing names`,
    })
    if (!deep || problems > 0) return problems === 0
    const { verifyDeep } = await import('./mirrorDeep.ts')
    return await verifyDeep(objects, newest, run)
  } finally {
    await objects.close()
  }
}

async function worked<T>(steps: AsyncGenerator<VerifyStep, T>, { output, signal }: CommandRun): Promise<T> {
  for (;;) {
    const { done, value } = await steps.next()
    if (done === true) {
      output.progress.end()
      return value
    }
    const { checked, total } = value
    output.showWork({
      work: 'checking manifests',
      fields: { checked },
      fraction: checked / total,
      remainingMs: undefined,
    })
    signal.throwIfAborted()
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`
}

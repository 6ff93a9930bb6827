/**
 * `mirror verify --deep`: the content of a mirror is a database, which is checked as one.
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { ObjectReader } from '../../../../src/base/ports/objectStore.ts'
import { isNodeError, NodeError } from '../../../../src/base/primitives/errors.ts'
import { storedConfig } from '../../../../src/config/storedConfig.ts'
import { createSchedule } from '../../../../src/consensus/createSchedule.ts'
import type { SignedManifest } from '../../../../src/mirror/format/manifest.ts'
import { MirrorObjects } from '../../../../src/mirror/mirrorObjects.ts'
import { readContent } from '../../../../src/mirror/publisher/mirrorContent.ts'
import { contentBlocks } from '../../../../src/mirror/publisher/segmentStreams.ts'
import { SealedChain } from '../../../../src/node/readOnly/sealedChain.ts'
import { readMetadata } from '../../../../src/storage/metadata.ts'
import { systemClock, yieldToHost } from '../../../shared/systemPorts.ts'
import { LmdbSnapshot } from '../../data/lmdbSnapshot.ts'
import { LmdbStore } from '../../data/lmdbStore.ts'
import type { CommandRun } from './commandRun.ts'
import { verifySnapshot } from './dbChecks.ts'

/** Entries that are stored together. */
const BATCH_ENTRIES = 10_000

/**
 * Copies the newest state into a temporary database, and checks blocks, indexes, the state of the head, and the seals there.
 * @returns whether there are no problems
 * @throws {NodeError} MIRROR_UNAVAILABLE, DISK_FULL, STOPPED
 */
export async function verifyDeep(
  objects: ObjectReader,
  newest: SignedManifest | undefined,
  run: CommandRun,
): Promise<boolean> {
  if (newest === undefined) return false
  const directory = mkdtempSync(path.join(os.tmpdir(), 'isonode-mirror-'))
  try {
    await copyTo(directory, objects, newest, run)
    const snapshot = new LmdbSnapshot(directory)
    try {
      const isIntact = await verifySnapshot(snapshot, 'the content of the mirror', run)
      return isIntact && (await verifySeals(snapshot, newest, run))
    } finally {
      await snapshot.close()
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** From the genesis block to the head. @returns false: a seal is missing or wrong */
async function verifySeals(snapshot: LmdbSnapshot, { head }: SignedManifest, { output }: CommandRun): Promise<boolean> {
  const metadata = readMetadata(snapshot)
  if (metadata === undefined) return false
  const config = await storedConfig(metadata.genesis)
  const deps = { config, schedule: createSchedule(config), yieldToHost, now: () => systemClock.now() }
  const chain = new SealedChain(deps, metadata.genesisHash, snapshot)
  try {
    await chain.verify({ table: snapshot, head, changed: undefined })
    output.print({
      message: 'the seals are valid',
      fields: { head: head.number },
      text: () => `the seals lead from the genesis block to block ${head.number}`,
    })
    return true
  } catch (error) {
    if (!isNodeError(error, 'SEALS_UNPROVEN') && !isNodeError(error, 'HEAD_UNTRUSTED')) throw error
    const isProblem = error.code === 'HEAD_UNTRUSTED'
    output.print({
      level: isProblem ? 'error' : 'info',
      message: isProblem ? 'a problem' : 'the seals were not checked',
      fields: { reason: error.message },
      text: () => error.message,
    })
    return !isProblem
  }
}

async function copyTo(
  directory: string,
  objects: ObjectReader,
  newest: SignedManifest,
  { output, signal }: CommandRun,
): Promise<void> {
  const store = new LmdbStore({ directory, durability: 'process' })
  try {
    const content = await readContent(new MirrorObjects(objects), newest)
    const total = [...content.recent, ...content.runs.flat()].reduce((sum, { entries }) => sum + entries, 0)
    let copied = 0
    let batch: { key: Uint8Array; value: Uint8Array }[] = []
    for await (const block of contentBlocks(objects, content)) {
      if (signal.aborted) throw new NodeError({ code: 'STOPPED' }, 'stopped before the end of the mirror')
      for (const { key, value } of block) if (value !== undefined) batch.push({ key, value })
      if (batch.length < BATCH_ENTRIES) continue
      copied += batch.length
      await store.commit(batch)
      batch = []
      output.showWork({
        work: 'copying the mirror',
        fields: { entries: copied },
        fraction: copied / total,
        remainingMs: undefined,
      })
    }
    await store.commit(batch)
  } finally {
    output.progress.end()
    await store.close()
  }
}

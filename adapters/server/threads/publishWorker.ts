/**
 * Worker thread of {@link PublishThread}: publishes a database that the node writes, from its own snapshots.
 * @module
 */
import process from 'node:process'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { PublisherStatus } from '../../../src/api/mirrorAccess.ts'
import type { Logger, LogLevel } from '../../../src/base/ports/host.ts'
import { KeySigner } from '../../../src/base/ports/keySigner.ts'
import type { PublishedDatabase } from '../../../src/mirror/publisher/contract.ts'
import { CountedObjects } from '../../../src/mirror/publisher/countedObjects.ts'
import { newestBlocks } from '../../../src/mirror/publisher/history.ts'
import type { PublishedPosition } from '../../../src/mirror/publisher/journal.ts'
import { Publisher } from '../../../src/mirror/publisher/publisher.ts'
import { Publishing, type PublishingProgress } from '../../../src/mirror/publisher/publishing.ts'
import { systemClock, systemTimers, yieldToHost } from '../../shared/systemPorts.ts'
import { LmdbSnapshots } from '../data/lmdbSnapshot.ts'
import { installMirrorWriting } from '../objects/mirrorCodec.ts'
import { openObjectStore } from '../objects/openObjects.ts'
import type { Ready } from './workerThread.ts'

export interface PublishWorkerData {
  /** Of the database. */
  readonly directory: string
  readonly url: string
  /** Private key that signs manifests, 32 bytes. */
  readonly key: Uint8Array
  readonly intervalMs: number
  readonly graceMs: number
  /** Newest blocks that the mirror keeps whole; undefined: all */
  readonly historyBlocks: number | undefined
}

export type ToPublisher =
  | { readonly kind: 'changed' }
  /** The position is stored. */
  | { readonly kind: 'recorded' }
  | { readonly kind: 'stop' }

export type FromPublisher =
  /** A snapshot is taken: commits from now on may not be in it. */
  | { readonly kind: 'reading' }
  | { readonly kind: 'note'; readonly position: PublishedPosition }
  | { readonly kind: 'record'; readonly position: PublishedPosition }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly message: string; readonly properties: LogProperties }
  | { readonly kind: 'status'; readonly status: PublishedStatus }
  | { readonly kind: 'stopped' }

/** The lag depends on when it is asked for. */
export type PublishedStatus = Omit<PublisherStatus, 'lagMs'>

type LogProperties = Readonly<Record<string, unknown>>

const port = parentPort
if (port === null) throw new Error('publishWorker must run in a worker thread')
void serve(port, workerData as PublishWorkerData)

async function serve(port: MessagePort, data: PublishWorkerData): Promise<void> {
  const send = (message: FromPublisher | Ready): void => port.postMessage(message)
  await installMirrorWriting()
  const objects = new CountedObjects(await openObjectStore(data.url, process.env))
  const snapshots = new LmdbSnapshots(data.directory)
  const records: (() => void)[] = []
  const database: PublishedDatabase = {
    open: () => {
      send({ kind: 'reading' })
      return snapshots.open()
    },
    note: (position) => send({ kind: 'note', position }),
    record: (position) =>
      new Promise((resolve) => {
        records.push(resolve)
        send({ kind: 'record', position })
      }),
  }
  const signer = new KeySigner(data.key)
  const { graceMs } = data
  const historyStart = newestBlocks(data.historyBlocks)
  const publisher = new Publisher({ objects, database, signer, clock: systemClock, yieldToHost, graceMs, historyStart })
  const logger = sendingLogger(send)
  if (!objects.createsOnce) {
    logger.warn('the store of the mirror cannot tell two publishers apart: configure only one')
  }
  const publishing = new Publishing({
    publisher,
    timers: systemTimers,
    clock: systemClock,
    logger,
    intervalMs: data.intervalMs,
    onProgress: (progress) => {
      const status = statusOf(progress, objects)
      if (status !== undefined) send({ kind: 'status', status })
    },
  })
  port.on('message', (message: ToPublisher) => {
    if (message.kind === 'changed') publishing.changed()
    else if (message.kind === 'recorded') records.shift()?.()
    else void stop()
  })
  const stop = async (): Promise<void> => {
    await publishing.stop()
    await objects.close()
    await snapshots.close()
    send({ kind: 'stopped' })
  }
  send({ kind: 'ready' })
  publishing.start()
}

/** @returns undefined: nothing is published yet */
function statusOf(
  { manifest, ...progress }: PublishingProgress,
  { writes, writtenBytes }: CountedObjects,
): PublishedStatus | undefined {
  if (manifest === undefined) return undefined
  const { number, epoch, publisher, head, timeMs } = manifest
  const known = { manifest: number, epoch, publisher, head, publishedAtMs: timeMs }
  return { role: 'publisher', ...known, ...progress, writes, writtenBytes }
}

function sendingLogger(send: (message: FromPublisher) => void): Logger {
  const log =
    (level: LogLevel) =>
    (message: string, properties: LogProperties = {}): void =>
      send({ kind: 'log', level, message, properties })
  const logger: Logger = {
    trace: log('trace'),
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    child: () => logger,
  }
  return logger
}

/**
 * Publishing to a mirror on a worker thread of Node, Deno or Bun, beside a node that writes the database.
 * @module
 */
import path from 'node:path'
import process from 'node:process'
import type { MirrorAccess, PublisherStatus } from '../../../src/api/mirrorAccess.ts'
import { CALL_TABLE_INTERVAL_MS, PUBLISHER_RESTART_MS, PUBLISHER_STOP_MS } from '../../../src/base/limits/limits.ts'
import type { Logger } from '../../../src/base/ports/host.ts'
import { equalBytes } from '../../../src/base/primitives/bytes.ts'
import { JournaledStore } from '../../../src/mirror/publisher/journaledStore.ts'
import { CalledFunctions } from '../../../src/node/calledFunctions.ts'
import { keys } from '../../../src/storage/schema.ts'
import { systemClock } from '../../shared/systemPorts.ts'
import type { DataDirectory } from '../data/dataDirectory.ts'
import { loadMirrorKey } from '../data/nodeKey.ts'
import { openObjectStore } from '../objects/openObjects.ts'
import type { PublishingSettings } from '../settings.ts'
import type { FromPublisher, PublishedStatus, PublishWorkerData, ToPublisher } from './publishWorker.ts'
import { WorkerThread, workerUrl } from './workerThread.ts'

/**
 * The node writes through {@link store}, which keeps the journal. A thread that dies is replaced; until then the journal
 * grows within its bound.
 */
export class PublishThread implements MirrorAccess {
  readonly store: JournaledStore
  readonly #data: PublishWorkerData
  readonly #url: URL
  readonly #logger: Logger
  #thread: WorkerThread<ToPublisher, FromPublisher> | undefined
  #restart: ReturnType<typeof setTimeout> | undefined
  #onStopped: (() => void) | undefined
  /** Whether the thread knows of changes that it has not begun to read. */
  #isTold = false
  /** Commits since it was told. */
  #commits = 0
  #status: PublishedStatus | undefined
  readonly #calls = new CalledFunctions()
  #nextTable: ReturnType<typeof setTimeout> | undefined
  /** The newest table, which is being stored, or is stored. */
  #table: Promise<void> | undefined
  #isClosed = false

  /**
   * @param thread the worker's module. Default: the file next to this one.
   * @throws {NodeError} INVALID_OPTION for the address, the credentials or the key
   */
  static async open(
    { path: directory, databaseFile, store }: DataDirectory,
    { url, keyFile, ...settings }: PublishingSettings,
    logger: Logger,
    thread: URL = workerUrl(import.meta.url, 'publishWorker'),
  ): Promise<PublishThread> {
    // A wrong address is an error of the start, not of the thread.
    await (await openObjectStore(url, process.env)).close()
    const key = loadMirrorKey(directory, keyFile)
    const data: PublishWorkerData = { directory: path.dirname(databaseFile), url, key, ...settings }
    return new PublishThread(store, data, logger, thread)
  }

  private constructor(store: DataDirectory['store'], data: PublishWorkerData, logger: Logger, url: URL) {
    this.store = new JournaledStore(store, () => this.#onCommit())
    this.#data = data
    this.#logger = logger
    this.#url = url
  }

  get status(): PublisherStatus | undefined {
    const status = this.#status
    return status && { ...status, lagMs: Math.max(0, systemClock.now() - status.publishedAtMs) }
  }

  readonly noteCall: NonNullable<MirrorAccess['noteCall']> = (...noted) => this.#calls.note(...noted)

  start(): void {
    if (this.#nextTable === undefined) this.#planTable()
    const thread = new WorkerThread<ToPublisher, FromPublisher>(
      this.#url,
      { answer: (message) => this.#receive(message), ended: (error) => this.#onDeath(error) },
      { data: this.#data },
    )
    thread.rest()
    this.#thread = thread
    this.#isTold = false
  }

  /** Publishes what is committed, if the store answers in time, and ends the thread. */
  async close(): Promise<void> {
    clearTimeout(this.#restart)
    clearTimeout(this.#nextTable)
    this.#isClosed = true
    await this.#table
    const thread = this.#thread
    if (thread === undefined) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PUBLISHER_STOP_MS)
      this.#onStopped = () => {
        clearTimeout(timer)
        resolve()
      }
      thread.send({ kind: 'stop' })
    })
    this.#thread = undefined
    await thread.terminate()
    await this.store.flush()
  }

  #onCommit(): void {
    this.#commits++
    this.#tell()
  }

  #tell(): void {
    if (this.#isTold || this.#thread === undefined) return
    this.#isTold = true
    this.#commits = 0
    this.#send(this.#thread, { kind: 'changed' })
  }

  #send(thread: WorkerThread<ToPublisher, FromPublisher>, message: ToPublisher): void {
    thread.send(message)
    thread.rest()
  }

  #receive(message: FromPublisher): void {
    switch (message.kind) {
      case 'reading':
        this.#isTold = false
        // The snapshot may have been taken before these.
        if (this.#commits > 0) this.#tell()
        return
      case 'note':
        this.store.publishedTo(message.position)
        return
      case 'record':
        this.store.publishedTo(message.position)
        void this.#record()
        return
      case 'log':
        this.#logger[message.level](message.message, message.properties)
        return
      case 'status':
        this.#status = message.status
        return
      case 'stopped':
        this.#onStopped?.()
    }
  }

  #planTable(): void {
    this.#nextTable = setTimeout(async () => {
      this.#table = this.#publishCalls()
      await this.#table
      if (!this.#isClosed) this.#planTable()
    }, CALL_TABLE_INTERVAL_MS)
    this.#nextTable.unref()
  }

  /** Stores what the functions need that are called most: a mirror then contains it. */
  async #publishCalls(): Promise<void> {
    try {
      const key = keys.meta('callTable')
      const value = await this.#calls.table(this.store)
      const before = this.store.get(key)
      if (value === undefined || (before !== undefined && equalBytes(before, value))) return
      await this.store.commit([{ key, value }])
    } catch (error) {
      this.#logger.warn('the functions that are called most cannot be published', { error })
    }
  }

  async #record(): Promise<void> {
    try {
      await this.store.flush()
      if (this.#thread !== undefined) this.#send(this.#thread, { kind: 'recorded' })
    } catch (error) {
      this.#logger.error('the position of the mirror cannot be stored', { error })
    }
  }

  #onDeath(error: unknown): void {
    const isClosing = this.#onStopped !== undefined
    this.#onStopped?.()
    this.#thread = undefined
    this.#logger.error('the thread that publishes the mirror has failed', { error })
    if (isClosing) return
    this.#restart = setTimeout(() => this.start(), PUBLISHER_RESTART_MS)
    this.#restart.unref()
  }
}

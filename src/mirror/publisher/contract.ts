/**
 * The services that a publisher needs of its host.
 * @module
 */
import type { Clock } from '../../base/ports/host.ts'
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import type { ObjectStore } from '../../base/ports/objectStore.ts'
import type { Signer } from '../../base/ports/signer.ts'
import type { AbortSignal } from '../../base/ports/webTypes.ts'
import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import type { HistoryStart } from './history.ts'
import type { PublishedPosition } from './journal.ts'

/** One state of a database, which sees no later commit. */
export interface DatabaseState extends KeyValueReader {
  close(): void | Promise<void>
}

/** The database that is published, with its journal. */
export interface PublishedDatabase {
  open(): DatabaseState
  /** Notes what is published; it may be stored much later. */
  note(position: PublishedPosition): void
  /** Stores what is published. Durable once it resolves. */
  record(position: PublishedPosition): Promise<void>
}

export interface PublisherParts {
  readonly objects: ObjectStore
  readonly database: PublishedDatabase
  readonly signer: Pick<Signer, 'address' | 'sign'>
  readonly clock: Clock
  readonly yieldToHost: YieldToHost
  /** For which replaced objects stay readable. */
  readonly graceMs: number
  /** Where the kept history begins; undefined: as before, and of a new mirror at the first block */
  readonly historyStart?: HistoryStart | undefined
  /** Published keys of the database that were read so far, while all of it is published. */
  readonly onProgress?: (keys: number) => void
  /** Ends the publication of a whole database between two parts. */
  readonly signal?: AbortSignal | undefined
}

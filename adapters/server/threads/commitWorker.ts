/**
 * Worker thread of {@link CommitThread}: commits one batch after the other.
 * @module
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type Durability, LmdbStore } from '../data/lmdbStore.ts'
import { packError, type WireError } from './requestWire.ts'
import type { Ready } from './workerThread.ts'

export interface CommitWorkerData {
  /** Of the database. */
  readonly directory: string
  readonly durability: Durability
}

export interface CommitMessage {
  /** data/packedBatch.ts */
  readonly packed: Uint8Array<ArrayBuffer>
}

/** Without an error: the batch is durable. */
export interface CommitAnswer {
  readonly error?: WireError
}

const port = parentPort
if (port === null) throw new Error('commitWorker must run in a worker thread')
serve(port, workerData as CommitWorkerData)

function serve(port: MessagePort, data: CommitWorkerData): void {
  const store = new LmdbStore(data)
  const send = (message: CommitAnswer | Ready): void => port.postMessage(message)
  port.on('message', ({ packed }: CommitMessage) => {
    try {
      store.commitPacked(packed)
      send({})
    } catch (error) {
      send({ error: packError(error) })
    }
  })
  send({ kind: 'ready' })
}

/**
 * Worker thread of {@link SealThread}: searches until it finds a nonce, or until the next message.
 * @module
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { EpochDataset } from '../../../src/base/ports/ethashDatasets.ts'
import type { SealTask } from '../../../src/base/ports/sealSearch.ts'
import { EpochCaches } from '../../../src/consensus/pow/epochCaches.ts'
import { SliceSearch } from '../../../src/sealing/pow/sliceSearch.ts'
import { systemClock, yieldToHost } from '../../shared/systemPorts.ts'
import type { Ready } from './workerThread.ts'

export type SealMessage =
  | { readonly kind: 'search'; readonly id: number; readonly task: SealTask; readonly first: bigint }
  | { readonly kind: 'datasets'; readonly datasets: readonly EpochDataset[] }
  | { readonly kind: 'stop' }

export type SealAnswer =
  | { readonly kind: 'found'; readonly id: number; readonly nonce: Uint8Array; readonly hashrate: number }
  | { readonly kind: 'rate'; readonly id: number; readonly hashrate: number }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string }

export interface SealWorkerData {
  readonly isTest: boolean
}

/** Hashes between two checks for messages: some hundredths of a second. */
const SLICE_HASHES = 16
const REPORT_MS = 1000

const port = parentPort
if (port === null) throw new Error('sealWorker must run in a worker thread')
serve(port, workerData as SealWorkerData)

function serve(port: MessagePort, { isTest }: SealWorkerData): void {
  let id = 0
  const answer = (message: SealAnswer): void => port.postMessage(message)
  const search = new SliceSearch({
    caches: new EpochCaches({ isTest }),
    clock: systemClock,
    yieldToHost,
    sliceHashes: SLICE_HASHES,
    onError: (error) => answer({ kind: 'failed', id, reason: error instanceof Error ? error.message : String(error) }),
  })
  setInterval(() => answer({ kind: 'rate', id, hashrate: search.hashrate }), REPORT_MS).unref()
  port.on('message', (message: SealMessage) => {
    if (message.kind === 'datasets') {
      search.useDatasets(message.datasets)
      return
    }
    search.stop()
    if (message.kind === 'stop') return
    id = message.id
    const of = id
    search.start(message.task, message.first, (nonce) =>
      answer({ kind: 'found', id: of, nonce, hashrate: search.hashrate }),
    )
  })
  const ready: Ready = { kind: 'ready' }
  port.postMessage(ready)
}

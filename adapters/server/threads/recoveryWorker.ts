/**
 * Worker thread of the recovery pool. Sends `ready` once, then answers each buffer of tasks with the same buffer.
 * @module
 */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { installNodeCrypto } from '../crypto/crypto.ts'
import { answerInPlace } from './recoveryWire.ts'
import type { Ready } from './workerThread.ts'

const port = parentPort
if (port === null) throw new Error('recoveryWorker must run in a worker thread')
void start(port)

async function start(port: MessagePort): Promise<void> {
  await installNodeCrypto()
  port.on('message', (records: Uint8Array<ArrayBuffer>) => {
    answerInPlace(records)
    port.postMessage(records, [records.buffer])
  })
  const ready: Ready = { kind: 'ready' }
  port.postMessage(ready)
}

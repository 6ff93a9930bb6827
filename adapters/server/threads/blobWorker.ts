/**
 * Worker thread that verifies the proofs of blob transactions in sequence. Sends `ready` once.
 * @module
 */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { isNodeError } from '../../../src/base/primitives/errors.ts'
import { verifySidecar } from '../../../src/txpool/blobs.ts'
import type { BlobSidecar } from '../../../src/types/blobSidecar.ts'
import { installNodeCrypto } from '../crypto/crypto.ts'
import type { Ready } from './workerThread.ts'

export interface BlobTask {
  /** 32 bytes each */
  readonly blobVersionedHashes: readonly Uint8Array[]
  readonly sidecar: BlobSidecar
}

export interface BlobAnswer {
  readonly kind: 'verified'
  /** Why the sidecar is invalid. */
  readonly reason?: string
  /** An error unrelated to the validity of the sidecar. */
  readonly error?: string
}

const port = parentPort
if (port === null) throw new Error('blobWorker must run in a worker thread')
const send = (answer: BlobAnswer | Ready): void => port.postMessage(answer)

async function answer({ blobVersionedHashes, sidecar }: BlobTask): Promise<void> {
  try {
    await verifySidecar({ blobVersionedHashes }, sidecar, () => Promise.resolve())
    send({ kind: 'verified' })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    send({
      kind: 'verified',
      ...(isNodeError(error, 'INVALID_BLOB_SIDECAR') ? { reason: message } : { error: message }),
    })
  }
}

void start(port)

async function start(port: MessagePort): Promise<void> {
  await installNodeCrypto()
  let last = Promise.resolve()
  port.on('message', (task: BlobTask) => {
    last = last.then(() => answer(task))
  })
  send({ kind: 'ready' })
}

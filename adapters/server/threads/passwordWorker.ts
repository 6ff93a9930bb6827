/**
 * Worker thread that compares passwords with bcrypt hashes in sequence. Sends `ready` once.
 * @module
 */
import { parentPort } from 'node:worker_threads'
import bcrypt from 'bcryptjs'
import type { Ready } from './workerThread.ts'

export interface PasswordTask {
  readonly password: string
  readonly hash: string
}

export interface PasswordAnswer {
  readonly kind: 'compared'
  readonly isMatch: boolean
}

const port = parentPort
if (port === null) throw new Error('passwordWorker must run in a worker thread')
const send = (answer: PasswordAnswer | Ready): void => port.postMessage(answer)

port.on('message', ({ password, hash }: PasswordTask) => {
  send({ kind: 'compared', isMatch: bcrypt.compareSync(password, hash) })
})
send({ kind: 'ready' })

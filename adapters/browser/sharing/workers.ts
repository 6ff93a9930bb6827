/**
 * Starts the worker of a shared node. Bundlers recognize the expressions with the address of its script, and add the worker
 * to what they build.
 * @module
 */
import { NodeError } from '../../../src/base/primitives/errors.ts'
import type { WorkerOption } from '../contract.ts'
import { workerName } from './names.ts'

/** The part of a shared worker that is used. */
export interface SharedWorkerHandle {
  readonly port: MessagePort
  onerror: ((event: never) => void) | null
}

/** The part of a worker that is used. */
export interface WorkerHandle {
  postMessage(message: unknown): void
  terminate(): void
  onmessage: ((event: MessageEvent) => void) | null
  onerror: ((event: never) => void) | null
}

interface WorkerOptions {
  readonly type: 'module'
  readonly name?: string
}

/** Not every runtime that this is compiled for declares both. */
declare const SharedWorker: new (url: URL, options: WorkerOptions) => SharedWorkerHandle
declare const Worker: new (url: URL, options: WorkerOptions) => WorkerHandle

export const hasSharedWorkers = (): boolean => 'SharedWorker' in globalThis

export const hasWorkers = (option: WorkerOption | undefined): boolean =>
  option !== undefined || hasSharedWorkers() || 'Worker' in globalThis

/** @throws {NodeError} SHARED_WORKER_FAILED */
export function sharedWorker(option: WorkerOption | undefined, node: string): SharedWorkerHandle {
  const name = workerName(node)
  return started(() => {
    if (typeof option === 'function') return requireMember<SharedWorkerHandle>(option('shared', name), 'port')
    if (option instanceof URL) return new SharedWorker(option, { type: 'module', name })
    return new SharedWorker(new URL('./worker.js', import.meta.url), { type: 'module', name })
  })
}

/** @throws {NodeError} SHARED_WORKER_FAILED */
export function dedicatedWorker(option: WorkerOption | undefined, node: string): WorkerHandle {
  return started(() => {
    if (typeof option === 'function') {
      return requireMember<WorkerHandle>(option('dedicated', workerName(node)), 'postMessage')
    }
    if (option instanceof URL) return new Worker(option, { type: 'module' })
    return new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
  })
}

/** @throws {TypeError} for another kind of worker */
function requireMember<T extends object>(worker: object, member: string & keyof T): T {
  if (!(member in worker)) throw new TypeError(`the function 'worker' returned an object without ${member}`)
  return worker as T
}

function started<T>(start: () => T): T {
  try {
    return start()
  } catch (cause) {
    throw workerUnavailable(cause)
  }
}

export function workerUnavailable(cause?: unknown): NodeError {
  const message =
    "the worker of the shared node cannot be started: its script must be on the origin of the page; see the option 'worker'"
  return new NodeError({ code: 'SHARED_WORKER_FAILED' }, message, { cause })
}

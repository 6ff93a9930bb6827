/**
 * What a node and the threads of its request pool say to each other.
 * @module
 */
import type { ReaderSettings } from '../../src/node/reader.ts'
import { isNodeError, NodeError } from '../../src/primitives/errors.ts'
import type { GenesisSource } from './chooseGenesis.ts'
import type { Durability } from './lmdbStore.ts'

/** What a thread is started with. */
export interface ReaderData {
  /** The data directory. */
  readonly directory: string
  readonly durability: Durability
  readonly genesis: GenesisSource
  readonly settings: ReaderSettings
}

/** To a thread. */
export type ToWorker =
  | { readonly kind: 'run'; readonly id: number; readonly method: string; readonly params: readonly unknown[] }
  /** So many bytes of the answer have been taken. */
  | { readonly kind: 'taken'; readonly id: number; readonly bytes: number }
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'close' }

/** From a thread. */
export type FromWorker =
  | { readonly kind: 'chunk'; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly error: WireError }
  /** Nothing runs and the database is closed. */
  | { readonly kind: 'closed' }

/** An error as it crosses threads: of a domain error what a JSON-RPC error is made of, of others what a log shows. */
export interface WireError {
  readonly message: string
  readonly details?: { readonly code: string; readonly data?: unknown }
  readonly stack?: string | undefined
}

export function packError(error: unknown): WireError {
  if (isNodeError(error)) {
    const { data } = error.details as { readonly data?: unknown }
    return { message: error.message, details: { code: error.code, ...(data === undefined ? {} : { data }) } }
  }
  return error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error) }
}

export function unpackError({ message, details, stack }: WireError): Error {
  if (details !== undefined) return new NodeError(details, message)
  const error = new Error(message)
  if (stack !== undefined) error.stack = stack
  return error
}

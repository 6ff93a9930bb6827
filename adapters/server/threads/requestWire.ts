/**
 * Messages between a node and the threads of its request pool.
 * @module
 */

import { problemOf, type ValueProblem } from '../../../src/api/errors.ts'
import { isNodeError, NodeError } from '../../../src/base/primitives/errors.ts'
import type { ChainConfig } from '../../../src/config/chainConfig.ts'
import { parseGenesisConfig } from '../../../src/config/genesisConfig.ts'
import type { ReaderSettings } from '../../../src/node/readOnly/traceWorkerReader.ts'
import type { Durability } from '../data/lmdbStore.ts'

/** Start data of a thread. */
export interface ReaderData {
  /** The data directory. */
  readonly directory: string
  readonly durability: Durability
  readonly config: ConfigSource
  readonly settings: ReaderSettings
}

/** A configuration in a form that can be sent to another thread, without the accounts of the genesis. */
export interface ConfigSource {
  /** The section `config` of the genesis file. */
  readonly section: Readonly<Record<string, unknown>>
  readonly networkId: bigint
  readonly firstBlock: bigint
}

export function packConfig({ options, networkId, firstBlock }: ChainConfig): ConfigSource {
  return { section: options.source, networkId, firstBlock }
}

export function unpackConfig({ section, networkId, firstBlock }: ConfigSource): ChainConfig {
  return parseGenesisConfig(section, networkId, firstBlock)
}

/** Messages to a thread. */
export type ToWorker =
  | { readonly kind: 'run'; readonly id: number; readonly method: string; readonly params: readonly unknown[] }
  /** The reader has taken this number of bytes of the answer. */
  | { readonly kind: 'taken'; readonly id: number; readonly bytes: number }
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'close' }

/** Messages from a thread. */
export type FromWorker =
  | { readonly kind: 'chunk'; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly error: WireError }
  /** Nothing is running, and the database is closed. */
  | { readonly kind: 'closed' }

/**
 * An error in the form in which it is sent between threads: for a domain error, the data of its JSON-RPC error; for any
 * other error, the text for the log.
 */
export interface WireError {
  readonly message: string
  readonly details?: { readonly code: string; readonly data?: unknown } & ValueProblem
  readonly stack?: string | undefined
}

export function packError(error: unknown): WireError {
  if (isNodeError(error)) {
    const { data } = error.details as { readonly data?: unknown }
    return {
      message: error.message,
      details: { code: error.code, ...(data === undefined ? {} : { data }), ...problemOf(error.details) },
    }
  }
  return error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error) }
}

export function unpackError({ message, details, stack }: WireError): Error {
  if (details !== undefined) return new NodeError(details, message)
  const error = new Error(message)
  if (stack !== undefined) error.stack = stack
  return error
}

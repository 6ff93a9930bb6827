/**
 * Domain errors. Callers match on `code`; the RPC edge maps codes to JSON-RPC numbers in one table.
 * @module
 */

import { EXPLAINED_CODES } from './errorCodes.ts'

/** The page that describes errors, each under its code. */
export const ERROR_DOCS = 'https://github.com/isonode/isonode/blob/main/docs/errors.md'

const EXPLAINED: ReadonlySet<string> = new Set(EXPLAINED_CODES)

/** The data of a domain error: a code in UPPER_CASE and, if useful, typed fields. */
export interface ErrorDetails {
  readonly code: string
}

/**
 * An expected failure with a stable code. Halts and invalid blocks are outcomes and are returned, not thrown.
 * @example
 * const error = await startNode({ accounts: 1001 }).catch((reason) => reason)
 * console.log(error instanceof NodeError, error.code, error.message, error.docs)
 */
export class NodeError<T extends ErrorDetails = ErrorDetails> extends Error {
  override readonly name = 'NodeError'
  readonly details: T

  constructor(details: T, message: string, options?: ErrorOptions) {
    super(message, options)
    this.details = details
  }

  get code(): T['code'] {
    return this.details.code
  }

  /** Address of the description of this code: its cause, and what helps. The whole page for a code without one. */
  get docs(): string {
    return EXPLAINED.has(this.code) ? `${ERROR_DOCS}#${this.code.toLowerCase()}` : ERROR_DOCS
  }
}

export function isNodeError(error: unknown, code?: string): error is NodeError {
  return error instanceof NodeError && (code === undefined || error.code === code)
}

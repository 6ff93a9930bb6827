/**
 * Errors of the client. None has a `cause`: those of a host may contain the whole address, whose path, query and
 * credentials can be keys.
 * @module
 */
import { MAX_REMOTE_MESSAGE_LENGTH } from '../base/limits/limits.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { printable } from '../base/primitives/printable.ts'
import type { RemoteError } from './contract.ts'

/** Why an attempt failed, if asking for less, or for less at a time, may help. */
export type TooMuch = 'answerTooLong' | 'answersTooLong'

export interface UnavailableDetails {
  readonly code: 'FORK_UNAVAILABLE'
  readonly reason?: TooMuch
}

/** The data of an error that the remote sent. */
export interface RefusedDetails {
  readonly code: 'REMOTE_REFUSED'
  readonly method: string
  readonly error: RemoteError
}

/** @param message names origins only */
export function unavailable(message: string, reason?: TooMuch): NodeError<UnavailableDetails> {
  return new NodeError({ code: 'FORK_UNAVAILABLE', ...(reason === undefined ? {} : { reason }) }, message)
}

export function answerTooLong(maxBytes: number): NodeError<UnavailableDetails> {
  return unavailable(`the answer has more than ${maxBytes} bytes`, 'answerTooLong')
}

/** @param message names origins only */
export function rateLimited(message: string): NodeError {
  return new NodeError({ code: 'FORK_RATE_LIMITED' }, message)
}

export function refused(method: string, error: RemoteError): NodeError<RefusedDetails> {
  return new NodeError({ code: 'REMOTE_REFUSED', method, error }, `${method}: ${error.message}`)
}

export function stopped(): NodeError {
  return new NodeError({ code: 'STOPPED' }, 'the connections to other nodes were closed')
}

/** A text of a remote in one line of limited length. */
export function shortened(text: string): string {
  const start = text.length > MAX_REMOTE_MESSAGE_LENGTH ? `${text.slice(0, MAX_REMOTE_MESSAGE_LENGTH)}…` : text
  return printable(start)
}

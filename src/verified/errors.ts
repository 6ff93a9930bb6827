import { NodeError } from '../base/primitives/errors.ts'

export type HeadUntrustedError = NodeError<{ code: 'HEAD_UNTRUSTED'; number: number }>

/** A block of the remote that does not follow from what is trusted. */
export function headUntrusted(number: number, reason: string): HeadUntrustedError {
  return new NodeError({ code: 'HEAD_UNTRUSTED', number }, `block ${number} of the remote is not trusted: ${reason}`)
}

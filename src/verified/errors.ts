import { NodeError } from '../base/primitives/errors.ts'

export type HeadUntrustedError = NodeError<{ code: 'HEAD_UNTRUSTED'; number: number }>

/** A block that does not follow from what is trusted. */
export function headUntrusted(number: number, reason: string): HeadUntrustedError {
  return new NodeError({ code: 'HEAD_UNTRUSTED', number }, `block ${number} is not trusted: ${reason}`)
}

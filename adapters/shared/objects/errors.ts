import { MAX_OBJECT_MESSAGE_LENGTH } from '../../../src/base/limits/limits.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { printable } from '../../../src/base/primitives/printable.ts'
import { mirrorUnavailable, type Unavailability, type UnavailableDetails } from '../../../src/mirror/errors.ts'

/**
 * @param store its label
 * @param reason without secrets, perhaps the text of a service
 */
export function unavailable(
  store: string,
  object: string,
  reason: string,
  failure: Pick<Unavailability, 'retryAfterMs' | 'isTransient'> = {},
): NodeError<UnavailableDetails> {
  return mirrorUnavailable(object, shortened(reason), { ...failure, store })
}

export function isUnavailable(error: unknown): error is NodeError<UnavailableDetails> {
  return error instanceof NodeError && error.code === 'MIRROR_UNAVAILABLE'
}

/** A text of a service in one line of limited length. */
function shortened(text: string): string {
  return printable(text.length > MAX_OBJECT_MESSAGE_LENGTH ? `${text.slice(0, MAX_OBJECT_MESSAGE_LENGTH)}…` : text)
}

/** The reason of a failure of the runtime; `fetch` hides that of a failed connection in the cause. */
export function reasonOf(error: unknown): string {
  const { message, cause, name } = error as Partial<Error>
  if (name === 'TimeoutError' || name === 'AbortError') return 'no answer in time'
  const inner = cause as Partial<Error> & { readonly code?: unknown }
  if (inner?.message) return inner.message
  return typeof inner?.code === 'string' ? inner.code : message || 'the connection failed'
}

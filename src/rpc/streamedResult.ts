import type { JsonWriter } from '../base/primitives/jsonWriter.ts'

/**
 * A result that is written incrementally, so that its memory does not depend on its length. A handler returns it in
 * place of a value. An error of `write` before the first flush becomes an error response; a later one breaks the
 * connection, since sent data cannot be revoked.
 */
export class StreamedResult {
  /** Writes one JSON value. Waits while the JsonWriter is full. */
  readonly write: (out: JsonWriter) => void | Promise<void>

  constructor(write: (out: JsonWriter) => void | Promise<void>) {
    this.write = write
  }
}

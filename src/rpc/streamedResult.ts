import type { JsonWriter } from '../primitives/jsonWriter.ts'

/**
 * A result that is written as it is made, so that it takes no memory by its length. A handler returns it in place of a
 * value. What `write` throws before anything was flushed is answered as an error; afterwards the connection is broken
 * off, since what was sent cannot be taken back.
 */
export class StreamedResult {
  /** Writes one JSON value. Waits for the writer when it is full. */
  readonly write: (out: JsonWriter) => void | Promise<void>

  constructor(write: (out: JsonWriter) => void | Promise<void>) {
    this.write = write
  }
}

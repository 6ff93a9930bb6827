import { MAX_CALL_TRACE_BYTES } from '../config/limits.ts'
import { NodeError } from '../primitives/errors.ts'

/** Counts what a tracer holds until its transaction is over. */
export class HeldBytes {
  #bytes = 0

  /** @throws {NodeError} RESPONSE_TOO_LARGE when it is too much */
  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= MAX_CALL_TRACE_BYTES) return
    const message = `the trace of one transaction takes more than ${MAX_CALL_TRACE_BYTES} bytes`
    throw new NodeError({ code: 'RESPONSE_TOO_LARGE' }, message)
  }
}

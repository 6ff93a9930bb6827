import { MAX_CALL_TRACE_BYTES } from '../base/limits/limits.ts'
import { NodeError } from '../base/primitives/errors.ts'

/** Bounds the memory that a tracer holds until the end of its transaction. */
export class HeldBytes {
  #bytes = 0

  /** @throws {NodeError} RESPONSE_TOO_LARGE when the bound is exceeded */
  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= MAX_CALL_TRACE_BYTES) return
    const message = `the trace of one transaction takes more than ${MAX_CALL_TRACE_BYTES} bytes`
    throw new NodeError({ code: 'RESPONSE_TOO_LARGE' }, message)
  }
}

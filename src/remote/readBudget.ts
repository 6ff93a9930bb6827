import { MAX_REMOTE_READ_BYTES } from '../base/limits/limits.ts'
import { unavailable } from './errors.ts'

/** Bytes of answers that are being read, of all addresses. */
export class ReadBudget {
  #bytes = 0

  /** @throws {NodeError} FORK_UNAVAILABLE with the reason `answersTooLong` */
  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= MAX_REMOTE_READ_BYTES) return
    throw unavailable(`the answers have more than ${MAX_REMOTE_READ_BYTES} bytes together`, 'answersTooLong')
  }

  release(bytes: number): void {
    this.#bytes -= bytes
  }
}

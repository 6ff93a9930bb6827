import { readsExceeded } from '../errors.ts'

/** The reads that a request may still make, on a platform that counts them. */
export class ReadBudget {
  readonly #limit: number
  #spent = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** @throws {NodeError} READS_EXCEEDED, before anything is read */
  spend(reads: number): void {
    this.#spent += reads
    if (this.#spent > this.#limit) throw readsExceeded(this.#limit)
  }
}

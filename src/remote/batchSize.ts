/** Full batches that are answered before a larger one is tried. */
const ANSWERS_TO_GROW = 8

/** The number of requests that the next batch may have, from what the remote has answered and refused. */
export class BatchSize {
  /** The largest size that the remote may accept. */
  #most: number
  #size: number
  #servedInARow = 0

  constructor(most: number) {
    this.#most = most
    this.#size = most
  }

  get value(): number {
    return this.#size
  }

  /** A batch was answered as a whole. */
  served(count: number): void {
    if (count < this.#size || this.#size === this.#most) return
    if (++this.#servedInARow < ANSWERS_TO_GROW) return
    this.#servedInARow = 0
    this.#size = Math.min(this.#most, this.#size + Math.ceil(this.#size / 4))
  }

  /** The remote never accepts this size. @param allowed size that it accepts, if it is known */
  tooLarge(count: number, allowed: number | undefined): void {
    this.#most = Math.max(1, Math.min(this.#most, allowed ?? Math.floor(count / 2)))
    this.#reduce(this.#most)
  }

  /** The answer to such a batch may be too long. */
  answerTooLong(count: number): void {
    this.#reduce(Math.floor(count / 2))
  }

  #reduce(size: number): void {
    this.#size = Math.max(1, Math.min(this.#size, size))
    this.#servedInARow = 0
  }
}

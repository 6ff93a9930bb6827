/** The JSON string that the bytes of a stream are in. It may go on in the next piece of the stream. */
export class JsonStringState {
  #isInside = false
  #isEscaped = false

  get isInside(): boolean {
    return this.#isInside
  }

  /** Called after an opening quote. */
  begin(): void {
    this.#isInside = true
  }

  /** @returns the position after the closing quote, or the end of the bytes when the string goes on */
  skip(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === BACKSLASH) this.#isEscaped = true
      else if (byte === QUOTE) {
        this.#isInside = false
        return at + 1
      }
    }
    return bytes.length
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

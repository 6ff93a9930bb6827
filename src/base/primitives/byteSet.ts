/** Sets up to this size are searched one by one. */
const FEW_VALUES = 8
const WORD_BYTES = 4

/** A set of byte strings of one length, at least 4, that is asked for parts of longer byte strings. */
export class ByteSet {
  readonly #values: readonly Uint8Array[]
  /**
   * The values by their last 4 bytes, because addresses as topics begin with the same bytes. undefined for few values.
   */
  readonly #byEnd: ReadonlyMap<number, readonly Uint8Array[]> | undefined

  constructor(values: readonly Uint8Array[]) {
    this.#values = values
    this.#byEnd = values.length > FEW_VALUES ? grouped(values) : undefined
  }

  /** Whether the bytes from `offset` on equal one of the values. */
  hasAt(bytes: Uint8Array, offset: number): boolean {
    let values = this.#values
    if (this.#byEnd !== undefined) {
      const length = (values[0] as Uint8Array).length
      const group = this.#byEnd.get(lastWord(bytes, offset + length))
      if (group === undefined) return false
      values = group
    }
    for (let i = 0; i < values.length; i++) if (isAt(values[i] as Uint8Array, bytes, offset)) return true
    return false
  }
}

/** From the end, where values differ most often. */
function isAt(value: Uint8Array, bytes: Uint8Array, offset: number): boolean {
  for (let i = value.length - 1; i >= 0; i--) if (value[i] !== bytes[offset + i]) return false
  return true
}

function grouped(values: readonly Uint8Array[]): ReadonlyMap<number, readonly Uint8Array[]> {
  const groups = new Map<number, Uint8Array[]>()
  for (const value of values) {
    const end = lastWord(value, value.length)
    const group = groups.get(end)
    if (group === undefined) groups.set(end, [value])
    else group.push(value)
  }
  return groups
}

function lastWord(bytes: Uint8Array, end: number): number {
  let word = 0
  for (let i = end - WORD_BYTES; i < end; i++) word = (word << 8) | (bytes[i] as number)
  return word
}

/**
 * RLP of trie nodes, written straight into a buffer of known size.
 * @see Yellow Paper, appendices B to D
 * @module
 */

/** Length of the RLP of a hex-prefix path of `nibbles` nibbles. */
export function hexPrefixLength(nibbles: number): number {
  const bytes = (nibbles >> 1) + 1
  return bytes === 1 ? 1 : prefixLength(bytes) + bytes
}

/** Length of the RLP of a byte string. */
export function stringLength(bytes: Uint8Array): number {
  const { length } = bytes
  return length === 1 && (bytes[0] as number) < 0x80 ? 1 : prefixLength(length) + length
}

/** Length of the prefix of a list or of a string that is not a single small byte. */
export function prefixLength(length: number): number {
  if (length < 56) return 1
  return length < 0x100 ? 2 : length < 0x10000 ? 3 : length < 0x1000000 ? 4 : 5
}

/** Writes one node, whose length the caller knows beforehand. */
export class RlpWriter {
  readonly bytes: Uint8Array
  #at = 0

  /** @param target length in bytes of the output, or a buffer of at least that length */
  constructor(target: number | Uint8Array) {
    this.bytes = typeof target === 'number' ? new Uint8Array(target) : target
  }

  /** A view that is valid until the next node is written. */
  get written(): Uint8Array {
    return this.bytes.subarray(0, this.#at)
  }

  /** Restarts in the same buffer. */
  reset(): void {
    this.#at = 0
  }

  list(payload: number): void {
    this.#prefix(0xc0, payload)
  }

  string(value: Uint8Array): void {
    const { length } = value
    if (length !== 1 || (value[0] as number) >= 0x80) this.#prefix(0x80, length)
    this.raw(value)
  }

  /** The empty byte string: an absent child or value. */
  empty(): void {
    this.bytes[this.#at++] = 0x80
  }

  raw(encoded: Uint8Array): void {
    this.bytes.set(encoded, this.#at)
    this.#at += encoded.length
  }

  /** A 32-byte string at `offset` of `source`. */
  hash(source: Uint8Array, offset: number): void {
    const { bytes } = this
    let at = this.#at
    bytes[at++] = 0xa0
    if (source.length === 32) bytes.set(source, at)
    else for (let i = 0; i < 32; i++) bytes[at + i] = source[offset + i] as number
    this.#at = at + 32
  }

  /** Hex-prefix path: unpacked nibbles `from` to `to`. */
  hexPrefix(nibbles: Uint8Array, from: number, to: number, isLeaf: boolean): void {
    let at = this.#pathHead(to - from)
    const { bytes } = this
    const flag = isLeaf ? 0x20 : 0
    let next = from
    if ((to - from) & 1) bytes[at++] = flag | 0x10 | (nibbles[next++] as number)
    else bytes[at++] = flag
    for (; next < to; next += 2) bytes[at++] = ((nibbles[next] as number) << 4) | (nibbles[next + 1] as number)
    this.#at = at
  }

  /** Hex-prefix path of a leaf: the nibbles of the packed `key` from `depth` on. */
  leafPath(key: Uint8Array, depth: number): void {
    let at = this.#pathHead(key.length * 2 - depth)
    const { bytes } = this
    bytes[at++] = depth & 1 ? 0x30 | ((key[depth >> 1] as number) & 15) : 0x20
    for (let i = (depth + 1) >> 1; i < key.length; i++) bytes[at++] = key[i] as number
    this.#at = at
  }

  #pathHead(nibbles: number): number {
    const length = (nibbles >> 1) + 1
    if (length > 1) this.#prefix(0x80, length)
    return this.#at
  }

  #prefix(base: number, length: number): void {
    const { bytes } = this
    if (length < 56) {
      bytes[this.#at++] = base + length
      return
    }
    const size = prefixLength(length) - 1
    bytes[this.#at++] = base + 55 + size
    for (let shift = (size - 1) * 8; shift >= 0; shift -= 8) bytes[this.#at++] = (length >>> shift) & 0xff
  }
}

/**
 * Names the parts of a call's proof that its reader has, in few bytes: the first bytes of hashes. Two parts may have the same first bytes;
 * then the proof lacks a part, its reader finds that out, and asks in another way.
 * @module
 */
import { concatBytes, EMPTY_BYTES } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'

/** Bytes of each hash. */
export const KNOWN_PART_BYTES = 4

export class KnownParts {
  readonly #prefixes = new Set<number>()

  /** @param bytes as `toBytes` returns them; what is left of a part at their end is ignored */
  constructor(bytes: Uint8Array = EMPTY_BYTES) {
    for (let at = 0; at + KNOWN_PART_BYTES <= bytes.length; at += KNOWN_PART_BYTES) {
      this.#prefixes.add(prefixOf(bytes.subarray(at, at + KNOWN_PART_BYTES)))
    }
  }

  get isEmpty(): boolean {
    return this.#prefixes.size === 0
  }

  /** @param hash of a node, a code, a header or a read */
  add(hash: Uint8Array): void {
    this.#prefixes.add(prefixOf(hash))
  }

  has(hash: Uint8Array): boolean {
    return this.#prefixes.has(prefixOf(hash))
  }

  toBytes(): Uint8Array {
    const bytes = new Uint8Array(this.#prefixes.size * KNOWN_PART_BYTES)
    const view = new DataView(bytes.buffer)
    let at = 0
    for (const prefix of this.#prefixes) {
      view.setUint32(at, prefix)
      at += KNOWN_PART_BYTES
    }
    return bytes
  }
}

/** Names an account, or with `slot` one slot of its storage. */
export function readHash(address: Uint8Array, slot: Uint8Array = EMPTY_BYTES): Uint8Array {
  return keccak256(concatBytes(address, slot))
}

function prefixOf(hash: Uint8Array): number {
  return new DataView(hash.buffer, hash.byteOffset).getUint32(0)
}

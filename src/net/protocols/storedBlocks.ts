/**
 * Stored blocks as bytes, for answers that need no decoding.
 * @module
 */
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { equalBytes, readUint } from '../../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../../base/primitives/keccak.ts'
import { rlpSpan } from '../../base/primitives/rlp.ts'
import { keys } from '../../storage/schema.ts'

export interface BlockPosition {
  readonly number: number
  /** 32 bytes */
  readonly hash: Uint8Array
}

/** Offsets from the first item of a header: each item before has a fixed length and a prefix byte. */
const PARENT_HASH_AT = 1
const TRANSACTIONS_ROOT_AT = 1 + 33 + 33 + 21 + 33
const HASH_BYTES = 32

/** 32 bytes of a header's RLP. */
export function parentHashOf(header: Uint8Array): Uint8Array {
  return hashAt(header, PARENT_HASH_AT)
}

export function hasTransactions(header: Uint8Array): boolean {
  return !equalBytes(hashAt(header, TRANSACTIONS_ROOT_AT), EMPTY_TRIE_ROOT)
}

function hashAt(header: Uint8Array, offset: number): Uint8Array {
  const at = rlpSpan(header, 0).payload + offset
  return header.subarray(at, at + HASH_BYTES)
}

/** Reads of several blocks are one read of the store. Each may throw `StoreMiss` over a store that is not resident. */
export class StoredBlocks {
  readonly #reader: KeyValueReader

  constructor(reader: KeyValueReader) {
    this.#reader = reader
  }

  canonicalHashes(numbers: readonly number[]): (Uint8Array | undefined)[] {
    return this.#reader.getMany(numbers.map((number) => keys.canonicalHash(number)))
  }

  /** Positions of blocks, canonical or not; undefined for unknown hashes. */
  positions(hashes: readonly Uint8Array[]): (BlockPosition | undefined)[] {
    const numbers = this.#reader.getMany(hashes.map((hash) => keys.numberByHash(hash)))
    return hashes.map((hash, i) => {
      const number = numbers[i]
      return number === undefined ? undefined : { number: readUint(number, 0, number.length), hash }
    })
  }

  /** RLP */
  headers(blocks: readonly BlockPosition[]): (Uint8Array | undefined)[] {
    return this.#reader.getMany(blocks.map(({ number, hash }) => keys.header(number, hash)))
  }

  /** RLP */
  bodies(blocks: readonly BlockPosition[]): (Uint8Array | undefined)[] {
    return this.#reader.getMany(blocks.map(({ number, hash }) => keys.body(number, hash)))
  }

  /** In the format of encodeStoredReceipts; absent for blocks without transactions. */
  receipts(blocks: readonly BlockPosition[]): (Uint8Array | undefined)[] {
    return this.#reader.getMany(blocks.map(({ number, hash }) => keys.receipts(number, hash)))
  }
}

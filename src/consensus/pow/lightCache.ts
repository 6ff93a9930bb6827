/**
 * The hashes of an epoch, by its cache or by its whole dataset.
 * @module
 */
import type { Hashimoto } from './ethash.ts'

export interface CacheSizes {
  readonly cacheBytes: number
  readonly datasetBytes: number
}

export interface FoundNonce extends Hashimoto {
  /** 8 bytes, big-endian as in a header */
  readonly nonce: Uint8Array
}

/** Hashes of one epoch. */
export interface EpochHashes {
  /**
   * @param powHash 32 bytes
   * @param nonce 8 bytes, big-endian as in a header
   */
  hashimoto(powHash: Uint8Array, nonce: Uint8Array): Hashimoto
  /**
   * Tries consecutive nonces.
   * @param powHash 32 bytes
   * @param target 32 bytes, big-endian: the maximum valid result
   * @param first nonce; after 2^64 - 1 follows 0
   * @param count multiple of SEARCH_STEP
   * @returns the first nonce found; undefined: none of them is valid
   */
  search(powHash: Uint8Array, target: Uint8Array, first: bigint, count: number): FoundNonce | undefined
}

/** The cache of an epoch: it computes pages of the dataset on demand. */
export interface LightCache extends EpochHashes {
  /**
   * Computes consecutive pages of the dataset.
   * @param first number of a page
   * @param to words; its length is that of the pages, a multiple of 32
   */
  writePages(first: number, to: Int32Array): void
}

/** A search tries a multiple of this number of nonces. */
export const SEARCH_STEP = 4

/** @returns 8 bytes, big-endian */
export function nonceBytes(nonce: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt.asUintN(64, nonce))
  return bytes
}

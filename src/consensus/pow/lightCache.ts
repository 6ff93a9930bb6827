/**
 * The cache of an epoch with the light algorithm of ethash.
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

export interface LightCache {
  /**
   * @param powHash 32 bytes
   * @param nonce 8 bytes, big-endian as in a header
   */
  hashimoto(powHash: Uint8Array, nonce: Uint8Array): Hashimoto
  /**
   * Tries consecutive nonces.
   * @param powHash 32 bytes
   * @param target 32 bytes, big-endian: the greatest valid result
   * @param first nonce; after 2^64 - 1 follows 0
   * @param count multiple of SEARCH_STEP
   * @returns the first nonce found; undefined: none of them is valid
   */
  search(powHash: Uint8Array, target: Uint8Array, first: bigint, count: number): FoundNonce | undefined
}

/** A search tries a multiple of this number of nonces. */
export const SEARCH_STEP = 4

/** @returns 8 bytes, big-endian */
export function nonceBytes(nonce: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt.asUintN(64, nonce))
  return bytes
}

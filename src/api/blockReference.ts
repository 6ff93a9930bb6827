/**
 * How a request names a block.
 * @module
 */

export type BlockTag = 'earliest' | 'latest' | 'pending' | 'safe' | 'finalized'

export type BlockNumberOrTag =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  /** May be negative or beyond the head: then there is no such block. */
  | { readonly kind: 'number'; readonly number: number }

export type BlockNumberOrTagOrHash =
  | BlockNumberOrTag
  | { readonly kind: 'hash'; readonly hash: Uint8Array; readonly requireCanonical: boolean }

/** The block that a request without a block parameter is about. */
export const LATEST: BlockNumberOrTag = { kind: 'tag', tag: 'latest' }

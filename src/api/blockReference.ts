/**
 * Block parameters of a request.
 * @module
 */

export type BlockTag = 'earliest' | 'latest' | 'pending' | 'safe' | 'finalized'

export type BlockNumberOrTag =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  /** May be negative or beyond the head: no block has such a number. */
  | { readonly kind: 'number'; readonly number: number }

export type BlockNumberOrTagOrHash =
  | BlockNumberOrTag
  | { readonly kind: 'hash'; readonly hash: Uint8Array; readonly requireCanonical: boolean }

/** The default when a request has no block parameter. */
export const LATEST: BlockNumberOrTag = { kind: 'tag', tag: 'latest' }

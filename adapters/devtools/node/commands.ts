/**
 * Questions between a page and its worker.
 * @module
 */

/** A chain in IndexedDB, which is created if it is absent. */
export interface SavedChoice {
  readonly kind: 'saved'
  readonly database: string
  readonly chainId?: number | undefined
}

/** A chain in memory. */
export type MemoryChoice =
  /** A new one. */
  | { readonly kind: 'memory'; readonly chainId?: number | undefined }
  /** A dev chain in memory that continues the chain at an address. */
  | { readonly kind: 'fork'; readonly url: string; readonly block?: string | undefined }
  /** A dev chain in memory that continues the chain of a wallet. */
  | { readonly kind: 'wallet'; readonly block?: string | undefined }

export type NodeChoice = SavedChoice | MemoryChoice

/** A call of JSON-RPC. */
export interface RpcRequest {
  readonly method: string
  readonly params?: readonly unknown[] | undefined
}

/** A chain in a database of this origin. */
export interface SavedChain {
  readonly database: string
  /** Undefined: the database has no chain that this version can read. */
  readonly head: number | undefined
  readonly chainId: number | undefined
  /** Bytes of keys and values; `isMore`: there are more, which were not counted. */
  readonly bytes: number
  readonly isMore: boolean
}

/** Events of the node that the page hears. */
export const EVENTS = ['connect', 'disconnect', 'chainChanged', 'accountsChanged', 'message'] as const

export type EventName = (typeof EVENTS)[number]

/**
 * The database of the chain, as far as its host knows it.
 * @module
 */

/** A committed block survives the end of the program or of the browser, or also a power failure. */
export type CommitDurability = 'process' | 'power'

/** Where the chain is kept. */
export interface DatabaseInfo {
  readonly kind: 'memory' | 'lmdb' | 'indexeddb'
  /** undefined for a chain in memory */
  readonly durability?: CommitDurability | undefined
  /**
   * Whether the database existed at an earlier visit, and was gone when the node opened it; undefined: the host cannot tell,
   * as for a new one.
   */
  readonly isEvicted?: boolean | undefined
  /** undefined: a chain in memory */
  readonly measure?: (() => Promise<DatabaseSpace>) | undefined
}

/** Space in bytes; undefined where the host does not tell. */
export interface DatabaseSpace {
  /** In a page, of all that the web site stores. */
  readonly usage: number | undefined
  /** Free for further data. */
  readonly available: number | undefined
  /** Whether the browser keeps the database when it needs space; undefined on hosts that never delete it. */
  readonly isPersisted?: boolean | undefined
}

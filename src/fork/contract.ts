/**
 * A chain that continues another one: its blocks and its state, as far as they did not change locally, come from remotes.
 * @module
 */

/** The first source that has a key answers; a value that had to be fetched is written to all sources before it. */
export interface ForkSource {
  /**
   * Values in the order of the keys. Keys are those of fork/cacheKeys.ts: what they name never changes.
   * A damaged value counts as missing.
   */
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]>
  /** Never fails: a source that cannot be written goes on without. */
  put(entries: readonly (readonly [key: Uint8Array, value: Uint8Array])[]): void
  /** Waits until everything that was put is durable. */
  close(): Promise<void>
}

export type VerifyMode = 'auto' | 'proofs' | 'quorum' | 'none'

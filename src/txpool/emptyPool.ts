import type { PoolReader } from './contract.ts'

/** The pool of a chain that nobody can send transactions to. */
export const EMPTY_POOL: PoolReader = {
  size: 0,
  localCount: 0,
  maxSize: 0,
  byHash: () => undefined,
  nextNonce: () => undefined,
  transactions: () => [],
  senders: () => [],
  bySender: () => [],
}

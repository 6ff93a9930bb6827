/**
 * Derives the effects of chain changes on the pool. Read-only; any read may throw `StoreMiss` unless stated otherwise.
 * @module
 */

import { StoreMiss } from '../base/ports/keyValueStore.ts'
import type { ChainEvents, ChainHeader, ChainReader } from '../chain/contract.ts'
import type { StateReader, StateSource } from '../state/contract.ts'
import type { Transaction } from '../types/transaction.ts'
import { mapKey, type PoolEntry, type PoolIndex } from './poolIndex.ts'

/** A transaction of a block that is no longer canonical. */
export interface ReturnedTransaction {
  readonly transaction: Transaction
  /** 32 bytes */
  readonly hash: Uint8Array
  /** 20 bytes */
  readonly sender: Uint8Array
}

export interface HeadChange {
  /** Included in a block. */
  readonly mined: readonly PoolEntry[]
  /** Their nonce was used by another transaction. */
  readonly overtaken: readonly PoolEntry[]
  /** No longer in a canonical block, oldest first. */
  readonly returned: readonly ReturnedTransaction[]
}

/** @param maxReturned maximum length of `returned` */
export function readHeadChange(
  { head, added, removed }: ChainEvents['head'],
  chain: ChainReader,
  states: Pick<StateSource, 'at'>,
  index: PoolIndex,
  maxReturned: number,
): HeadChange {
  const returned = removed.length === 0 || maxReturned === 0 ? [] : readReturned(removed, added, chain, maxReturned)
  if (index.size === 0) return { mined: [], overtaken: [], returned }
  const mined = new Set<PoolEntry>()
  const senders = new Map<string, Uint8Array>()
  for (const { hash } of added) {
    for (const transactionHash of chain.transactionHashes(hash) ?? []) {
      const entry = index.get(mapKey(transactionHash))
      if (entry !== undefined) mined.add(entry)
    }
    for (const sender of chain.senders(hash) ?? []) {
      const key = mapKey(sender)
      if (index.ofSender(key).length > 0) senders.set(key, sender)
    }
  }
  return { mined: [...mined], overtaken: readOvertaken(head, senders, mined, states, index), returned }
}

/** Entries whose nonce is used. Entries whose account is not in memory are skipped. */
export function readUsed(head: ChainHeader, states: Pick<StateSource, 'at'>, index: PoolIndex): PoolEntry[] {
  const state = index.size === 0 ? undefined : states.at(head)
  if (state === undefined) return []
  const used: PoolEntry[] = []
  for (const [lowest] of index.senderEntries()) {
    const { sender, senderKey } = lowest as PoolEntry
    try {
      used.push(...index.below(senderKey, state.getAccount(sender)?.nonce ?? 0n))
    } catch (error) {
      if (!(error instanceof StoreMiss)) throw error
    }
  }
  return used
}

function readOvertaken(
  head: ChainHeader,
  senders: ReadonlyMap<string, Uint8Array>,
  mined: ReadonlySet<PoolEntry>,
  states: Pick<StateSource, 'at'>,
  index: PoolIndex,
): PoolEntry[] {
  const overtaken: PoolEntry[] = []
  let state: StateReader | undefined
  for (const [key, sender] of senders) {
    if (index.ofSender(key).every((entry) => mined.has(entry))) continue
    state ??= states.at(head)
    if (state === undefined) return []
    const nonce = state.getAccount(sender)?.nonce ?? 0n
    for (const entry of index.below(key, nonce)) if (!mined.has(entry)) overtaken.push(entry)
  }
  return overtaken
}

function readReturned(
  removed: readonly ChainHeader[],
  added: readonly ChainHeader[],
  chain: ChainReader,
  limit: number,
): ReturnedTransaction[] {
  const minedKeys = new Set(added.flatMap(({ hash }) => (chain.transactionHashes(hash) ?? []).map(mapKey)))
  const returned: ReturnedTransaction[] = []
  for (const { hash } of removed) {
    const transactions = chain.body(hash)?.transactions ?? []
    const hashes = chain.transactionHashes(hash) ?? []
    const senders = chain.senders(hash) ?? []
    for (const [i, transaction] of transactions.entries()) {
      if (returned.length >= limit) return returned
      const [transactionHash, sender] = [hashes[i], senders[i]]
      if (transactionHash === undefined || sender === undefined || minedKeys.has(mapKey(transactionHash))) continue
      returned.push({ transaction, hash: transactionHash, sender })
    }
  }
  return returned
}

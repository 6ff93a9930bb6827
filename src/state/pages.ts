/**
 * Walks whole states in pages, so that memory does not depend on their size.
 * @module
 */
import type { Residency } from '../base/ports/keyValueStore.ts'
import { retryMissesMaybe } from '../storage/retryMisses.ts'
import type { AccountEntry, StateReader, StorageEntry } from './contract.ts'
import { type HashedEntry, type StateRanges, takeEntries } from './stateRanges.ts'

const ACCOUNTS_PER_PAGE = 64
const SLOTS_PER_PAGE = 256

/** All accounts, ascending by hash. */
export function accountPages(
  state: StateReader,
  residency: Residency | undefined,
): AsyncGenerator<readonly AccountEntry[], void, undefined> {
  return pages(
    (from) => retryMissesMaybe(() => state.accounts(from, ACCOUNTS_PER_PAGE), residency),
    ACCOUNTS_PER_PAGE,
    hashOf,
  )
}

/** The whole storage of an account, ascending by hash. */
export function storagePages(
  state: StateReader,
  address: Uint8Array,
  residency: Residency | undefined,
): AsyncGenerator<readonly StorageEntry[], void, undefined> {
  return pages(
    (from) => retryMissesMaybe(() => state.storage(address, from, SLOTS_PER_PAGE), residency),
    SLOTS_PER_PAGE,
    hashOf,
  )
}

/** All accounts as the trie holds them, ascending by hash; needs no preimages. */
export function hashedAccountPages(
  state: StateRanges,
  residency: Residency | undefined,
): AsyncGenerator<readonly HashedEntry[], void, undefined> {
  return pages(
    (from) => retryMissesMaybe(() => takeEntries(state.accounts.from(from), ACCOUNTS_PER_PAGE), residency),
    ACCOUNTS_PER_PAGE,
    keyOf,
  )
}

/** The whole storage of an account as the trie holds it, ascending by hash. @param owner keccak256(address) */
export function hashedStoragePages(
  state: StateRanges,
  owner: Uint8Array,
  residency: Residency | undefined,
): AsyncGenerator<readonly HashedEntry[], void, undefined> {
  return pages(
    (from) => retryMissesMaybe(() => takeEntries(state.slots(owner)?.from(from) ?? [], SLOTS_PER_PAGE), residency),
    SLOTS_PER_PAGE,
    keyOf,
  )
}

function hashOf({ hash }: AccountEntry | StorageEntry): Uint8Array {
  return hash
}

function keyOf({ key }: HashedEntry): Uint8Array {
  return key
}

async function* pages<T>(
  read: (from: Uint8Array) => readonly T[] | Promise<readonly T[]>,
  length: number,
  hashOfEntry: (entry: T) => Uint8Array,
): AsyncGenerator<readonly T[], void, undefined> {
  let from: Uint8Array | undefined = new Uint8Array(32)
  while (from !== undefined) {
    const page: readonly T[] = await read(from)
    if (page.length > 0) yield page
    const last: T | undefined = page.length < length ? undefined : page.at(-1)
    from = last && hashAfter(hashOfEntry(last))
  }
}

/** undefined after the highest hash */
function hashAfter(hash: Uint8Array): Uint8Array | undefined {
  const next = hash.slice()
  for (let i = next.length - 1; i >= 0; i--) {
    next[i] = ((next[i] as number) + 1) & 0xff
    if (next[i] !== 0) return next
  }
  return undefined
}

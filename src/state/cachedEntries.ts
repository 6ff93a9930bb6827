import { RECENT_STATE_ACCOUNTS, RECENT_STATE_SLOTS, STATE_ENTRY_BYTES } from '../base/limits/limits.ts'

/** Number of accounts and slots that a cache holds. */
export interface CachedEntries {
  readonly accounts: number
  readonly slots: number
}

const ENTRIES = RECENT_STATE_ACCOUNTS + RECENT_STATE_SLOTS

/** Divides the memory of a cache between accounts and slots. */
export function cachedEntries(bytes: number): CachedEntries {
  const part = Math.min(1, bytes / (ENTRIES * STATE_ENTRY_BYTES))
  return { accounts: Math.floor(RECENT_STATE_ACCOUNTS * part), slots: Math.floor(RECENT_STATE_SLOTS * part) }
}

/**
 * Reads ahead for calls over a mirror: what a call will need is loaded together with what it needs first. A hint only: the call
 * reads what it reads, from the same store.
 * @module
 */
import { CALL_HINT_BYTES, MAX_HINTED_ACCOUNTS, MAX_HINTED_SLOTS } from '../../base/limits/limits.ts'
import type { MissCause, MissRequest, Residency } from '../../base/ports/keyValueStore.ts'
import { bytesToHexUnprefixed, equalBytes } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import { mirrorWaitsExceeded } from '../../mirror/errors.ts'
import { CallLoads } from '../../storage/callLoads.ts'
import { keys } from '../../storage/schema.ts'
import { decodeCallTable, functionName, isAccountKey, isHeadKey, isSlotKey } from './callTable.ts'

/** Keys that the calls of one function of a contract did not find in memory, oldest first, by their text. */
interface CallKeys {
  /** Of accounts and code. */
  readonly accounts: ReadonlyMap<string, Uint8Array>
  /** Of storage. They depend on the arguments, so only the last few are kept. */
  readonly slots: ReadonlyMap<string, Uint8Array>
}

/** Memory of a key in addition to its bytes, twice: as text and as bytes. */
const KEY_OVERHEAD = 400
const NO_KEYS: CallKeys = { accounts: new Map(), slots: new Map() }

/** Keys that calls needed the last time, by target and selector. All views of a mirror share them. */
export class CallHints {
  readonly #calls = new LruCache<string, CallKeys>(CALL_HINT_BYTES)
  #table: Uint8Array | undefined

  /** Takes over what the publisher knows, for functions that were not called here. @param table see callTable.ts */
  learn(table: Uint8Array | undefined): void {
    if (table === undefined || (this.#table !== undefined && equalBytes(table, this.#table))) return
    this.#table = table
    for (const [name, wanted] of decodeCallTable(table))
      if (this.#calls.get(name) === undefined) this.#note(name, NO_KEYS, wanted)
  }

  /** A residency over one state of the mirror, which loads ahead for calls. */
  over(residency: Residency): Residency {
    const ahead: Residency = { load: (request, cause) => this.#load(residency, request, cause) }
    return { ...ahead, forCall: (clock) => new CallLoads(ahead, clock, mirrorWaitsExceeded) }
  }

  async #load(residency: Residency, request: MissRequest, cause: MissCause | undefined): Promise<void> {
    if (cause?.to === undefined || request.kind !== 'keys' || !request.keys.some(isHeadKey)) {
      return residency.load(request, cause)
    }
    const call = functionName(cause.to, cause.data)
    const known = this.#calls.get(call) ?? NO_KEYS
    this.#note(call, known, request.keys)
    const ahead = [accountKey(cause.to), ...known.accounts.values(), ...known.slots.values()]
    try {
      await residency.load({ kind: 'keys', keys: [...request.keys, ...ahead] }, cause)
    } catch {
      // A call may not need it, so it does not fail then.
      await residency.load(request, cause)
    }
  }

  #note(call: string, known: CallKeys, missing: readonly Uint8Array[]): void {
    const accounts = missing.filter(isAccountKey)
    const slots = missing.filter(isSlotKey)
    const next = {
      accounts: withNewest(known.accounts, accounts, MAX_HINTED_ACCOUNTS),
      slots: withNewest(known.slots, slots, MAX_HINTED_SLOTS),
    }
    this.#calls.set(call, next, KEY_OVERHEAD * (1 + next.accounts.size + next.slots.size))
  }
}

function accountKey(address: Uint8Array): Uint8Array {
  return keys.flatAccount(keccak256(address))
}

function withNewest(
  known: ReadonlyMap<string, Uint8Array>,
  added: readonly Uint8Array[],
  limit: number,
): ReadonlyMap<string, Uint8Array> {
  const next = new Map(known)
  for (const key of added) {
    const text = bytesToHexUnprefixed(key)
    next.delete(text)
    next.set(text, key)
  }
  const excess = Math.max(0, next.size - limit)
  for (const text of [...next.keys()].slice(0, excess)) next.delete(text)
  return next
}

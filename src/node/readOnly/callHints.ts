/**
 * Reads ahead for calls over a mirror: what a call will need is loaded together with what it needs first. A hint only: the call
 * reads what it reads, from the same store.
 * @module
 */
import { CALL_HINT_BYTES, MAX_HINTED_ACCOUNTS, MAX_HINTED_SLOTS } from '../../base/limits/limits.ts'
import type { MissCause, MissRequest, Residency } from '../../base/ports/keyValueStore.ts'
import { bytesToHexUnprefixed } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import { Column, keys } from '../../storage/schema.ts'

/** Keys that the calls of one function of a contract did not find in memory, oldest first, by their text. */
interface CallKeys {
  /** Of accounts and code. */
  readonly accounts: ReadonlyMap<string, Uint8Array>
  /** Of storage. They depend on the arguments, so only the last few are kept. */
  readonly slots: ReadonlyMap<string, Uint8Array>
}

const SELECTOR_BYTES = 4
/** Memory of a key in addition to its bytes, twice: as text and as bytes. */
const KEY_OVERHEAD = 400
const NO_KEYS: CallKeys = { accounts: new Map(), slots: new Map() }

/** Keys that calls needed the last time, by target and selector. All views of a mirror share them. */
export class CallHints {
  readonly #calls = new LruCache<string, CallKeys>(CALL_HINT_BYTES)

  /** A residency over one state of the mirror, which loads ahead for calls. */
  over(residency: Residency): Residency {
    return { load: (request, cause) => this.#load(residency, request, cause) }
  }

  async #load(residency: Residency, request: MissRequest, cause: MissCause | undefined): Promise<void> {
    if (cause?.to === undefined || request.kind !== 'keys' || !request.keys.some(isOfState)) {
      return residency.load(request, cause)
    }
    const call = nameOf(cause.to, cause.data)
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
    const accounts = missing.filter((key) => key[0] === Column.flatAccount || key[0] === Column.code)
    const slots = missing.filter((key) => key[0] === Column.flatStorage || key[0] === Column.flatIncarnation)
    const next = {
      accounts: withNewest(known.accounts, accounts, MAX_HINTED_ACCOUNTS),
      slots: withNewest(known.slots, slots, MAX_HINTED_SLOTS),
    }
    this.#calls.set(call, next, KEY_OVERHEAD * (1 + next.accounts.size + next.slots.size))
  }
}

/** Whether the key is of the state at the head: older states are read from the trie, whose keys say nothing of the next call. */
function isOfState([column]: Uint8Array): boolean {
  return (
    column === Column.flatAccount ||
    column === Column.flatStorage ||
    column === Column.flatIncarnation ||
    column === Column.code
  )
}

function nameOf(to: Uint8Array, data: Uint8Array): string {
  return `${bytesToHexUnprefixed(to)} ${bytesToHexUnprefixed(data.subarray(0, SELECTOR_BYTES))}`
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

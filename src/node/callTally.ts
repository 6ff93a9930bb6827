/**
 * Counts the calls of one process until another one takes the counts.
 * @module
 */
import type { CallObject } from '../api/calls/contract.ts'
import type { CountedCall } from '../api/mirrorAccess.ts'
import { MAX_CALLED_FUNCTIONS, MAX_COUNTED_CALL_BYTES } from '../base/limits/limits.ts'
import { functionName, SELECTOR_BYTES } from './readOnly/callTable.ts'

export interface CountableCall {
  /** Of the function. */
  readonly name: string
  readonly to: Uint8Array
  /** Without its lists, which may be long. */
  readonly call: CallObject
}

/** @returns undefined for a call of no function, or with long arguments */
export function countable(call: CallObject): CountableCall | undefined {
  const { to, data } = call
  if (to === undefined || data.length < SELECTOR_BYTES || data.length > MAX_COUNTED_CALL_BYTES) return undefined
  const bounded = { ...call, accessList: undefined, blobVersionedHashes: undefined, authorizationList: undefined }
  return { name: functionName(to, data), to, call: bounded }
}

/** Bounded by {@link MAX_CALLED_FUNCTIONS}. */
export class CallTally {
  /** By the name of the function. */
  #counts = new Map<string, CountedCall>()

  note(call: CallObject): void {
    const counted = countable(call)
    if (counted === undefined) return
    const before = this.#counts.get(counted.name)
    if (before === undefined && this.#counts.size >= MAX_CALLED_FUNCTIONS) return
    this.#counts.set(counted.name, { call: counted.call, count: (before?.count ?? 0) + 1 })
  }

  /** The counts since the last time. */
  take(): readonly CountedCall[] {
    const counts = [...this.#counts.values()]
    this.#counts.clear()
    return counts
  }
}

/**
 * The changes of an execution to the state.
 * @module
 */
import { MAX_SUMMARY_ACCOUNTS, MAX_SUMMARY_SLOTS } from '../../base/limits/limits.ts'
import { bytesToHex, equalBytes, quantity } from '../../base/primitives/bytes.ts'
import type { TraceBegin, TraceEnd, TraceState } from '../../tracing/contract.ts'
import type { BeforeAfter } from './summaryView.ts'

export interface AccountDifference {
  /** 20 bytes */
  readonly address: Uint8Array
  readonly slots: readonly (BeforeAfter & { readonly slot: string })[]
  readonly balance: BeforeAfter | null
  readonly nonce: BeforeAfter | null
  readonly code: BeforeAfter | null
}

export interface Differences {
  readonly accounts: readonly AccountDifference[]
  /** Whether some are missing. */
  readonly isCut: boolean
}

/** @throws {StoreMiss} */
export function differences({ before, now }: TraceBegin, { changed }: TraceEnd): Differences {
  const accounts: AccountDifference[] = []
  let left = MAX_SUMMARY_SLOTS
  let isCut = changed.length > MAX_SUMMARY_ACCOUNTS
  for (const { address, slots } of changed.slice(0, MAX_SUMMARY_ACCOUNTS)) {
    const read = slots.slice(0, left)
    if (read.length < slots.length) isCut = true
    const account = difference(before, now, address, read)
    if (account === undefined) continue
    left -= account.slots.length
    accounts.push(account)
  }
  return { accounts, isCut }
}

function difference(
  before: TraceState,
  now: TraceState,
  address: Uint8Array,
  slots: readonly Uint8Array[],
): AccountDifference | undefined {
  const old = before.getAccount(address)
  const account = now.getAccount(address)
  const result: AccountDifference = {
    address: address.slice(),
    slots: slots.flatMap((slot) => {
      const values = [before.getStorage(address, slot), now.getStorage(address, slot)] as const
      const change = changeOf(...values)
      return change === null ? [] : [{ slot: bytesToHex(slot), ...change }]
    }),
    balance: numberChange(old?.balance, account?.balance),
    nonce: numberChange(old?.nonce, account?.nonce),
    code: changeOf(before.getCode(address), now.getCode(address)),
  }
  const { balance, nonce, code } = result
  const isUnchanged = balance === null && nonce === null && code === null && result.slots.length === 0
  return isUnchanged ? undefined : result
}

function changeOf(before: Uint8Array, after: Uint8Array): BeforeAfter | null {
  return equalBytes(before, after) ? null : { before: bytesToHex(before), after: bytesToHex(after) }
}

function numberChange(before = 0n, after = 0n): BeforeAfter | null {
  return before === after ? null : { before: quantity(before), after: quantity(after) }
}

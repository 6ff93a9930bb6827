/**
 * The changes that a transaction made, by account.
 * @see docs/reference/debug-and-trace.md section 8
 * @module
 */

import { bytesToHex, compareBytes, equalBytes, quantity } from '../../base/primitives/bytes.ts'
import type { JsonWriter } from '../../base/primitives/jsonWriter.ts'
import type { Account } from '../../evm/stateDb.ts'
import type { ChangedAccount, TraceState } from '../contract.ts'

interface SlotDiff {
  readonly slot: Uint8Array
  readonly from: Uint8Array
  readonly to: Uint8Array
}

interface AccountDiff {
  readonly address: Uint8Array
  readonly from: Account | undefined
  readonly to: Account | undefined
  /** undefined without an account, or when the code is unchanged. */
  readonly codeFrom: Uint8Array | undefined
  readonly codeTo: Uint8Array | undefined
  readonly slots: readonly SlotDiff[]
}

/** The changed accounts in address order. Only reads; omits accounts that exist neither before nor after. */
export function stateDiff(
  before: TraceState,
  now: TraceState,
  changed: readonly ChangedAccount[],
): readonly AccountDiff[] {
  const diffs: AccountDiff[] = []
  for (const account of changed) {
    const diff = accountDiff(before, now, account)
    if (diff !== undefined) diffs.push(diff)
  }
  return diffs.sort((a, b) => compareBytes(a.address, b.address))
}

function accountDiff(before: TraceState, now: TraceState, { address, slots }: ChangedAccount): AccountDiff | undefined {
  const from = before.getAccount(address)
  const to = now.getAccount(address)
  if (from === undefined && to === undefined) return undefined
  const sameCode = from !== undefined && to !== undefined && equalBytes(from.codeHash, to.codeHash)
  const diff: AccountDiff = {
    address,
    from,
    to,
    codeFrom: sameCode || from === undefined ? undefined : before.getCode(address),
    codeTo: sameCode || to === undefined ? undefined : now.getCode(address),
    slots: to === undefined ? [] : slotDiffs(before, now, address, slots),
  }
  return isUnchanged(diff, sameCode) ? undefined : diff
}

function slotDiffs(
  before: TraceState,
  now: TraceState,
  address: Uint8Array,
  slots: readonly Uint8Array[],
): readonly SlotDiff[] {
  const diffs: SlotDiff[] = []
  for (const slot of slots) {
    const from = before.getStorage(address, slot)
    const to = now.getStorage(address, slot)
    if (!equalBytes(from, to)) diffs.push({ slot, from, to })
  }
  return diffs.sort((a, b) => compareBytes(a.slot, b.slot))
}

function isUnchanged({ from, to, slots }: AccountDiff, sameCode: boolean): boolean {
  return sameCode && slots.length === 0 && from?.balance === to?.balance && from?.nonce === to?.nonce
}

/** Writes the object of all differences. */
export function writeStateDiff(out: JsonWriter, diffs: readonly AccountDiff[]): void {
  for (const [i, diff] of diffs.entries()) {
    const { address, from, to, codeFrom, codeTo } = diff
    out.ascii(`${i === 0 ? '{' : ','}"${bytesToHex(address)}":{"balance":`)
    writeCell(out, hex(from?.balance), hex(to?.balance))
    out.ascii(',"code":')
    writeCell(out, codeFrom, codeTo)
    out.ascii(',"nonce":')
    writeCell(out, hex(from?.nonce), hex(to?.nonce))
    out.ascii(',"storage":{')
    for (const [k, slot] of diff.slots.entries()) writeSlot(out, slot, k === 0, from === undefined)
    out.ascii('}}')
  }
  out.ascii(diffs.length === 0 ? '{}' : '}')
}

function hex(value: bigint | undefined): string | undefined {
  return value === undefined ? undefined : quantity(value)
}

function writeSlot(out: JsonWriter, { slot, from, to }: SlotDiff, isFirst: boolean, isCreated: boolean): void {
  out.ascii(`${isFirst ? '' : ','}"${bytesToHex(slot)}":`)
  writeCell(out, isCreated ? undefined : from, to)
}

/** @param from, to undefined for an absent value; both undefined means unchanged */
function writeCell(out: JsonWriter, from: string | Uint8Array | undefined, to: string | Uint8Array | undefined): void {
  if (from === to) {
    out.ascii('"="')
    return
  }
  if (from !== undefined && to !== undefined) {
    out.ascii('{"*":{"from":')
    writeValue(out, from)
    out.ascii(',"to":')
    writeValue(out, to)
    out.ascii('}}')
    return
  }
  out.ascii(from === undefined ? '{"+":' : '{"-":')
  writeValue(out, (from ?? to) as string | Uint8Array)
  out.ascii('}')
}

/** Writes text verbatim, or bytes as hex. */
function writeValue(out: JsonWriter, value: string | Uint8Array): void {
  out.ascii('"')
  if (typeof value === 'string') out.ascii(value)
  else {
    out.ascii('0x')
    out.hex(value)
  }
  out.ascii('"')
}

/**
 * The contract of a flexible group, and the rules by which it admits transactions.
 * @module
 */

import { toBase64 } from '../../base/primitives/base64.ts'
import { bytesToHexUnprefixed, equalBytes, isZeroBytes, readUint } from '../../base/primitives/bytes.ts'
import type { ExecutionContext } from '../../chain/transition/applyMessage.ts'
import { GROUP_PROXY } from './groups.ts'
import type { PayloadTransaction } from './payloadReading.ts'
import { type PrivateStates, runPrivateCall } from './privateExecution.ts'
import type { PrivateTransaction } from './privateTransaction.ts'

const SELECTOR_BYTES = 4
const WORD = 32
const ADD_PARTICIPANTS = '965a25ef'
const GET_PARTICIPANTS = Uint8Array.of(0x5a, 0xa6, 0x8a, 0xc0)
const CAN_EXECUTE = Uint8Array.of(0x78, 0xb9, 0x03, 0x37)
const GET_VERSION = Uint8Array.of(0x0d, 0x8e, 0x6e, 0x2c)

const ZERO_ADDRESS: Uint8Array = new Uint8Array(20)
/** Maximum number of participants in one call; a longer list is considered garbage. */
const MAX_PARTICIPANTS = 10_000

/** The answers of a group's contract. */
export interface GroupContract {
  /** Base64 */
  readonly members: readonly string[]
  readonly isLocked: boolean
  /** 32 bytes; undefined without a contract */
  readonly version: Uint8Array | undefined
}

function isForProxy({ to }: Pick<PrivateTransaction, 'to'>): boolean {
  return to !== undefined && equalBytes(to, GROUP_PROXY)
}

export function addsParticipants(transaction: Pick<PrivateTransaction, 'to' | 'data'>): boolean {
  const selector = bytesToHexUnprefixed(transaction.data.subarray(0, SELECTOR_BYTES))
  return isForProxy(transaction) && selector === ADD_PARTICIPANTS
}

/** The keys that a call of addParticipants adds, in Base64; empty for other data. */
export function addedParticipants({ data }: Pick<PrivateTransaction, 'data'>): string[] {
  return readKeys(data.subarray(SELECTOR_BYTES)) ?? []
}

/** Calls the contract. The states are unchanged. */
export async function readGroupContract(states: PrivateStates, context: ExecutionContext): Promise<GroupContract> {
  const canExecute = await ask(CAN_EXECUTE, states, context)
  const version = await ask(GET_VERSION, states, context)
  const participants = await ask(GET_PARTICIPANTS, states, context)
  return {
    members: (participants && readKeys(participants)) ?? [],
    isLocked: canExecute === undefined || isZeroBytes(canExecute),
    version: version?.length === WORD ? version : undefined,
  }
}

/** Whether the group's contract admits a transaction of a block. */
export async function mayRun(
  { transaction, version }: PayloadTransaction,
  states: PrivateStates,
  context: ExecutionContext,
): Promise<boolean> {
  const contract = await readGroupContract(states, context)
  const isAdding = addsParticipants(transaction)
  if (isAdding && !contract.isLocked) return false
  if (contract.isLocked && !isForProxy(transaction)) return false
  if (version === undefined || contract.version === undefined || !equalBytes(version, contract.version)) return false
  const from = toBase64(transaction.privateFrom)
  if (contract.members.includes(from)) return true
  return contract.members.length === 0 && isAdding && addedParticipants(transaction).includes(from)
}

/** @returns undefined when the call fails or there is no contract */
async function ask(
  data: Uint8Array,
  states: PrivateStates,
  context: ExecutionContext,
): Promise<Uint8Array | undefined> {
  const { own } = states
  own.beginTransaction()
  own.checkpoint()
  try {
    const call = { sender: ZERO_ADDRESS, to: GROUP_PROXY, data, value: 0n, gasPrice: 0n }
    const { outcome, output } = await runPrivateCall(call, states, context)
    return outcome === 'success' && output.length > 0 ? output : undefined
  } finally {
    own.revert()
  }
}

/** Reads `bytes[]`. @returns undefined for another encoding */
function readKeys(bytes: Uint8Array): string[] | undefined {
  const start = offsetAt(bytes, 0)
  const count = start === undefined ? undefined : offsetAt(bytes, start)
  if (start === undefined || count === undefined || count > MAX_PARTICIPANTS) return undefined
  const base = start + WORD
  const members: string[] = []
  for (let i = 0; i < count; i++) {
    const at = offsetAt(bytes, base + i * WORD)
    const length = at === undefined ? undefined : offsetAt(bytes, base + at)
    if (at === undefined || length === undefined) return undefined
    const from = base + at + WORD
    if (from + length > bytes.length) return undefined
    members.push(toBase64(bytes.subarray(from, from + length)))
  }
  return members
}

/** A word that is a position within the data. */
function offsetAt(bytes: Uint8Array, position: number): number | undefined {
  if (position + WORD > bytes.length || !isZeroBytes(bytes.subarray(position, position + WORD - 6))) return undefined
  const value = readUint(bytes, position + WORD - 6, 6)
  return value <= bytes.length ? value : undefined
}

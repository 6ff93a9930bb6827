/**
 * Warm addresses and slots at the start and at the end of a message.
 * @see EIP-2929, EIP-2930, EIP-3651, EIP-7702
 * @module
 */
import { bytesToHexUnprefixed, compareBytes } from '../../base/primitives/bytes.ts'
import type { AccessList, AccessListItem } from '../../types/transaction.ts'
import type { ExecutionEnvironment, Message } from '../evm.ts'
import {
  ADDRESS_BYTES,
  ADDRESS_FLAGS,
  ADDRESS_IS_PRESET,
  ADDRESS_IS_WARM,
  ADDRESS_KEY,
  REQUEST_ADDRESS,
  REQUEST_SLOT,
  SLOT_ADDRESS_ID,
  SLOT_BYTES,
  SLOT_FLAGS,
  SLOT_IS_PRESET,
  SLOT_IS_WARM,
  STATE_ADDRESS_COUNT,
  STATE_ADDRESS_TABLE,
  STATE_SLOT_COUNT,
  STATE_SLOT_TABLE,
} from './assembly/layout.ts'
import type { NativeInstance } from './instance.ts'
import type { MessageExecution } from './messageExecution.ts'

/**
 * Warms all addresses and slots that are initially warm.
 * @param created the contract that the message creates
 */
export function warmUp(
  instance: NativeInstance,
  message: Message,
  { rules, block, transaction }: ExecutionEnvironment,
  created: Uint8Array | undefined,
): void {
  if (!rules.eips.has(2929)) return
  const warm = (address: Uint8Array): number => {
    instance.write(REQUEST_ADDRESS, address)
    return instance.warmAddress(REQUEST_ADDRESS)
  }
  // EIP-2929 names the standard addresses of precompiles, regardless of overrides.
  instance.warmPrecompiles()
  warm(transaction.origin)
  warm(message.caller)
  const target = message.to ?? created
  if (target !== undefined) warm(target)
  if (rules.eips.has(3651)) warm(block.beneficiary)
  for (const address of transaction.warmAddresses) warm(address)
  for (const { address, storageKeys } of transaction.accessList) {
    const id = warm(address)
    for (const key of storageKeys) {
      instance.write(REQUEST_SLOT, key)
      instance.warmSlot(id, REQUEST_SLOT)
    }
  }
}

/**
 * The final access list: the given one, and everything warmed by frames that did not fail. Addresses that are warm by
 * rule are included only with slots, or when the given list names them; a contract that the message creates is always
 * included.
 */
export function accessedList(
  { instance, eips }: MessageExecution,
  given: AccessList,
  created: Uint8Array | undefined,
): AccessList {
  const entries = new Map<string, AccessedEntry>()
  const entryOf = (address: Uint8Array): AccessedEntry => {
    const key = bytesToHexUnprefixed(address)
    const entry = entries.get(key) ?? { address, slots: new Map() }
    entries.set(key, entry)
    return entry
  }
  const add = ({ slots }: AccessedEntry, slot: Uint8Array): void => {
    slots.set(bytesToHexUnprefixed(slot), slot)
  }
  for (const { address, storageKeys } of given) {
    const entry = entryOf(address)
    for (const key of storageKeys) add(entry, key)
  }
  if (created !== undefined && eips.has(2929)) entryOf(created)
  for (const address of warmAddresses(instance)) entryOf(address)
  for (const { address, slot } of warmSlots(instance)) add(entryOf(address), slot)
  return [...entries.values()].map(toEntry)
}

interface AccessedEntry {
  readonly address: Uint8Array
  /** By slot in hex. */
  readonly slots: Map<string, Uint8Array>
}

function toEntry({ address, slots }: AccessedEntry): AccessListItem {
  return { address, storageKeys: [...slots.values()].sort(compareBytes) }
}

function* warmAddresses(instance: NativeInstance): Generator<Uint8Array> {
  const table = instance.u32(STATE_ADDRESS_TABLE)
  const count = instance.u32(STATE_ADDRESS_COUNT)
  for (let id = 0; id < count; id++) {
    const entry = table + id * ADDRESS_BYTES
    if (isWarm(instance.u32(entry + ADDRESS_FLAGS), ADDRESS_IS_WARM, ADDRESS_IS_PRESET)) {
      yield instance.address(entry + ADDRESS_KEY)
    }
  }
}

function* warmSlots(instance: NativeInstance): Generator<{ address: Uint8Array; slot: Uint8Array }> {
  const addresses = instance.u32(STATE_ADDRESS_TABLE)
  const table = instance.u32(STATE_SLOT_TABLE)
  const count = instance.u32(STATE_SLOT_COUNT)
  for (let index = 0; index < count; index++) {
    const entry = table + index * SLOT_BYTES
    if (!isWarm(instance.u32(entry + SLOT_FLAGS), SLOT_IS_WARM, SLOT_IS_PRESET)) continue
    instance.slotKey(index, REQUEST_SLOT)
    const owner = addresses + instance.u32(entry + SLOT_ADDRESS_ID) * ADDRESS_BYTES
    yield { address: instance.address(owner + ADDRESS_KEY), slot: instance.copy(REQUEST_SLOT, 32) }
  }
}

function isWarm(flags: number, warm: number, preset: number): boolean {
  return (flags & warm) !== 0 && (flags & preset) === 0
}

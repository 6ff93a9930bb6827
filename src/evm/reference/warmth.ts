import { bytesToHexUnprefixed, hexToBytes } from '../../base/primitives/bytes.ts'
import type { AccessList } from '../../types/transaction.ts'
import type { ExecutionEnvironment, Message } from '../evm.ts'
import type { PausableEvm } from './pausableEvm.ts'

/** Warms all addresses and slots that are initially warm: EIP-2929, EIP-2930, EIP-3651, EIP-7702. */
export function warmUp(
  { journal, standardPrecompiles }: PausableEvm,
  message: Message,
  { rules, block, transaction }: ExecutionEnvironment,
): void {
  if (!rules.eips.has(2929)) return
  // EIP-2929 names the standard addresses of precompiles, regardless of overrides.
  for (const address of standardPrecompiles.keys()) journal.addAlwaysWarmAddress(address)
  journal.addAlwaysWarmAddress(bytesToHexUnprefixed(transaction.origin))
  journal.addAlwaysWarmAddress(bytesToHexUnprefixed(message.caller))
  if (message.to !== undefined) journal.addAlwaysWarmAddress(bytesToHexUnprefixed(message.to))
  if (rules.eips.has(3651)) journal.addAlwaysWarmAddress(bytesToHexUnprefixed(block.beneficiary))
  for (const address of transaction.warmAddresses) journal.addAlwaysWarmAddress(bytesToHexUnprefixed(address))
  for (const { address, storageKeys } of transaction.accessList) {
    const hex = bytesToHexUnprefixed(address)
    journal.addAlwaysWarmAddress(hex)
    for (const key of storageKeys) journal.addAlwaysWarmSlot(hex, bytesToHexUnprefixed(key))
  }
}

/**
 * The final access list: the given one, and everything warmed by frames that did not fail. Addresses that are warm by
 * rule (sender, recipient, precompiles, beneficiary) are included only with slots, or when the given list names them.
 */
export function accessedList(evm: PausableEvm, given: AccessList): AccessList {
  const slots = new Map<string, Set<string>>()
  const add = (address: string, keys: Iterable<string>): void => {
    const warmSlots = slots.get(address) ?? new Set()
    for (const key of keys) warmSlots.add(key)
    slots.set(address, warmSlots)
  }
  for (const { address, storageKeys } of given)
    add(bytesToHexUnprefixed(address), storageKeys.map(bytesToHexUnprefixed))
  for (const [address, keys] of evm.journal['journal']) add(address, keys)
  return [...slots].map(([address, keys]) => ({
    address: hexToBytes(address),
    storageKeys: [...keys].sort().map((key) => hexToBytes(key)),
  }))
}

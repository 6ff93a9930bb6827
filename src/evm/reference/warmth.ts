import { bytesToHexUnprefixed, hexToBytes } from '../../primitives/bytes.ts'
import type { AccessList } from '../../types/transaction.ts'
import type { ExecutionEnvironment, Message } from '../evm.ts'
import type { PausableEvm } from './pausableEvm.ts'

/** Makes warm what is so from the start: EIP-2929, EIP-2930, EIP-3651, EIP-7702. */
export function warmUp(
  { journal, standardPrecompiles }: PausableEvm,
  message: Message,
  { rules, block, transaction }: ExecutionEnvironment,
): void {
  if (!rules.eips.has(2929)) return
  // The rule names the precompiles' own addresses, not those that they were moved to.
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
 * What is warm at the end: the access list, and what frames that did not fail made warm. Addresses that are warm by
 * rule (sender, recipient, precompiles, beneficiary) are in it only with slots, or when the access list names them.
 */
export function accessedList(evm: PausableEvm, given: AccessList): AccessList {
  const slots = new Map<string, Set<string>>()
  const add = (address: string, keys: Iterable<string>): void => {
    const known = slots.get(address) ?? new Set()
    for (const key of keys) known.add(key)
    slots.set(address, known)
  }
  for (const { address, storageKeys } of given)
    add(bytesToHexUnprefixed(address), storageKeys.map(bytesToHexUnprefixed))
  for (const [address, keys] of evm.journal['journal']) add(address, keys)
  return [...slots].map(([address, keys]) => ({
    address: hexToBytes(address),
    storageKeys: [...keys].sort().map((key) => hexToBytes(key)),
  }))
}

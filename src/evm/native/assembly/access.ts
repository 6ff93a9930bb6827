/** Warm and cold addresses (EIP-2929). */
import { warmAddressById } from './journal'
import {
  ADDRESS_FLAGS,
  ADDRESS_IS_WARM,
  RULE_COLD_ACCOUNT,
  RULE_FLAGS,
  RULE_HAS_ACCESS_LISTS,
  RULE_WARM,
} from './layout'
import { addressEntry } from './tables'

export function hasAccessLists(): bool {
  return (load<u32>(RULE_FLAGS) & RULE_HAS_ACCESS_LISTS) !== 0
}

export function isWarm(id: u32): bool {
  return (load<u32>(addressEntry(id), ADDRESS_FLAGS) & ADDRESS_IS_WARM) !== 0
}

/** Cost of accessing the address, in addition to the opcode's static cost. */
export function accessCost(id: u32): i64 {
  if (!hasAccessLists()) return 0
  return <i64>load<u32>(isWarm(id) ? RULE_WARM : RULE_COLD_ACCOUNT)
}

export function access(id: u32): void {
  if (hasAccessLists()) warmAddressById(id)
}

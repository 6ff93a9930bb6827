import { hexToBytes } from '../../base/primitives/bytes.ts'
import type { WorldState } from '../../state/worldState.ts'
import { MANAGEMENT_CODE, PROXY_CODE } from './flexibleContracts.ts'
import { GROUP_MANAGEMENT, GROUP_PROXY } from './groups.ts'

const SLOT_OF_IMPLEMENTATION: Uint8Array = new Uint8Array(32)

/** Puts the contracts into the empty state of a new flexible group. */
export function applyGroupGenesis(state: WorldState): void {
  state.beginTransaction()
  state.setCode(GROUP_MANAGEMENT, hexToBytes(MANAGEMENT_CODE))
  state.setCode(GROUP_PROXY, hexToBytes(PROXY_CODE))
  const implementation = new Uint8Array(32)
  implementation.set(GROUP_MANAGEMENT, 12)
  state.setStorage(GROUP_PROXY, SLOT_OF_IMPLEMENTATION, implementation)
}

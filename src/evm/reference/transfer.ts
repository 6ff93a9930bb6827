import { bytesToHexUnprefixed } from '../../base/primitives/bytes.ts'
import type { ExecutionEnvironment } from '../evm.ts'
import type { StateDB } from '../stateDb.ts'
import type { PreparedCommon } from './preparedTypes.ts'

/** Whether a call to this address runs nothing, because it has neither code nor a precompile. */
export function isTransfer(
  to: Uint8Array,
  state: StateDB,
  { movedPrecompiles }: ExecutionEnvironment,
  { precompiles }: PreparedCommon,
): boolean {
  if (movedPrecompiles !== undefined || precompiles.has(bytesToHexUnprefixed(to))) return false
  return state.getCode(to).length === 0
}

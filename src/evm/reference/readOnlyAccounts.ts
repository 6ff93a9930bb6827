/**
 * Opcodes on a state with accounts that may not be changed.
 * @module
 */
import type { EVM } from '@ethereumjs/evm'
import { bigIntToBytesPadded } from '../../base/primitives/bytes.ts'
import type { StateAdapter } from './stateAdapter.ts'

type OpcodeMap = EVM['_opcodeMap']
type Handler = OpcodeMap[number]['opHandler']
type RunState = Parameters<Handler>[0]

const SELFDESTRUCT = 0xff

/** The same opcodes with a SELFDESTRUCT that reverts when its beneficiary is read-only, even if nothing is transferred. */
export function withGuardedSelfDestruct(opcodeMap: OpcodeMap, state: StateAdapter): OpcodeMap {
  const entry = opcodeMap[SELFDESTRUCT]
  if (entry === undefined) return opcodeMap
  const original = entry.opHandler
  const guarded = async (runState: RunState, common: Parameters<Handler>[1]): Promise<void> => {
    if (!runState.interpreter.isStatic()) {
      await state.requireWritable(bigIntToBytesPadded(BigInt.asUintN(160, runState.stack.peek(1)[0] as bigint), 20))
    }
    await original(runState, common)
  }
  const copy = [...opcodeMap]
  copy[SELFDESTRUCT] = { ...entry, opHandler: guarded as Handler }
  return copy
}

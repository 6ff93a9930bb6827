import { isZeroBytes } from '../../../base/primitives/bytes.ts'
import { isDead } from '../accounts.ts'
import { FRAME_SP, RULE_NEW_ACCOUNT } from '../assembly/layout.ts'
import type { MessageExecution } from '../messageExecution.ts'
import { paysForNewAccount } from '../selfDestruct.ts'

const CALL = 0xf1
const SELFDESTRUCT = 0xff
const WORD_BYTES = 32
const ADDRESS_BYTES = 20

/** The new-account cost of an opcode that ran out of gas before the module asked the host about it. Changes nothing. */
export function newAccountCost(execution: MessageExecution, opcode: number): number {
  const { instance } = execution
  const top = instance.u32(instance.frame + FRAME_SP)
  const isDue =
    opcode === SELFDESTRUCT
      ? paysForNewAccount(execution, addressAt(execution, top - WORD_BYTES))
      : opcode === CALL && callsNewAccount(execution, addressAt(execution, top - 2 * WORD_BYTES), top - 3 * WORD_BYTES)
  return isDue ? instance.u32(RULE_NEW_ACCOUNT) : 0
}

function callsNewAccount({ instance, state, eips }: MessageExecution, target: Uint8Array, value: number): boolean {
  if (!eips.has(161)) return state.getAccount(target) === undefined
  return !isZeroBytes(instance.view(value, WORD_BYTES)) && isDead(state.getAccount(target))
}

/** The address in a stack item, which is little-endian. */
function addressAt({ instance }: MessageExecution, item: number): Uint8Array {
  return instance.view(item, ADDRESS_BYTES).slice().reverse()
}

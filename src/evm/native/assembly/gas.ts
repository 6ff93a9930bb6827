/** What an opcode costs that cannot be paid. */
import { HALT_OUT_OF_GAS, STATE_GAS_AFTER } from './layout'

/** STATE_GAS_AFTER of an opcode whose cost is beyond all gas. */
export const UNPAYABLE: i64 = -0x4000000000000000

/** @param after what the gas would have come to; a tracer wants to know it */
export function outOfGas(after: i64): i32 {
  store<i64>(STATE_GAS_AFTER, after)
  return -HALT_OUT_OF_GAS
}

/** Running out of gas. */
import { HALT_OUT_OF_GAS, STATE_GAS_AFTER } from './layout'

/** STATE_GAS_AFTER of an opcode whose cost exceeds any gas limit. */
export const UNPAYABLE: i64 = -0x4000000000000000

/** @param after gas after the cost, reported to tracers */
export function outOfGas(after: i64): i32 {
  store<i64>(STATE_GAS_AFTER, after)
  return -HALT_OUT_OF_GAS
}

/**
 * Decides when run() pauses. The mark is an amount of the running frame's gas: below it, the budget is used up. When
 * the running frame changes, the mark moves with the gas.
 */
import { FRAME_GAS, STATE_BUDGET, STATE_FRAME } from './layout'

/** The running frame pauses at a JUMPDEST when its gas is below this. */
export let pauseMark: i64 = 0

/** Sets the mark from the host's budget. */
export function setMark(): void {
  pauseMark = load<i64>(load<u32>(STATE_FRAME), FRAME_GAS) - load<i64>(STATE_BUDGET)
}

/** @param difference change of the running gas that does not count as use */
export function moveMark(difference: i64): void {
  pauseMark += difference
}

/** Writes the remaining budget to STATE_BUDGET. */
export function storeBudget(): void {
  store<i64>(STATE_BUDGET, load<i64>(load<u32>(STATE_FRAME), FRAME_GAS) - pauseMark)
}

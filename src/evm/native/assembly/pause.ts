/**
 * When run() gives way. The mark is a value of the running frame's gas: below it the budget is used up. It moves with the gas when
 * another frame begins to run.
 */
import { FRAME_GAS, STATE_BUDGET, STATE_FRAME } from './layout'

/** The running frame pauses at a JUMPDEST when its gas is below this. */
export let pauseMark: i64 = 0

/** From the budget that the host has given. */
export function setMark(): void {
  pauseMark = load<i64>(load<u32>(STATE_FRAME), FRAME_GAS) - load<i64>(STATE_BUDGET)
}

/** The gas of what runs has changed by this without being used. */
export function moveMark(difference: i64): void {
  pauseMark += difference
}

/** Tells the host what is left of the budget. */
export function storeBudget(): void {
  store<i64>(STATE_BUDGET, load<i64>(load<u32>(STATE_FRAME), FRAME_GAS) - pauseMark)
}

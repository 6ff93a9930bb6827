/** Handles the status of an opcode. */
import { haltFrame } from './frame'
import { EXIT_NO_MEMORY, EXIT_STORAGE, FRAME_GAS, STATE_FRAME, STATE_PENDING } from './layout'
import { SWITCHED } from './status'

/** Whether EXIT_STEP has already occurred for the opcode at FRAME_PC. */
export let isStepDone: bool = false

export function setStepDone(isDone: bool): void {
  isStepDone = isDone
}

/**
 * Handles the status of an opcode and returns SWITCHED or EXIT_*.
 * @param cost returned to the frame when the opcode will run again
 */
export function settle(status: i32, cost: u32): i32 {
  if (status < 0) return settle(haltFrame(-status), 0)
  if (status === SWITCHED) return status
  const frame = <usize>load<u32>(STATE_FRAME)
  if (status === EXIT_NO_MEMORY || status === EXIT_STORAGE) {
    store<i64>(frame, load<i64>(frame, FRAME_GAS) + <i64>cost, FRAME_GAS)
    setStepDone(true)
  }
  if (status !== EXIT_NO_MEMORY) store<u32>(STATE_PENDING, status)
  return status
}

/**
 * The status by which the parts of the interpreter report how to continue: 0 continues after the opcode, positive
 * numbers are EXIT_* or SWITCHED, negative ones HALT_*.
 */

export const CONTINUE = 0
/** The registers have changed: continue at the running frame's FRAME_PC. */
export const SWITCHED = 0x100
/** Gas or stack are insufficient for the whole next block: continue at FRAME_PC, opcode by opcode. */
export const UNPAID = 0x101

/**
 * How the parts of the interpreter tell what comes next: 0 goes on behind the opcode, a positive number is an EXIT_* or SWITCHED,
 * a negative one a HALT_*.
 */

export const CONTINUE = 0
/** Registers have changed: go on at the running frame's FRAME_PC. */
export const SWITCHED = 0x100
/** Gas or stack do not do for the whole block that comes next: go on at FRAME_PC opcode by opcode. */
export const UNPAID = 0x101

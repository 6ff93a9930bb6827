/**
 * Stack effects of opcodes, and the table that the interpreter reads: for each opcode its static cost (u32), the
 * minimum stack height and the permitted excess over it (u16 each, in bytes).
 */
import { GAS_UNDEFINED, RULE_GAS_TABLE, SCRATCH } from './layout'

export const TABLE: usize = SCRATCH + 0x800
export const TABLE_MINIMUM = 4
export const TABLE_SPAN = 6
const STACK_BYTES: u32 = 32768
/** Exceeds any stack height. */
export const NEVER: u32 = 0xffff

/** Number of words popped, for opcodes 0x00 to 0x5f. */
const TAKEN = memory.data<u8>([
  0, 2, 2, 2, 2, 2, 2, 2, 3, 3, 2, 2, 0, 0, 0, 0, 2, 2, 2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2, 2, 1, 0, 2, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 3, 0, 3, 0, 1, 4, 0, 3, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
  0, 0, 1, 1, 2, 2, 1, 2, 1, 2, 0, 0, 0, 0, 1, 2, 3, 0,
])
/** Number of words pushed, for opcodes 0x00 to 0x5f. */
const LEFT = memory.data<u8>([
  0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0,
  0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1,
])

/** Number of words that the opcode needs on the stack. */
export function takenBy(op: u32): u32 {
  if (op < 0x60) return load<u8>(TAKEN + op)
  if (op < 0x80) return 0
  if (op < 0x90) return op - 0x7f
  if (op < 0xa0) return op - 0x8e
  if (op < 0xa5) return op - 0x9e
  switch (op) {
    case 0xf0:
      return 3
    case 0xf1:
    case 0xf2:
      return 7
    case 0xf4:
    case 0xfa:
      return 6
    case 0xf3:
    case 0xfd:
      return 2
    case 0xf5:
      return 4
    case 0xff:
      return 1
    default:
      return 0
  }
}

/** Change of the stack height in words. Above SWAP16 the result only guarantees that the stack does not grow. */
export function changeBy(op: u32): i32 {
  if (op < 0x60) return <i32>load<u8>(LEFT + op) - <i32>load<u8>(TAKEN + op)
  return op < 0x90 ? 1 : 0
}

export function staticCost(op: u32): u32 {
  return load<u32>(TABLE + (op << 3))
}

/** Built from the fork's gas table. */
export function buildTable(): void {
  for (let op: u32 = 0; op < 256; op++) {
    const entry = TABLE + (op << 3)
    const gas = <u32>load<u16>(RULE_GAS_TABLE + (op << 1))
    const minimum = takenBy(op) << 5
    const isDefined = gas !== GAS_UNDEFINED
    store<u32>(entry, isDefined ? gas : 0)
    store<u16>(entry, isDefined ? minimum : NEVER, TABLE_MINIMUM)
    store<u16>(entry, isDefined ? STACK_BYTES - minimum - (changeBy(op) > 0 ? 32 : 0) : 0, TABLE_SPAN)
  }
}

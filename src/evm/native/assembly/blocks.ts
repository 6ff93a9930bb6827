/**
 * Blocks: code that runs from its first opcode to its last without a jump, without asking for the gas left and without leaving the
 * loop. In the middle of one nobody sees the gas, so that the static costs of its opcodes are taken all at once, and one look at the
 * height of the stack does for all of them. Where that is not enough the code runs opcode by opcode, which finds what halts.
 *
 * A block may begin anywhere and ends with the first opcode that endsBlock() names; a JUMPDEST in it costs gas and nothing else. What
 * a block takes is found by reading it and kept in a slot for its place, which other places share: room stays bounded however
 * long the code is, and no block is read more often than it runs. Only a message that jumps often runs by blocks: those that run
 * once or twice are not worth being read.
 */
import { BLOCKS, FRAME_CODE, FRAME_PC, FRAME_STACK, FRAME_STACK_BYTES, STATE_FRAME } from './layout'
import { changeBy, NEVER, TABLE, TABLE_MINIMUM } from './opcodes'

/** Taken jumps of a message before it runs by blocks. */
const WARM_UP: i32 = 512
/** Opcodes of the longest block; a longer one is never payable. Reading one is short beside the call that may lead to it. */
const LONGEST: u32 = 256

/** One slot: u64 message and place, u32 static gas, u16 least height and u16 how much more it may be, as in TABLE. */
const SLOT_SHIFT: usize = 4
const SLOTS: usize = 4096
const BLOCK_GAS: usize = 8
/** With FRAME_STACK on top: the header of the frame lies below the stack. */
const BLOCK_MINIMUM: usize = 12
const BLOCK_SPAN: usize = 14

const PUSH1: u32 = 0x60
const PUSH32: u32 = 0x7f

/** The message in the high half of the slots' first field. */
let message: u64 = 0
/** What is left of WARM_UP. */
let jumpsLeft: i32 = WARM_UP

/** A new message begins: nothing of the last one's code and costs is known. */
export function resetBlocks(): void {
  message += 0x100000000
  // The number has come round to one that a slot may still have.
  if (message === 0) memory.fill(BLOCKS, 0, SLOTS << SLOT_SHIFT)
  jumpsLeft = WARM_UP
}

/** Counts a jump that was taken. @returns whether the message runs by blocks from now on */
export function warmUp(): bool {
  return --jumpsLeft <= 0
}

/** Whether the running frame runs by blocks. Init code that lies among the frames does not: its place may be another code's later. */
export function runsByBlocks(): bool {
  const frame = load<u32>(STATE_FRAME)
  return jumpsLeft <= 0 && load<u32>(frame, FRAME_CODE) < frame
}

/**
 * What is left of the gas after the static costs of the block at `pc`; negative when gas or stack do not do for all of it, or nobody
 * has read it yet. Without a call in it, it becomes part of the loop.
 */
export function payBlock(frame: usize, pc: usize, sp: usize, gas: i64): i64 {
  const block = slotOf(pc)
  const height = <u32>(sp - frame)
  const fails =
    load<u64>(block) !== (message | <u64>pc) ||
    height - <u32>load<u16>(block, BLOCK_MINIMUM) > <u32>load<u16>(block, BLOCK_SPAN)
  return fails ? -1 : gas - <i64>load<u32>(block, BLOCK_GAS)
}

/** Reads the block at FRAME_PC. @returns false when that has been done before */
export function readNextBlock(): bool {
  const frame = <usize>load<u32>(STATE_FRAME)
  const pc = <usize>load<u32>(frame, FRAME_CODE) + load<u32>(frame, FRAME_PC)
  const block = slotOf(pc)
  if (load<u64>(block) === (message | <u64>pc)) return false
  readBlock(block, pc)
  return true
}

/** Static gas from `pc` to the end of the block that it stands in. */
export function restOfBlock(pc: usize): i64 {
  const block = slotOf(pc)
  readBlock(block, pc)
  return <i64>load<u32>(block, BLOCK_GAS)
}

function slotOf(pc: usize): usize {
  return BLOCKS + ((pc & (SLOTS - 1)) << SLOT_SHIFT)
}

function readBlock(block: usize, pc: usize): void {
  store<u64>(block, message | <u64>pc)
  let gas: u32 = 0
  let height: i32 = 0
  let minimum: i32 = 0
  let highest: i32 = 0
  let isPayable = false
  for (let i: u32 = 0; i < LONGEST; i++) {
    const op = <u32>load<u8>(pc)
    const entry = TABLE + (op << 3)
    const taken = <u32>load<u16>(entry, TABLE_MINIMUM)
    // It halts there, which is seen opcode by opcode.
    if (taken === NEVER) break
    gas += load<u32>(entry)
    minimum = max(minimum, <i32>taken - height)
    height += changeBy(op) << 5
    highest = max(highest, height)
    if (endsBlock(op)) {
      isPayable = true
      break
    }
    pc += op >= PUSH1 && op <= PUSH32 ? op - 0x5e : 1
  }
  const span = <i32>FRAME_STACK_BYTES - minimum - highest
  isPayable = isPayable && span >= 0
  store<u32>(block, gas, BLOCK_GAS)
  store<u16>(block, isPayable ? FRAME_STACK + minimum : NEVER, BLOCK_MINIMUM)
  store<u16>(block, isPayable ? span : 0, BLOCK_SPAN)
}

/** STOP, JUMP, JUMPI, and all that look at the gas, change it by more than the static cost or may leave the loop. */
function endsBlock(op: u32): bool {
  if (op >= 0xa0) return true
  switch (op) {
    case 0x00:
    case 0x0a:
    case 0x20:
    case 0x31:
    case 0x37:
    case 0x39:
    case 0x3b:
    case 0x3c:
    case 0x3e:
    case 0x3f:
    case 0x40:
    case 0x47:
    case 0x54:
    case 0x55:
    case 0x56:
    case 0x57:
    case 0x5a:
    case 0x5c:
    case 0x5d:
    case 0x5e:
      return true
    default:
      return false
  }
}

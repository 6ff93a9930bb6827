/**
 * Blocks: sequences of opcodes without a jump, without a read of the remaining gas and without an exit from the loop.
 * Nothing observes the gas within a block, so the static costs of all its opcodes are charged at once, and a single
 * check of the stack height covers them all. When that check fails, the code runs opcode by opcode, which finds the
 * opcode that halts.
 *
 * A block may begin anywhere and ends with the first opcode for which endsBlock() is true; a JUMPDEST inside it only
 * costs gas. The cost of a block is determined by scanning it and cached in a slot selected by its position. Positions
 * share slots, so the cache is bounded regardless of code size, and no block is scanned more often than it runs. Only
 * messages that jump often run by blocks, since scanning does not pay off for code that runs once or twice.
 */
import { BLOCKS, FRAME_CODE, FRAME_PC, FRAME_STACK, FRAME_STACK_BYTES, STATE_FRAME } from './layout'
import { PUSH1, PUSH32 } from './opcodeNumbers'
import { changeBy, NEVER, TABLE, TABLE_MINIMUM } from './opcodes'

/** Number of taken jumps after which a message runs by blocks. */
const WARM_UP: i32 = 512
/**
 * Maximum number of opcodes in a block; longer ones run opcode by opcode. Scanning one takes little time compared with
 * the call that may lead to it.
 */
const LONGEST: u32 = 256

/**
 * One slot: u64 message and position, u32 static gas, u16 minimum stack height and u16 permitted excess over it, as in
 * TABLE.
 */
const SLOT_SHIFT: usize = 4
const SLOTS: usize = 4096
const BLOCK_GAS: usize = 8
/** Includes FRAME_STACK, because heights are measured from the frame header. */
const BLOCK_MINIMUM: usize = 12
const BLOCK_SPAN: usize = 14

/** Number of the message; another one after code was released. In the high half of the slots' first field. */
let message: u64 = 0
/** Remaining jumps of WARM_UP. */
let jumpsLeft: i32 = WARM_UP

/** Called for a new message. */
export function resetBlocks(): void {
  forgetBlocks()
  jumpsLeft = WARM_UP
}

/** Invalidates all slots, because code and costs may differ. */
export function forgetBlocks(): void {
  message += 0x100000000
  // The counter wrapped around to a value that a slot may still contain.
  if (message === 0) memory.fill(BLOCKS, 0, SLOTS << SLOT_SHIFT)
}

/**
 * Counts a taken jump.
 * @returns whether the message runs by blocks from now on
 */
export function warmUp(): bool {
  return --jumpsLeft <= 0
}

/**
 * Whether the running frame runs by blocks. Init code stored among the frames does not, because other code may later
 * occupy its position.
 */
export function runsByBlocks(): bool {
  const frame = load<u32>(STATE_FRAME)
  return jumpsLeft <= 0 && load<u32>(frame, FRAME_CODE) < frame
}

/**
 * The gas left after the static costs of the block at `pc`; negative when gas or stack are insufficient, or when the
 * block has not been scanned. It calls nothing, so that it is inlined into the loop.
 */
export function payBlock(frame: usize, pc: usize, sp: usize, gas: i64): i64 {
  const block = slotOf(pc)
  const height = <u32>(sp - frame)
  const fails =
    load<u64>(block) !== (message | <u64>pc) ||
    height - <u32>load<u16>(block, BLOCK_MINIMUM) > <u32>load<u16>(block, BLOCK_SPAN)
  return fails ? -1 : gas - <i64>load<u32>(block, BLOCK_GAS)
}

/**
 * Scans the block at FRAME_PC.
 * @returns false when its slot is already valid
 */
export function readNextBlock(): bool {
  const frame = <usize>load<u32>(STATE_FRAME)
  const pc = <usize>load<u32>(frame, FRAME_CODE) + load<u32>(frame, FRAME_PC)
  const block = slotOf(pc)
  if (load<u64>(block) === (message | <u64>pc)) return false
  readBlock(block, pc)
  return true
}

/** Static gas from `pc` to the end of its block. */
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
    // The opcode halts; running opcode by opcode finds out why.
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

/** STOP, JUMP, JUMPI, and all opcodes that read the gas, charge more than the static cost or may leave the loop. */
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

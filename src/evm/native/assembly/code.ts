/** Jump destinations: one bit per byte of code. */
import { JUMPDEST, PUSH1, PUSH32 } from './opcodeNumbers'

/** Writes (length + 7) >> 3 bytes. */
export function analyze(code: usize, length: u32, bitmap: usize): void {
  memory.fill(bitmap, 0, (length + 7) >> 3)
  for (let i: u32 = 0; i < length; i++) {
    const op = <u32>load<u8>(code + i)
    if (op === JUMPDEST) {
      const at = bitmap + (i >> 3)
      store<u8>(at, <u32>load<u8>(at) | (1 << (i & 7)))
    } else if (op >= PUSH1 && op <= PUSH32) i += op - 0x5f
  }
}

/** Whether a JUMPDEST is at `target`. */
export function isJumpDestination(bitmap: usize, length: u64, target: u64): bool {
  if (target >= length) return false
  return ((<u32>load<u8>(bitmap + <usize>(target >> 3)) >> <u32>(target & 7)) & 1) !== 0
}

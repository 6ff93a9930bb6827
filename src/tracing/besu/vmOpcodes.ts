/**
 * Properties of opcodes for vmTrace: the number of stack items they produce, and their operands for memory and storage.
 * @module
 */

export const STOP = 0x00
const MLOAD = 0x51
export const SSTORE = 0x55
const CREATE = 0xf0
const CALL = 0xf1
export const RETURN = 0xf3
const CREATE2 = 0xf5
const STATICCALL = 0xfa

/** Number of stack items that an opcode produces; for DUPn and SWAPn, the number of items it reads. */
export const PRODUCED: Uint8Array = producedItems()

/** Operands of an opcode that writes to memory, as positions below the top of the stack. */
export interface MemoryOperands {
  readonly offset: number
  /** A constant length, or the position of the length operand. */
  readonly length: number | { readonly operand: number }
}

/** Indexed by opcode; undefined when the trace omits memory. For calls, the output area. */
export const MEMORY_OPERANDS: readonly (MemoryOperands | undefined)[] = memoryOperands()

/** Opcodes that start another frame. */
export function startsFrame(opcode: number): boolean {
  return (opcode >= CREATE && opcode !== RETURN && opcode <= CREATE2) || opcode === STATICCALL
}

function producedItems(): Uint8Array {
  const produced = new Uint8Array(256)
  const one = (from: number, to = from): void => void produced.fill(1, from, to + 1)
  one(0x01, 0x0b)
  one(0x10, 0x1e)
  one(0x20)
  one(0x30, 0x36)
  one(0x38)
  one(0x3a, 0x3b)
  one(0x3d)
  one(0x3f, 0x4a)
  one(MLOAD)
  one(0x54)
  one(0x58, 0x5a)
  one(0x5c)
  one(0x5f, 0x7f)
  for (let n = 1; n <= 16; n++) {
    produced[0x7f + n] = n + 1
    produced[0x8f + n] = n + 1
  }
  return produced
}

function memoryOperands(): (MemoryOperands | undefined)[] {
  const table = new Array<MemoryOperands | undefined>(256).fill(undefined)
  const copy: MemoryOperands = { offset: 0, length: { operand: 2 } }
  table[0x37] = copy
  table[0x39] = copy
  table[0x3e] = copy
  table[0x3c] = { offset: 1, length: { operand: 3 } }
  table[MLOAD] = { offset: 0, length: 32 }
  table[0x52] = { offset: 0, length: 32 }
  table[0x53] = { offset: 0, length: 1 }
  table[CALL] = { offset: 5, length: { operand: 6 } }
  table[0xf2] = { offset: 5, length: { operand: 6 } }
  table[0xf4] = { offset: 4, length: { operand: 5 } }
  table[STATICCALL] = { offset: 4, length: { operand: 5 } }
  return table
}

/**
 * Code as instructions.
 * @module
 */
import { bytesToHex, hexToBytes } from '../../../../../src/base/primitives/bytes.ts'
import { GETH_OPCODE_NAMES } from '../../../../../src/tracing/structLog/opcodes.ts'

export interface Instruction {
  readonly pc: number
  readonly name: string
  /** Of PUSH, in hex. */
  readonly operand: string | undefined
}

const PUSH1 = 0x60
const PUSH32 = 0x7f

/** @param code hex; data after the code are read as instructions too, as the EVM would */
export function disassemble(code: string): Instruction[] {
  const bytes = hexToBytes(code.slice(2))
  const instructions: Instruction[] = []
  for (let pc = 0; pc < bytes.length; ) {
    const opcode = bytes[pc] as number
    const size = opcode >= PUSH1 && opcode <= PUSH32 ? opcode - PUSH1 + 1 : 0
    instructions.push({
      pc,
      name: GETH_OPCODE_NAMES[opcode] ?? `0x${opcode.toString(16)}`,
      operand: size === 0 ? undefined : bytesToHex(bytes.subarray(pc + 1, pc + 1 + size)),
    })
    pc += 1 + size
  }
  return instructions
}

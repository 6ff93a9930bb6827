/**
 * Translates fork rules to `@ethereumjs`: an immutable `Common` with cached lookups, and opcode and precompile tables
 * that are built once.
 * @module
 */
import type { Common } from '@ethereumjs/common'
import type { getOpcodesForHF, PrecompileFunc } from '@ethereumjs/evm'

export type OpcodeTables = ReturnType<typeof getOpcodesForHF>
export type OpcodeMap = OpcodeTables['opcodeMap']
/** An opcode with its gas rule and its handler. */
export type OpcodeRule = OpcodeMap[number]
/** A frame of the interpreter. */
export type RunState = Parameters<OpcodeRule['opHandler']>[0]

export interface PreparedCommon {
  readonly common: Common
  readonly tables: OpcodeTables
  /** Address in hex without prefix → function. */
  readonly precompiles: Map<string, PrecompileFunc>
}

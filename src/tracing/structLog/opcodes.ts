/**
 * Names and stack effects of opcodes, for traces.
 * @module
 */
import type { ForkRules } from '../../config/forks.ts'

interface Row {
  readonly name: string
  /** Number of words that must be on the stack. */
  readonly taken: number
  /** Number of result words, which may differ from the words before. */
  readonly left: 0 | 1
  /** The EIP that introduced the opcode; undefined for original opcodes. */
  readonly eip?: number
}

const ROWS: Readonly<Record<number, Row>> = {
  0: { name: 'STOP', taken: 0, left: 0 },
  1: { name: 'ADD', taken: 2, left: 1 },
  2: { name: 'MUL', taken: 2, left: 1 },
  3: { name: 'SUB', taken: 2, left: 1 },
  4: { name: 'DIV', taken: 2, left: 1 },
  5: { name: 'SDIV', taken: 2, left: 1 },
  6: { name: 'MOD', taken: 2, left: 1 },
  7: { name: 'SMOD', taken: 2, left: 1 },
  8: { name: 'ADDMOD', taken: 3, left: 1 },
  9: { name: 'MULMOD', taken: 3, left: 1 },
  10: { name: 'EXP', taken: 2, left: 1 },
  11: { name: 'SIGNEXTEND', taken: 2, left: 1 },
  16: { name: 'LT', taken: 2, left: 1 },
  17: { name: 'GT', taken: 2, left: 1 },
  18: { name: 'SLT', taken: 2, left: 1 },
  19: { name: 'SGT', taken: 2, left: 1 },
  20: { name: 'EQ', taken: 2, left: 1 },
  21: { name: 'ISZERO', taken: 1, left: 1 },
  22: { name: 'AND', taken: 2, left: 1 },
  23: { name: 'OR', taken: 2, left: 1 },
  24: { name: 'XOR', taken: 2, left: 1 },
  25: { name: 'NOT', taken: 1, left: 1 },
  26: { name: 'BYTE', taken: 2, left: 1 },
  27: { name: 'SHL', taken: 2, left: 1, eip: 145 },
  28: { name: 'SHR', taken: 2, left: 1, eip: 145 },
  29: { name: 'SAR', taken: 2, left: 1, eip: 145 },
  30: { name: 'CLZ', taken: 1, left: 1, eip: 7939 },
  32: { name: 'KECCAK256', taken: 2, left: 1 },
  48: { name: 'ADDRESS', taken: 0, left: 1 },
  49: { name: 'BALANCE', taken: 1, left: 1 },
  50: { name: 'ORIGIN', taken: 0, left: 1 },
  51: { name: 'CALLER', taken: 0, left: 1 },
  52: { name: 'CALLVALUE', taken: 0, left: 1 },
  53: { name: 'CALLDATALOAD', taken: 1, left: 1 },
  54: { name: 'CALLDATASIZE', taken: 0, left: 1 },
  55: { name: 'CALLDATACOPY', taken: 3, left: 0 },
  56: { name: 'CODESIZE', taken: 0, left: 1 },
  57: { name: 'CODECOPY', taken: 3, left: 0 },
  58: { name: 'GASPRICE', taken: 0, left: 1 },
  59: { name: 'EXTCODESIZE', taken: 1, left: 1 },
  60: { name: 'EXTCODECOPY', taken: 4, left: 0 },
  61: { name: 'RETURNDATASIZE', taken: 0, left: 1, eip: 211 },
  62: { name: 'RETURNDATACOPY', taken: 3, left: 0, eip: 211 },
  63: { name: 'EXTCODEHASH', taken: 1, left: 1, eip: 1052 },
  64: { name: 'BLOCKHASH', taken: 1, left: 1 },
  65: { name: 'COINBASE', taken: 0, left: 1 },
  66: { name: 'TIMESTAMP', taken: 0, left: 1 },
  67: { name: 'NUMBER', taken: 0, left: 1 },
  68: { name: 'DIFFICULTY', taken: 0, left: 1 },
  69: { name: 'GASLIMIT', taken: 0, left: 1 },
  70: { name: 'CHAINID', taken: 0, left: 1, eip: 1344 },
  71: { name: 'SELFBALANCE', taken: 0, left: 1, eip: 1884 },
  72: { name: 'BASEFEE', taken: 0, left: 1, eip: 3198 },
  73: { name: 'BLOBHASH', taken: 1, left: 1, eip: 4844 },
  74: { name: 'BLOBBASEFEE', taken: 0, left: 1, eip: 7516 },
  80: { name: 'POP', taken: 1, left: 0 },
  81: { name: 'MLOAD', taken: 1, left: 1 },
  82: { name: 'MSTORE', taken: 2, left: 0 },
  83: { name: 'MSTORE8', taken: 2, left: 0 },
  84: { name: 'SLOAD', taken: 1, left: 1 },
  85: { name: 'SSTORE', taken: 2, left: 0 },
  86: { name: 'JUMP', taken: 1, left: 0 },
  87: { name: 'JUMPI', taken: 2, left: 0 },
  88: { name: 'PC', taken: 0, left: 1 },
  89: { name: 'MSIZE', taken: 0, left: 1 },
  90: { name: 'GAS', taken: 0, left: 1 },
  91: { name: 'JUMPDEST', taken: 0, left: 0 },
  92: { name: 'TLOAD', taken: 1, left: 1, eip: 1153 },
  93: { name: 'TSTORE', taken: 2, left: 0, eip: 1153 },
  94: { name: 'MCOPY', taken: 3, left: 0, eip: 5656 },
  95: { name: 'PUSH0', taken: 0, left: 1, eip: 3855 },
  240: { name: 'CREATE', taken: 3, left: 1 },
  241: { name: 'CALL', taken: 7, left: 1 },
  242: { name: 'CALLCODE', taken: 7, left: 1 },
  243: { name: 'RETURN', taken: 2, left: 0 },
  244: { name: 'DELEGATECALL', taken: 6, left: 1, eip: 7 },
  245: { name: 'CREATE2', taken: 4, left: 1, eip: 1014 },
  250: { name: 'STATICCALL', taken: 6, left: 1, eip: 214 },
  253: { name: 'REVERT', taken: 2, left: 0, eip: 140 },
  254: { name: 'INVALID', taken: 0, left: 0 },
  255: { name: 'SELFDESTRUCT', taken: 1, left: 0 },
}

const TABLE: readonly (Row | undefined)[] = Array.from({ length: 256 }, (_, opcode) => {
  if (opcode >= 0x60 && opcode < 0x80) return { name: `PUSH${opcode - 0x5f}`, taken: 0, left: 1 }
  if (opcode >= 0x80 && opcode < 0x90) return { name: `DUP${opcode - 0x7f}`, taken: opcode - 0x7f, left: 1 }
  if (opcode >= 0x90 && opcode < 0xa0) return { name: `SWAP${opcode - 0x8f}`, taken: opcode - 0x8e, left: 1 }
  if (opcode >= 0xa0 && opcode < 0xa5) return { name: `LOG${opcode - 0xa0}`, taken: opcode - 0x9e, left: 0 }
  return ROWS[opcode]
})

/** Number of words that must be on the stack, by opcode. */
export const WORDS_TAKEN: Uint8Array = Uint8Array.from(TABLE, (row) => row?.taken ?? 0)

/**
 * Number of topmost words that an opcode may have changed or pushed: 0 or 1. SWAPn also changes the n-th word below.
 */
export const WORDS_LEFT: Uint8Array = Uint8Array.from(TABLE, (row) => row?.left ?? 0)

/** Distance below the top of the other word that an opcode has changed; 0 when there is none. */
export const SWAPPED: Uint8Array = Uint8Array.from(TABLE, (_, opcode) =>
  opcode >= 0x90 && opcode < 0xa0 ? opcode - 0x8f : 0,
)

const PREVRANDAO_EIP = 4399
const DIFFICULTY = 0x44

/** One name per byte; opcodes that the fork lacks are INVALID. */
export function besuOpcodeNames({ eips }: Pick<ForkRules, 'eips'>): readonly string[] {
  return TABLE.map((row, opcode) => {
    if (row === undefined || (row.eip !== undefined && !eips.has(row.eip))) return 'INVALID'
    return opcode === DIFFICULTY && eips.has(PREVRANDAO_EIP) ? 'PREVRANDAO' : row.name
  })
}

/** One name per byte, independent of the fork. */
export const GETH_OPCODE_NAMES: readonly string[] = TABLE.map(
  (row, opcode) => row?.name ?? `opcode 0x${opcode.toString(16)} not defined`,
)

export function isCall(opcode: number): boolean {
  return opcode === 0xf1 || opcode === 0xf2 || opcode === 0xf4 || opcode === 0xfa
}

export function isCreate(opcode: number): boolean {
  return opcode === 0xf0 || opcode === 0xf5
}

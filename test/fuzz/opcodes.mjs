/**
 * The opcodes for the generator and the assembler.
 *
 * A row is code, name, operands (top first, with the kind of value that is meaningful), number of results, and the EIP
 * that introduced it. Opcodes that call, create, jump, push or end a frame are generated separately (statements.mjs)
 * and have no operands here.
 */

/** @typedef {'word' | 'offset' | 'length' | 'slot' | 'slotValue' | 'address' | 'small' | 'number' | 'dataOffset'} OperandKind */
/** @typedef {{ code: number, name: string, operands: OperandKind[] | undefined, results: number, eip: number | undefined }} Opcode */

const ROWS = [
  [0x00, 'STOP'],
  [0x01, 'ADD', 'word word', 1],
  [0x02, 'MUL', 'word word', 1],
  [0x03, 'SUB', 'word word', 1],
  [0x04, 'DIV', 'word word', 1],
  [0x05, 'SDIV', 'word word', 1],
  [0x06, 'MOD', 'word word', 1],
  [0x07, 'SMOD', 'word word', 1],
  [0x08, 'ADDMOD', 'word word word', 1],
  [0x09, 'MULMOD', 'word word word', 1],
  [0x0a, 'EXP', 'word word', 1],
  [0x0b, 'SIGNEXTEND', 'small word', 1],
  [0x10, 'LT', 'word word', 1],
  [0x11, 'GT', 'word word', 1],
  [0x12, 'SLT', 'word word', 1],
  [0x13, 'SGT', 'word word', 1],
  [0x14, 'EQ', 'word word', 1],
  [0x15, 'ISZERO', 'word', 1],
  [0x16, 'AND', 'word word', 1],
  [0x17, 'OR', 'word word', 1],
  [0x18, 'XOR', 'word word', 1],
  [0x19, 'NOT', 'word', 1],
  [0x1a, 'BYTE', 'small word', 1],
  [0x1b, 'SHL', 'small word', 1, 145],
  [0x1c, 'SHR', 'small word', 1, 145],
  [0x1d, 'SAR', 'small word', 1, 145],
  [0x1e, 'CLZ', 'word', 1, 7939],
  [0x20, 'KECCAK256', 'offset length', 1],
  [0x30, 'ADDRESS', '', 1],
  [0x31, 'BALANCE', 'address', 1],
  [0x32, 'ORIGIN', '', 1],
  [0x33, 'CALLER', '', 1],
  [0x34, 'CALLVALUE', '', 1],
  [0x35, 'CALLDATALOAD', 'dataOffset', 1],
  [0x36, 'CALLDATASIZE', '', 1],
  [0x37, 'CALLDATACOPY', 'offset dataOffset length', 0],
  [0x38, 'CODESIZE', '', 1],
  [0x39, 'CODECOPY', 'offset dataOffset length', 0],
  [0x3a, 'GASPRICE', '', 1],
  [0x3b, 'EXTCODESIZE', 'address', 1],
  [0x3c, 'EXTCODECOPY', 'address offset dataOffset length', 0],
  [0x3d, 'RETURNDATASIZE', '', 1, 211],
  [0x3e, 'RETURNDATACOPY', 'offset dataOffset length', 0, 211],
  [0x3f, 'EXTCODEHASH', 'address', 1, 1052],
  [0x40, 'BLOCKHASH', 'number', 1],
  [0x41, 'COINBASE', '', 1],
  [0x42, 'TIMESTAMP', '', 1],
  [0x43, 'NUMBER', '', 1],
  [0x44, 'PREVRANDAO', '', 1],
  [0x45, 'GASLIMIT', '', 1],
  [0x46, 'CHAINID', '', 1, 1344],
  [0x47, 'SELFBALANCE', '', 1, 1884],
  [0x48, 'BASEFEE', '', 1, 3198],
  [0x49, 'BLOBHASH', 'small', 1, 4844],
  [0x4a, 'BLOBBASEFEE', '', 1, 7516],
  [0x50, 'POP', 'word', 0],
  [0x51, 'MLOAD', 'offset', 1],
  [0x52, 'MSTORE', 'offset word', 0],
  [0x53, 'MSTORE8', 'offset word', 0],
  [0x54, 'SLOAD', 'slot', 1],
  [0x55, 'SSTORE', 'slot slotValue', 0],
  [0x56, 'JUMP'],
  [0x57, 'JUMPI'],
  [0x58, 'PC', '', 1],
  [0x59, 'MSIZE', '', 1],
  [0x5a, 'GAS', '', 1],
  [0x5b, 'JUMPDEST', '', 0],
  [0x5c, 'TLOAD', 'slot', 1, 1153],
  [0x5d, 'TSTORE', 'slot slotValue', 0, 1153],
  [0x5e, 'MCOPY', 'offset offset length', 0, 5656],
  [0x5f, 'PUSH0', '', 1, 3855],
  [0xa0, 'LOG0', 'offset length', 0],
  [0xa1, 'LOG1', 'offset length word', 0],
  [0xa2, 'LOG2', 'offset length word word', 0],
  [0xa3, 'LOG3', 'offset length word word word', 0],
  [0xa4, 'LOG4', 'offset length word word word word', 0],
  [0xf0, 'CREATE'],
  [0xf1, 'CALL'],
  [0xf2, 'CALLCODE'],
  [0xf3, 'RETURN'],
  [0xf4, 'DELEGATECALL', undefined, 1, 7],
  [0xf5, 'CREATE2', undefined, 1, 1014],
  [0xfa, 'STATICCALL', undefined, 1, 214],
  [0xfd, 'REVERT', undefined, 0, 140],
  [0xfe, 'INVALID'],
  [0xff, 'SELFDESTRUCT'],
]

/** @type {Opcode[]} */
export const OPCODES = ROWS.map(([code, name, operands, results = 0, eip]) => ({
  code,
  name,
  operands: operands?.split(' ').filter((kind) => kind !== ''),
  results,
  eip,
}))
for (let n = 1; n <= 32; n++) OPCODES.push({ code: 0x5f + n, name: `PUSH${n}`, operands: undefined, results: 1 })
for (let n = 1; n <= 16; n++) {
  OPCODES.push({ code: 0x7f + n, name: `DUP${n}`, operands: undefined, results: 1 })
  OPCODES.push({ code: 0x8f + n, name: `SWAP${n}`, operands: undefined, results: 0 })
}

/** @type {Map<string, number>} */
export const CODE_OF = new Map(OPCODES.map(({ name, code }) => [name, code]))
/** @type {Map<number, string>} */
export const NAME_OF = new Map(OPCODES.map(({ name, code }) => [code, name]))

/** The opcodes of a fork. */
export function opcodesOf({ eips }) {
  return OPCODES.filter(({ eip }) => eip === undefined || eips.has(eip))
}

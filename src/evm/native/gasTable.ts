/**
 * Static gas of every opcode, by fork: one row for each change by an EIP.
 * @module
 */
import type { ForkRules } from '../../config/forks.ts'
import { GAS_UNDEFINED } from './assembly/layout.ts'

type Row = readonly [first: number, last: number, gas: number]

const FRONTIER: readonly Row[] = [
  [0x00, 0x00, 0], // STOP
  [0x01, 0x01, 3], // ADD
  [0x02, 0x02, 5], // MUL
  [0x03, 0x03, 3], // SUB
  [0x04, 0x07, 5], // DIV SDIV MOD SMOD
  [0x08, 0x09, 8], // ADDMOD MULMOD
  [0x0a, 0x0a, 10], // EXP
  [0x0b, 0x0b, 5], // SIGNEXTEND
  [0x10, 0x1a, 3], // LT … BYTE
  [0x20, 0x20, 30], // KECCAK256
  [0x30, 0x30, 2], // ADDRESS
  [0x31, 0x31, 20], // BALANCE
  [0x32, 0x34, 2], // ORIGIN CALLER CALLVALUE
  [0x35, 0x35, 3], // CALLDATALOAD
  [0x36, 0x36, 2], // CALLDATASIZE
  [0x37, 0x37, 3], // CALLDATACOPY
  [0x38, 0x38, 2], // CODESIZE
  [0x39, 0x39, 3], // CODECOPY
  [0x3a, 0x3a, 2], // GASPRICE
  [0x3b, 0x3c, 20], // EXTCODESIZE EXTCODECOPY
  [0x40, 0x40, 20], // BLOCKHASH
  [0x41, 0x45, 2], // COINBASE TIMESTAMP NUMBER DIFFICULTY GASLIMIT
  [0x50, 0x50, 2], // POP
  [0x51, 0x53, 3], // MLOAD MSTORE MSTORE8
  [0x54, 0x54, 50], // SLOAD
  [0x55, 0x55, 0], // SSTORE
  [0x56, 0x56, 8], // JUMP
  [0x57, 0x57, 10], // JUMPI
  [0x58, 0x5a, 2], // PC MSIZE GAS
  [0x5b, 0x5b, 1], // JUMPDEST
  [0x60, 0x9f, 3], // PUSH DUP SWAP
  [0xa0, 0xa0, 375], // LOG0; every topic adds the same amount
  [0xa1, 0xa1, 750],
  [0xa2, 0xa2, 1125],
  [0xa3, 0xa3, 1500],
  [0xa4, 0xa4, 1875],
  [0xf0, 0xf0, 32_000], // CREATE
  [0xf1, 0xf2, 40], // CALL CALLCODE
  [0xf3, 0xf3, 0], // RETURN
  [0xff, 0xff, 0], // SELFDESTRUCT
]

/** In the order in which the chains adopted them. */
const CHANGES: readonly (readonly [eip: number, ...rows: Row[]])[] = [
  [7, [0xf4, 0xf4, 40]], // DELEGATECALL
  [
    150,
    [0x31, 0x31, 400],
    [0x3b, 0x3c, 700],
    [0x54, 0x54, 200],
    [0xf1, 0xf2, 700],
    [0xf4, 0xf4, 700],
    [0xff, 0xff, 5000],
  ],
  [140, [0xfd, 0xfd, 0]], // REVERT
  [211, [0x3d, 0x3d, 2], [0x3e, 0x3e, 3]], // RETURNDATASIZE RETURNDATACOPY
  [214, [0xfa, 0xfa, 700]], // STATICCALL
  [145, [0x1b, 0x1d, 3]], // SHL SHR SAR
  [1014, [0xf5, 0xf5, 32_000]], // CREATE2
  [1052, [0x3f, 0x3f, 400]], // EXTCODEHASH
  [1344, [0x46, 0x46, 2]], // CHAINID
  [1884, [0x31, 0x31, 700], [0x3f, 0x3f, 700], [0x47, 0x47, 5], [0x54, 0x54, 800]], // SELFBALANCE is new
  // Opcodes that EIP-2929 prices by warmth have no static cost.
  [
    2929,
    [0x31, 0x31, 0],
    [0x3b, 0x3c, 0],
    [0x3f, 0x3f, 0],
    [0x54, 0x55, 0],
    [0xf1, 0xf2, 0],
    [0xf4, 0xf4, 0],
    [0xfa, 0xfa, 0],
  ],
  [3198, [0x48, 0x48, 2]], // BASEFEE
  [3855, [0x5f, 0x5f, 2]], // PUSH0
  [1153, [0x5c, 0x5d, 100]], // TLOAD TSTORE
  [4844, [0x49, 0x49, 3]], // BLOBHASH
  [5656, [0x5e, 0x5e, 3]], // MCOPY
  [7516, [0x4a, 0x4a, 2]], // BLOBBASEFEE
  [7939, [0x1e, 0x1e, 5]], // CLZ
]

/** @returns 256 costs; {@link GAS_UNDEFINED} where the fork has no opcode */
export function staticGas({ eips }: Pick<ForkRules, 'eips'>): Uint16Array {
  const table = new Uint16Array(256).fill(GAS_UNDEFINED)
  const set = (rows: readonly Row[]): void => {
    for (const [first, last, gas] of rows) table.fill(gas, first, last + 1)
  }
  set(FRONTIER)
  for (const [eip, ...rows] of CHANGES) if (eips.has(eip)) set(rows)
  return table
}

/** Numbers of the opcodes that several modules tell apart. @see Yellow Paper, appendix H.2 */

export const EXP: u32 = 0x0a
export const KECCAK256: u32 = 0x20
export const BALANCE: u32 = 0x31
export const CALLDATACOPY: u32 = 0x37
export const CODECOPY: u32 = 0x39
export const EXTCODESIZE: u32 = 0x3b
export const EXTCODECOPY: u32 = 0x3c
export const RETURNDATACOPY: u32 = 0x3e
export const EXTCODEHASH: u32 = 0x3f
export const MLOAD: u32 = 0x51
export const MSTORE8: u32 = 0x53
export const SSTORE: u32 = 0x55
export const JUMPDEST: u32 = 0x5b
export const TSTORE: u32 = 0x5d
export const MCOPY: u32 = 0x5e
export const PUSH1: u32 = 0x60
export const PUSH32: u32 = 0x7f
export const LOG0: u32 = 0xa0
export const LOG4: u32 = 0xa4
export const CREATE: u32 = 0xf0
export const CALL: u32 = 0xf1
export const CREATE2: u32 = 0xf5
export const SELFDESTRUCT: u32 = 0xff

/** Writes EVM code from mnemonics. */

const OPCODES = {
  ADD: 0x01,
  MUL: 0x02,
  SUB: 0x03,
  DIV: 0x04,
  SDIV: 0x05,
  MOD: 0x06,
  ADDMOD: 0x08,
  MULMOD: 0x09,
  EXP: 0x0a,
  AND: 0x16,
  XOR: 0x18,
  SHL: 0x1b,
  KECCAK256: 0x20,
  ADDRESS: 0x30,
  BALANCE: 0x31,
  CALLDATALOAD: 0x35,
  CALLDATACOPY: 0x37,
  SELFBALANCE: 0x47,
  POP: 0x50,
  MLOAD: 0x51,
  MSTORE: 0x52,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMPI: 0x57,
  GAS: 0x5a,
  JUMPDEST: 0x5b,
  MCOPY: 0x5e,
  CALL: 0xf1,
  RETURN: 0xf3,
  STATICCALL: 0xfa,
}
const PUSH0 = 0x5f
const DUP1 = 0x80
const SWAP1 = 0x90

function encode(token) {
  const numbered = /^(DUP|SWAP)(\d+)$/.exec(token)
  if (numbered !== null) return ((numbered[1] === 'DUP' ? DUP1 : SWAP1) + Number(numbered[2]) - 1).toString(16)
  if (OPCODES[token] !== undefined) return OPCODES[token].toString(16).padStart(2, '0')
  const digits = BigInt(token).toString(16)
  const value = digits === '0' ? '' : digits.padStart(digits.length + (digits.length % 2), '0')
  return (PUSH0 + value.length / 2).toString(16) + value
}

/**
 * @param text mnemonics, and numbers to push, separated by blanks
 * @returns hex without prefix
 */
export function assemble(text) {
  return text.trim().split(/\s+/).map(encode).join('')
}

/**
 * Code that runs `body` as often as word 0 of the input specifies. The counter counts down to 1; it is on top of the
 * stack before and after the body.
 * @param before runs once, before the counter is pushed
 */
export function loop(body, { before = '', after = '0 0 RETURN' } = {}) {
  const head = (before === '' ? '' : assemble(before)) + assemble('0 CALLDATALOAD')
  return head + assemble(`JUMPDEST ${body} 1 SWAP1 SUB DUP1 ${head.length / 2} JUMPI ${after}`)
}

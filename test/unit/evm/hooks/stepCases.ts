import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { CALLEE, type HookCase, NOBODY } from '../../../support/evm/hookRuns.ts'

/** A message, and the lines that HookRecorder writes for it. */
export interface ExpectedLines extends HookCase {
  readonly name: string
  readonly lines: readonly string[]
}

const TOP = '0 enter CALL sender > contract, gas 100000'

/** How single opcodes and frames end. */
export const STEP_CASES: readonly ExpectedLines[] = [
  {
    name: 'RETURN',
    code: '1 2 ADD 30 MSTORE 1 61 RETURN',
    lines: [
      TOP,
      '0 4 ADD costs 3',
      '0 7 MSTORE costs 9',
      '0 12 RETURN costs 0',
      '0 exit success, used 27, output 0x03',
    ],
  },
  { name: 'STOP', code: 'STOP', lines: [TOP, '0 0 STOP costs 0', '0 exit success, used 0'] },
  { name: 'the end of the code', code: '1', lines: [TOP, '0 2 STOP costs 0', '0 exit success, used 3'] },
  {
    name: 'a PUSH that the code cuts off',
    code: 'data:61ff',
    lines: [TOP, '0 3 STOP costs 0', '0 exit success, used 3'],
  },
  {
    name: 'REVERT',
    code: '1 0 REVERT',
    lines: [TOP, '0 4 REVERT costs 3', '0 exit revert, used 9, output 0x00'],
  },
  {
    name: 'SELFDESTRUCT',
    code: `${bytesToHex(CALLEE)} SELFDESTRUCT`,
    lines: [TOP, '0 21 SELFDESTRUCT costs 32600', '0 contract destroyed, 100 to callee', '0 exit success, used 32603'],
  },
  {
    name: 'a log',
    code: '5 6 2 0 LOG2',
    lines: [
      TOP,
      '0 log of contract, topics 2, data 0x0000',
      '0 8 LOG2 costs 1144',
      '0 9 STOP costs 0',
      '0 exit success, used 1156',
    ],
  },
  {
    name: 'a jump, and its JUMPDEST',
    code: '3 JUMP JUMPDEST',
    lines: [TOP, '0 2 JUMP costs 8', '0 3 JUMPDEST costs 1', '0 4 STOP costs 0', '0 exit success, used 12'],
  },
  {
    name: 'INVALID',
    code: '1 INVALID',
    lines: [
      TOP,
      '0 2 INVALID costs 0: INVALID_OPERATION',
      '0 exit halt INVALID_OPERATION by 2 INVALID on 1, used 100000',
    ],
  },
  {
    name: 'an opcode that the fork does not have',
    code: 'data:5f',
    fork: 'london',
    lines: [TOP, '0 0 PUSH0 costs 0: INVALID_OPERATION', '0 exit halt INVALID_OPERATION by 0 PUSH0 on 0, used 100000'],
  },
  {
    name: 'an opcode that there is not, after a jump',
    code: '3 JUMP JUMPDEST data:26',
    lines: [
      TOP,
      '0 2 JUMP costs 8',
      '0 3 JUMPDEST costs 1',
      '0 4 0x26 costs 0: INVALID_OPERATION',
      '0 exit halt INVALID_OPERATION by 4 0x26 on 0, used 100000',
    ],
  },
  {
    name: 'too few words on the stack',
    code: '1 ADD',
    lines: [
      TOP,
      '0 2 ADD costs 0: INSUFFICIENT_STACK_ITEMS',
      '0 exit halt INSUFFICIENT_STACK_ITEMS by 2 ADD on 1, used 100000',
    ],
  },
  {
    name: 'a jump to nowhere',
    code: '4 JUMP',
    lines: [
      TOP,
      '0 2 JUMP costs 8: INVALID_JUMP_DESTINATION',
      '0 exit halt INVALID_JUMP_DESTINATION by 2 JUMP on 1, used 100000',
    ],
  },
  {
    name: 'a conditional jump to nowhere',
    code: '1 9 JUMPI',
    lines: [
      TOP,
      '0 4 JUMPI costs 10: INVALID_JUMP_DESTINATION',
      '0 exit halt INVALID_JUMP_DESTINATION by 4 JUMPI on 2, used 100000',
    ],
  },
  {
    name: 'return data that is not there',
    code: '1 0 0 RETURNDATACOPY',
    lines: [
      TOP,
      '0 6 RETURNDATACOPY costs 0: INVALID_RETURN_DATA_BUFFER_ACCESS',
      '0 exit halt INVALID_RETURN_DATA_BUFFER_ACCESS by 6 RETURNDATACOPY on 3, used 100000',
    ],
  },
  unpaid('a static cost', { code: '1 1 ADD', gas: 7n }, '4 ADD costs 3', 2),
  unpaid('hashing memory that has to grow', { code: '64 0 KECCAK256', gas: 45n }, '4 KECCAK256 costs 48', 2),
  unpaid('not even the static part of it', { code: '64 0 KECCAK256', gas: 20n }, '4 KECCAK256 costs 48', 2),
  unpaid('a word of memory, not even its static part', { code: '1 64 MSTORE', gas: 8n }, '4 MSTORE costs 12', 2),
  unpaid('memory that no gas pays for', { code: '0xffffffffffffffff MLOAD' }, '9 MLOAD costs 9007199254740991', 1),
  unpaid('EXP', { code: '256 2 EXP', gas: 50n }, '5 EXP costs 110', 2),
  unpaid('a log', { code: '9 1 0 LOG1', gas: 100n }, '6 LOG1 costs 761', 3),
  unpaid('a write of storage', { code: '1 0 SSTORE', gas: 5000n }, '4 SSTORE costs 22100', 2),
  unpaid('a write of storage below the sentry', { code: '1 7 SSTORE', gas: 1000n }, '4 SSTORE costs 5000', 2),
  unpaid('a read of storage', { code: '7 SLOAD', gas: 1000n }, '2 SLOAD costs 2100', 1),
  unpaid('an access', { code: `${bytesToHex(CALLEE)} EXTCODESIZE`, gas: 50n }, '21 EXTCODESIZE costs 2600', 1),
  unpaid(
    'a call with value to a new account',
    { code: `0 0 0 0 1 ${bytesToHex(NOBODY)} 0 CALL`, gas: 20_000n },
    '33 CALL costs 36600',
    7,
  ),
  unpaid(
    'a call with value to a new account, not even its access',
    { code: `0 0 0 0 1 ${bytesToHex(NOBODY)} 0 CALL`, gas: 1000n },
    '33 CALL costs 36600',
    7,
  ),
  unpaid(
    'the access of a new beneficiary',
    { code: `${bytesToHex(NOBODY)} SELFDESTRUCT`, gas: 6000n },
    '21 SELFDESTRUCT costs 32600',
    1,
  ),
  unpaid('init code', { code: '64 0 0 CREATE', gas: 32_000n }, '6 CREATE costs 32010', 3),
  unpaid(
    'the gas that a call asks for',
    { code: `0 0 0 0 0 ${bytesToHex(CALLEE)} 5000 CALL`, callee: 'STOP', gas: 4000n, fork: 'homestead' },
    '34 CALL costs 5040',
    7,
  ),
  unpaid(
    'a call, and the gas that it asks for',
    { code: `0 0 0 0 1 ${bytesToHex(NOBODY)} 5000 CALL`, gas: 4000n, fork: 'homestead' },
    '34 CALL costs 39040',
    7,
  ),
  unpaid(
    'a call of a new account, and the gas that it asks for',
    { code: `0 0 0 0 0 ${bytesToHex(NOBODY)} 5000 CALL`, gas: 4000n, fork: 'homestead' },
    '34 CALL costs 30040',
    7,
  ),
]

function unpaid(
  name: string,
  { gas = 100_000n, ...rest }: HookCase & { readonly gas?: bigint },
  step: string,
  height: number,
): ExpectedLines {
  const place = step.replace(/ costs.*/, '')
  return {
    name: `want of gas for ${name}`,
    ...rest,
    message: { gas },
    lines: [
      `0 enter CALL sender > contract, gas ${gas}`,
      `0 ${step}: INSUFFICIENT_GAS`,
      `0 exit halt INSUFFICIENT_GAS by ${place} on ${height}, used ${gas}`,
    ],
  }
}

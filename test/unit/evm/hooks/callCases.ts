import { bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { createAddress } from '../../../../src/types/address.ts'
import { CONTRACT, SENDER } from '../../../support/evm/evm.ts'
import { evmCode } from '../../../support/evm/evmCode.ts'
import { CALLEE, NOBODY } from '../../../support/evm/hookRuns.ts'
import type { ExpectedLines } from './stepCases.ts'

const TOP = '0 enter CALL sender > contract, gas 100000'
const callee = bytesToHex(CALLEE)
const precompile = (number: number): string => `0x${'0'.repeat(39)}${number}`
const deployed = bytesToHex(createAddress(CONTRACT, 1n))
const salted = '0x6f704f62324e2c0a651093821a5185cd03863118'
const saltedEmpty = '0xb6334855ab0c01107f158695cd671e82c4cf3d27'
const first = createAddress(SENDER, 0n)
/** Returns one byte. */
const initCode = (byte: string): string => `0x60${byte}60005360016000f3`

/** Calls and creations, within a message and as the message itself. */
export const CALL_CASES: readonly ExpectedLines[] = [
  {
    name: 'a CALL with value',
    code: `32 0 0 0 1 ${callee} 1000 CALL`,
    callee: '1 31 RETURN',
    lines: [
      TOP,
      '0 34 CALL costs 11603 and forwards 1000',
      '1 enter CALL contract > callee, gas 3300, value 1',
      '1 4 RETURN costs 3',
      '1 exit success, used 9, output 0x00',
      '0 35 STOP costs 0',
      '0 exit success, used 9333',
    ],
  },
  {
    name: 'a CALL without value',
    code: `0 0 2 0 0 ${callee} 1000 CALL`,
    callee: 'CALLDATASIZE 0 REVERT',
    lines: [
      TOP,
      '0 34 CALL costs 2603 and forwards 1000',
      '1 enter CALL contract > callee, gas 1000, input 0x0000',
      '1 0 CALLDATASIZE costs 2',
      '1 3 REVERT costs 3',
      '1 exit revert, used 8, output 0x0000',
      '0 35 STOP costs 0',
      '0 exit success, used 2632',
    ],
  },
  {
    name: 'a second call of the same account, with all gas',
    code: `0 0 0 0 0 ${callee} 0 CALL 0 0 0 0 0 ${callee} GAS CALL`,
    callee: 'INVALID',
    message: { gas: 10_000n },
    lines: [
      '0 enter CALL sender > contract, gas 10000',
      '0 33 CALL costs 2600',
      '1 enter CALL contract > callee, gas 0',
      '1 0 INVALID costs 0: INVALID_OPERATION',
      '1 exit halt INVALID_OPERATION by 0 INVALID on 0, used 0',
      '0 65 GAS costs 2',
      '0 66 CALL costs 100 and forwards 7146',
      '1 enter CALL contract > callee, gas 7146',
      '1 0 INVALID costs 0: INVALID_OPERATION',
      '1 exit halt INVALID_OPERATION by 0 INVALID on 0, used 7146',
      '0 67 STOP costs 0',
      '0 exit success, used 9887',
    ],
  },
  {
    name: 'CALLCODE',
    code: `0 0 0 0 5 ${callee} 1000 CALLCODE`,
    callee: 'CALLVALUE',
    lines: [
      TOP,
      '0 34 CALLCODE costs 11600 and forwards 1000',
      '1 enter CALLCODE contract > callee in contract, gas 3300, value 5',
      '1 0 CALLVALUE costs 2',
      '1 1 STOP costs 0',
      '1 exit success, used 2',
      '0 35 STOP costs 0',
      '0 exit success, used 9323',
    ],
  },
  {
    name: 'DELEGATECALL',
    code: `0 0 0 0 ${callee} 1000 DELEGATECALL`,
    callee: 'STOP',
    message: { value: 9n },
    lines: [
      `${TOP}, value 9`,
      '0 32 DELEGATECALL costs 2600 and forwards 1000',
      '1 enter DELEGATECALL sender > callee in contract, gas 1000, value 9',
      '1 0 STOP costs 0',
      '1 exit success, used 0',
      '0 33 STOP costs 0',
      '0 exit success, used 2618',
    ],
  },
  {
    name: 'STATICCALL, which nothing may be written in',
    code: `0 0 0 0 ${callee} 30000 STATICCALL`,
    callee: '1 0 SSTORE',
    lines: [
      TOP,
      '0 32 STATICCALL costs 2600 and forwards 30000',
      '1 enter STATICCALL contract > callee, gas 30000',
      '1 4 SSTORE costs 0: ILLEGAL_STATE_CHANGE',
      '1 exit halt ILLEGAL_STATE_CHANGE by 4 SSTORE on 2, used 30000',
      '0 33 STOP costs 0',
      '0 exit success, used 32618',
    ],
  },
  {
    name: 'a call of an account without code',
    code: `0 0 0 0 1 ${bytesToHex(NOBODY)} 1000 CALL`,
    lines: [
      TOP,
      '0 34 CALL costs 36600 and forwards 1000',
      '1 enter CALL contract > nobody, gas 3300, value 1, nothing',
      '1 exit success, used 0',
      '0 35 STOP costs 0',
      '0 exit success, used 34321',
    ],
  },
  {
    name: 'a precompile',
    code: '1 0 1 0 4 1000 STATICCALL',
    lines: [
      TOP,
      '0 13 STATICCALL costs 103 and forwards 1000',
      `1 enter STATICCALL contract > ${precompile(4)}, gas 1000, input 0x00, precompile`,
      '1 exit success, used 18, output 0x00',
      '0 14 STOP costs 0',
      '0 exit success, used 139',
    ],
  },
  {
    name: 'a precompile that fails',
    code: '0 0 1 0 9 1000 STATICCALL',
    lines: [
      TOP,
      '0 13 STATICCALL costs 103 and forwards 1000',
      `1 enter STATICCALL contract > ${precompile(9)}, gas 1000, input 0x00, precompile`,
      '1 exit halt PRECOMPILE_ERROR, used 1000',
      '0 14 STOP costs 0',
      '0 exit success, used 1121',
    ],
  },
  {
    name: 'a precompile that costs too much',
    code: '0 0 0 0 2 10 STATICCALL',
    lines: [
      TOP,
      '0 12 STATICCALL costs 100 and forwards 10',
      `1 enter STATICCALL contract > ${precompile(2)}, gas 10, precompile`,
      '1 exit halt INSUFFICIENT_GAS, used 10',
      '0 13 STOP costs 0',
      '0 exit success, used 128',
    ],
  },
  {
    name: 'a call that the balance does not suffice for',
    code: `0 0 1 0 101 ${callee} 1000 CALL`,
    callee: 'STOP',
    lines: [
      TOP,
      '0 34 CALL costs 11603 and forwards 1000',
      '1 enter CALL contract > callee, gas 3300, value 101, input 0x00, nothing',
      '1 exit refused INSUFFICIENT_BALANCE, used 0',
      '0 35 STOP costs 0',
      '0 exit success, used 9324',
    ],
  },
  {
    name: 'CREATE',
    code: `${initCode('2a')} 0 MSTORE 10 22 3 CREATE`,
    lines: [
      TOP,
      '0 13 MSTORE costs 6',
      '0 20 CREATE costs 32002 and forwards 66915',
      `1 enter CREATE contract > ${deployed}, gas 66915, value 3, input ${initCode('2a')}`,
      '1 4 MSTORE8 costs 6',
      '1 9 RETURN costs 0',
      '1 exit success, used 218, output 0x2a',
      '0 21 STOP costs 0',
      '0 exit success, used 32241',
    ],
  },
  {
    name: 'CREATE2 whose init code reverts',
    code: '0x60006000fd 0 MSTORE 5 5 27 0 CREATE2',
    lines: [
      TOP,
      '0 8 MSTORE costs 6',
      '0 17 CREATE2 costs 32008 and forwards 66906',
      `1 enter CREATE2 contract > ${salted}, gas 66906, input 0x60006000fd`,
      '1 4 REVERT costs 0',
      '1 exit revert, used 6',
      '0 18 STOP costs 0',
      '0 exit success, used 32038',
    ],
  },
  {
    name: 'a creation at an address that is taken',
    code: '0 0 0 0 CREATE2 0 0 0 0 CREATE2',
    lines: [
      TOP,
      '0 8 CREATE2 costs 32000 and forwards 66926',
      `1 enter CREATE2 contract > ${saltedEmpty}, gas 66926`,
      '1 0 STOP costs 0',
      '1 exit success, used 0',
      '0 17 CREATE2 costs 32000 and forwards 35414',
      `1 enter CREATE2 contract > ${saltedEmpty}, gas 35414, nothing`,
      '1 exit halt ADDRESS_COLLISION, used 35414',
      '0 18 STOP costs 0',
      '0 exit success, used 99438',
    ],
  },
  {
    name: 'a deposit that is not paid for',
    code: '0x61010a6000f3 0 MSTORE 6 26 0 CREATE',
    message: { gas: 80_000n },
    lines: [
      '0 enter CALL sender > contract, gas 80000',
      '0 9 MSTORE costs 6',
      '0 16 CREATE costs 32002 and forwards 47228',
      `1 enter CREATE contract > ${deployed}, gas 47228, input 0x61010a6000f3`,
      '1 5 RETURN costs 27',
      '1 exit halt INSUFFICIENT_GAS at deposit, used 47228, refuses 266 bytes of code',
      '0 17 STOP costs 0',
      '0 exit success, used 79251',
    ],
  },
  {
    name: 'a deposit that is not paid for, before Homestead',
    code: '0x61010a6000f3 0 MSTORE 6 26 0 CREATE',
    fork: 'frontier',
    message: { gas: 80_000n },
    lines: [
      '0 enter CALL sender > contract, gas 80000',
      '0 9 MSTORE costs 6',
      '0 16 CREATE costs 32000 and forwards 47979',
      `1 enter CREATE contract > ${deployed}, gas 47979, input 0x61010a6000f3`,
      '1 5 RETURN costs 27',
      '1 exit success, used 33, refuses 266 bytes of code',
      '0 17 STOP costs 0',
      '0 exit success, used 32054',
    ],
  },
  {
    name: 'a creating message that does not pay for its code, before Homestead',
    code: 'STOP',
    fork: 'frontier',
    message: { gas: 40_000n, to: undefined, data: hexToBytes('0x61010a6000f3') },
    lines: [
      `0 enter CREATE sender > ${bytesToHex(first)}, gas 40000, input 0x61010a6000f3`,
      '0 5 RETURN costs 27',
      '0 exit success, used 33, refuses 266 bytes of code',
    ],
  },
  {
    name: 'code that is not allowed',
    code: `${initCode('ef')} 0 MSTORE 10 22 0 CREATE`,
    lines: [
      TOP,
      '0 13 MSTORE costs 6',
      '0 20 CREATE costs 32002 and forwards 66915',
      `1 enter CREATE contract > ${deployed}, gas 66915, input ${initCode('ef')}`,
      '1 4 MSTORE8 costs 6',
      '1 9 RETURN costs 0',
      '1 exit halt INVALID_CODE at deposit, used 66915, refuses 1 bytes of code',
      '0 21 STOP costs 0',
      '0 exit success, used 98938',
    ],
  },
  {
    name: 'a creation that the balance does not suffice for',
    code: '0 0 101 CREATE',
    lines: [
      TOP,
      '0 6 CREATE costs 32000 and forwards 66929',
      `1 enter CREATE contract > ${deployed}, gas 66929, value 101, nothing`,
      '1 exit refused INSUFFICIENT_BALANCE, used 0',
      '0 7 STOP costs 0',
      '0 exit success, used 32009',
    ],
  },
  {
    name: 'a creation by an account that has no nonce left',
    code: '0 0 0 CREATE',
    state: (state) => state.setNonce(CONTRACT, 2n ** 64n - 1n),
    lines: [
      TOP,
      '0 6 CREATE costs 32000 and forwards 66929',
      `1 enter CREATE contract > ${bytesToHex(createAddress(CONTRACT, 2n ** 64n - 1n))}, gas 66929, nothing`,
      '1 exit refused NONCE_OVERFLOW, used 0',
      '0 7 STOP costs 0',
      '0 exit success, used 32009',
    ],
  },
  {
    name: 'a message to an account without code',
    message: { to: NOBODY, value: 3n, data: Uint8Array.of(1) },
    lines: ['0 enter CALL sender > nobody, gas 100000, value 3, input 0x01, nothing', '0 exit success, used 0'],
  },
  {
    name: 'a message to a precompile',
    message: { to: hexToBytes(precompile(4)), data: Uint8Array.of(1) },
    lines: [
      `0 enter CALL sender > ${precompile(4)}, gas 100000, input 0x01, precompile`,
      '0 exit success, used 18, output 0x01',
    ],
  },
  {
    name: 'a message to a precompile that fails',
    message: { to: hexToBytes(precompile(9)) },
    lines: [
      `0 enter CALL sender > ${precompile(9)}, gas 100000, precompile`,
      '0 exit halt PRECOMPILE_ERROR, used 100000',
    ],
  },
  {
    name: 'a message that its sender cannot pay',
    message: { value: 10n ** 19n },
    lines: [`${TOP}, value 10000000000000000000, nothing`, '0 exit halt INSUFFICIENT_BALANCE, used 100000'],
  },
  {
    name: 'a message that creates',
    message: { to: undefined, data: evmCode('1 0 RETURN') },
    lines: [
      `0 enter CREATE sender > ${bytesToHex(first)}, gas 100000, input 0x60016000f3`,
      '0 4 RETURN costs 3',
      '0 exit success, used 209, output 0x00',
    ],
  },
  {
    name: 'a message that creates with nothing',
    message: { to: undefined },
    lines: [`0 enter CREATE sender > ${bytesToHex(first)}, gas 100000`, '0 0 STOP costs 0', '0 exit success, used 0'],
  },
  {
    name: 'a message that creates at an address that is taken',
    message: { to: undefined, data: evmCode('STOP') },
    state: (state) => state.setCode(first, evmCode('STOP')),
    lines: [
      `0 enter CREATE sender > ${bytesToHex(first)}, gas 100000, input 0x00, nothing`,
      '0 exit halt ADDRESS_COLLISION, used 100000',
    ],
  },
]

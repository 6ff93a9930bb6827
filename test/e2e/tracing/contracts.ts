/** Contracts that cause every event a tracer reports, composed randomly but deterministically for a seed. */
import { encodeErrorResult, parseAbi } from 'viem'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { Random } from '../../support/host/random.ts'
import { assembled, put } from './assembly.ts'

/** Accounts without code: one with a balance, and one that does not exist. */
export const RICH = '0x00000000000000000000000000000000000a11ce'
export const STRANGER = '0x000000000000000000000000000000000000dead'

/** Contracts of a level call those of lower levels. */
const LEVELS = [24, 16, 12, 10] as const
const FIRST_CONTRACT = 0xc0de0000

export const REVERTS: readonly Uint8Array[] = [
  encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: ['not "enough" – sorry'] }),
  encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: [''] }),
  encodeErrorResult({ abi: parseAbi(['error Panic(uint256)']), args: [0x11n] }),
  encodeErrorResult({ abi: parseAbi(['error Panic(uint256)']), args: [0x99n] }),
  encodeErrorResult({ abi: parseAbi(['error Short(uint256,address)']), args: [7n, RICH] }),
].map((data) => hexToBytes(data))

/** The possible endings of a frame. */
export const ENDINGS: readonly ((random: Random) => string)[] = [
  () => 'STOP',
  () => '',
  (random) => `0x${hex(random.bytes(32))} 0 MSTORE ${random.below(65)} 0 RETURN`,
  () => '0 0 RETURN',
  (random) => revertWith(random.pick(REVERTS)),
  () => '0 0 REVERT',
  () => '2 0 MSTORE8 3 0 REVERT',
  () => 'INVALID',
  () => 'data:0x0c',
  () => '3 JUMP',
  () => '0xffffffffffffffffff JUMP',
  () => '1 ADD',
  () => 'POP POP POP POP POP POP POP POP',
  () => '0xffffffff MLOAD',
  () => '0xffffffffffffffffffff 0 KECCAK256',
  () => '0xffffff 0 RETURN',
  () => '0xffffff 0 REVERT',
  () => '64 0 RETURNDATASIZE RETURNDATACOPY',
  () => 'ADDRESS SELFDESTRUCT',
  () => `${RICH} SELFDESTRUCT`,
  () => `${STRANGER} SELFDESTRUCT`,
  () => '0 0 SSTORE',
  () => '0xffff 0 0 LOG0',
  () => '0x10000 0 0 CREATE POP',
]

function revertWith(data: Uint8Array): string {
  return `${put(data)} ${data.length} 0 REVERT`
}

/** Init codes of creations. */
export const CREATIONS: readonly ((random: Random) => string)[] = [
  () => 'STOP',
  (random) => returning(assembled(random.pick(ENDINGS)(random))),
  () => returning(assembled('ADDRESS SELFDESTRUCT')),
  // A code deposit that costs more gas than most calls have.
  () => '0x4000 0 RETURN',
  // EIP-170
  () => '0x6001 0 RETURN',
  // EIP-3541
  () => '0xef 0 MSTORE8 1 0 RETURN',
  (random) => revertWith(random.pick(REVERTS)),
  () => 'INVALID',
  () => 'ADD',
  () => '9 JUMP',
  () => '1 1 SSTORE 2 2 SSTORE 0 1 SSTORE ADDRESS BALANCE POP 0 0 LOG0',
  () => 'CALLER SELFDESTRUCT',
  () => 'ADDRESS SELFDESTRUCT',
  () => `0 0 0 0 1 ${RICH} GAS CALL POP`,
  (random) => `${creating(random, random.below(2) === 0)} ${creating(random, false)}`,
  () => '0xffffffff MLOAD',
]

function returning(code: Uint8Array): string {
  return `${put(code)} ${code.length} 0 RETURN`
}

/** Runs one of the short init codes. */
function creating(random: Random, isCreate2: boolean): string {
  const init = assembled(
    random.pick([CREATIONS[0], CREATIONS[2], CREATIONS[7], CREATIONS[10]] as typeof CREATIONS)(random),
  )
  return `${put(init)} ${isCreate2 ? '5' : ''} ${init.length} 0 0 ${isCreate2 ? 'CREATE2' : 'CREATE'} POP`
}

/** Inputs of precompiles: valid and invalid ones for each. */
const G1 = `${'00'.repeat(31)}01${'00'.repeat(31)}02`
const PRECOMPILE_INPUTS: readonly (readonly [address: number, input: string])[] = [
  [1, `${'11'.repeat(32)}${'00'.repeat(31)}1b${'22'.repeat(64)}`],
  [1, ''],
  [2, 'aabbcc'],
  [3, 'aabbcc'],
  [4, 'aabbccddee'],
  [5, `${'00'.repeat(31)}01${'00'.repeat(31)}01${'00'.repeat(31)}01030205`],
  [5, `${'00'.repeat(30)}0800${'00'.repeat(32)}${'00'.repeat(31)}01`],
  [6, G1 + G1],
  [6, `${'00'.repeat(31)}01${'00'.repeat(31)}03`],
  [7, `${G1}${'00'.repeat(31)}09`],
  [7, 'ff'.repeat(96)],
  [8, ''],
  [8, 'aa'],
  [9, `0000000c${'00'.repeat(208)}01`],
  [9, `0000000c${'00'.repeat(208)}02`],
  [9, 'aa'],
  [0xa, 'aa'],
  [0xb, '00'.repeat(256)],
  [0xb, 'aa'],
  [0xc, '00'.repeat(159)],
  [0xf, '00'.repeat(384)],
  [0x10, 'ff'.repeat(64)],
  [0x11, 'ff'],
  // P256VERIFY of Osaka, and an address without precompile.
  [0x100, '00'.repeat(160)],
  [0x101, 'aabb'],
]
/** Index of an input that declares a greater length than EIP-7823 allows. */
export const LONG_MODEXP: number = 6
export const PRECOMPILE_CALLS: readonly { readonly to: string; readonly input: Uint8Array }[] = PRECOMPILE_INPUTS.map(
  ([address, input]) => ({ to: addressOf(address), input: hexToBytes(`0x${input}`) }),
)

const CALLS = ['CALL', 'CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'] as const

/** A call whose result is discarded. @param gas mnemonic or number */
function calling(random: Random, to: string, gas: string, length: number): string {
  const kind = random.pick(CALLS)
  const value = kind === 'CALL' || kind === 'CALLCODE' ? random.pick(['0', '0', '1', '0xffffffffffffffffffffff']) : ''
  return `${random.pick(['0', '32', '5'])} 64 ${length} 0 ${value} ${to} ${gas} ${kind} POP`
}

const PLAIN_ACTIONS: readonly ((random: Random) => string)[] = [
  (random) => `${random.below(1000)} ${random.below(1000)} ADD DUP1 MUL NOT 3 SWAP1 MOD POP`,
  (random) => `${word(random)} ${random.below(6)} SSTORE`,
  (random) => `${1 + random.below(6)} ${random.below(6)} SSTORE`,
  (random) => `0 ${random.below(6)} SSTORE`,
  (random) => `1 2 SSTORE 0 2 SSTORE 3 2 SSTORE ${random.below(6)} SLOAD POP`,
  (random) => `${random.below(6)} SLOAD ${random.below(6)} SLOAD ADD POP`,
  (random) => `${random.below(1000)} 1 TSTORE 1 TLOAD 2 TLOAD ADD POP`,
  (random) => `${word(random)} 0 MSTORE 7 40 MSTORE8 3 MLOAD POP MSIZE POP`,
  () => 'CALLDATASIZE 0 0 CALLDATACOPY 32 0 10 MCOPY 0 CALLDATALOAD POP',
  () => 'CODESIZE 0 0 CODECOPY 40 0 KECCAK256 POP',
  () => `8 0 0 ${addressOf(FIRST_CONTRACT)} EXTCODECOPY ${RICH} EXTCODEHASH ${STRANGER} EXTCODEHASH EQ POP`,
  () => `${RICH} BALANCE SELFBALANCE SUB ${addressOf(FIRST_CONTRACT + 1)} EXTCODESIZE POP POP`,
  () =>
    'TIMESTAMP NUMBER COINBASE GASLIMIT BASEFEE CHAINID PREVRANDAO BLOBBASEFEE GASPRICE 8 MSTORE POP POP POP POP POP POP POP',
  () => 'ORIGIN CALLER CALLVALUE ADDRESS CODESIZE PC MSIZE GAS POP POP POP POP POP POP POP POP',
  () => '0 BLOBHASH 5 CLZ XOR 8 SHL 2 SAR POP',
  () => '32 0 LOG0',
  (random) => `0x${hex(random.bytes(32))} 0 MSTORE ${word(random)} ${random.below(40)} 0 LOG1`,
  () => '4 3 2 1 5 0 LOG4',
  () => 'RETURNDATASIZE 0 0 RETURNDATACOPY',
  (random) => `${calling(random, random.pick([RICH, STRANGER, addressOf(0x1234)]), 'GAS', 4)}`,
]

function word(random: Random): string {
  return `0x${hex(random.bytes(1 + random.below(32)))}`
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

export function addressOf(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`
}

/** An action of a frame before its end. @param callees contracts that it may call */
function action(random: Random, callees: readonly string[]): string {
  const kind = random.below(10)
  if (kind < 3 && callees.length > 0) {
    const gas = random.pick(['GAS', 'GAS', '100000', '30000', '5000', '700', '0'])
    return calling(random, random.pick(callees), gas, random.below(70))
  }
  if (kind === 3) {
    const { to, input } = random.pick(PRECOMPILE_CALLS)
    return `${put(input)} ${calling(random, to, random.pick(['GAS', 'GAS', '100']), input.length)}`
  }
  if (kind === 4) {
    const init = assembled(random.pick(CREATIONS)(random))
    const value = random.pick(['0', '0', '1', '0xffffffffffffffffffffff'])
    const isCreate2 = random.chance(50)
    const salt = isCreate2 ? String(random.below(3)) : ''
    return `${put(init)} ${salt} ${init.length} 0 ${value} ${isCreate2 ? 'CREATE2' : 'CREATE'} POP`
  }
  return random.pick(PLAIN_ACTIONS)(random)
}

/** Addresses of the random contracts, lowest level first. */
export const LEVEL_ADDRESSES: readonly (readonly string[])[] = LEVELS.map((count, level) => {
  const before = LEVELS.slice(0, level).reduce((sum, other) => sum + other, 0)
  return Array.from({ length: count }, (_, i) => addressOf(FIRST_CONTRACT + before + i))
})

/**
 * A ring of contracts that call one another as many times as the first word of the input specifies; the second word
 * selects the ending. A failure is propagated if the third word is not zero.
 */
const RING = ['CALL', 'DELEGATECALL', 'CALLCODE', 'CALL', 'STATICCALL'] as const
export const RING_ADDRESSES: readonly string[] = RING.map((_, i) => addressOf(0x41470000 + i))
/** Without STATICCALL. */
const FIRST_RING = 4

const LEAVES: readonly string[] = [
  '7 96 0 LOG1 96 0 RETURN',
  revertWith(REVERTS[0] as Uint8Array),
  'INVALID',
  '5 9 SSTORE STOP',
  `${RICH} SELFDESTRUCT`,
  '1 MUL',
  '0xffffffff MLOAD',
  '0 0 0 CREATE POP STOP',
]
export const RING_ENDINGS: number = LEAVES.length

function ringCode(index: number): string {
  const next = index < FIRST_RING ? (index + 1) % FIRST_RING : 0
  const kind = RING[index] as string
  const value = kind === 'CALL' || kind === 'CALLCODE' ? '0' : ''
  const choice = LEAVES.map((_, i) => `DUP1 ${i} EQ @leaf${i} JUMPI`).join(' ')
  const leaves = LEAVES.map((code, i) => `:leaf${i} ${code}`).join(' ')
  return `96 0 0 CALLDATACOPY 0 MLOAD DUP1 ISZERO @end JUMPI 1 SWAP1 SUB 0 MSTORE
    32 96 96 0 ${value} ${RING_ADDRESSES[next]} GAS ${kind} ISZERO 64 MLOAD AND @failed JUMPI 128 0 RETURN
    :failed RETURNDATASIZE 0 0 RETURNDATACOPY RETURNDATASIZE 0 REVERT
    :end 32 MLOAD ${choice} STOP ${leaves}`
}

/** Fills the stack beyond its limit with short words. */
export const STACK_FILLER: string = addressOf(0x57ac0000)
/** Calls itself until the gas is used up, and continues with the retained gas. */
export const GAS_EATER: string = addressOf(0x6a50000)
/** Stores, clears and stores again, to change the refund counter. */
export const REFUNDER: string = addressOf(0x4ef0000)

/** Logs after a call whose log is reverted. */
export const LOGGER: string = addressOf(0x1066e40000)

export interface ContractAlloc {
  readonly code: string
  readonly balance: string
  readonly storage: Readonly<Record<string, string>>
}

/** All contracts by address. */
export function contracts(random: Random): Readonly<Record<string, ContractAlloc>> {
  const all: Record<string, ContractAlloc> = {}
  const slots = Object.fromEntries([1, 2, 3, 4].map((slot) => [slotText(slot), slotText(slot * 11)]))
  const add = (address: string, text: string, storage = {}): void => {
    all[address] = { code: `0x${hex(assembled(text))}`, balance: '0x64', storage }
  }
  for (const [level, addresses] of LEVEL_ADDRESSES.entries()) {
    const callees = LEVEL_ADDRESSES.slice(0, level).flat()
    for (const [i, address] of addresses.entries()) {
      const actions = Array.from({ length: 2 + random.below(4) + level }, () => action(random, callees))
      // The lowest level covers every ending; on higher levels, most frames return.
      const ending =
        level === 0
          ? ENDINGS[i % ENDINGS.length]
          : ENDINGS[random.chance(75) ? random.below(4) : random.below(ENDINGS.length)]
      add(
        address,
        `${actions.join(' ')} ${(ending as (typeof ENDINGS)[number])(random)}`,
        random.chance(70) ? slots : {},
      )
    }
  }
  for (const [i, address] of RING_ADDRESSES.entries()) add(address, ringCode(i))
  add(STACK_FILLER, ':loop PC DUP1 DUP1 DUP1 DUP1 DUP1 DUP1 DUP1 DUP1 DUP1 DUP1 DUP1 DUP1 DUP1 DUP1 @loop JUMP')
  add(GAS_EATER, '1 1 SSTORE 0 0 0 0 0 ADDRESS GAS CALL POP 0 1 SSTORE 0 0 LOG0')
  add(LOGGER, 'CALLER ADDRESS EQ @inner JUMPI 0 0 0 0 0 ADDRESS GAS CALL 4 0 LOG1 STOP :inner 0 0 LOG0 0 0 REVERT')
  add(REFUNDER, '0 1 SSTORE 0 2 SSTORE 0 3 SSTORE 5 1 SSTORE 33 3 SSTORE', slots)
  return all
}

function slotText(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

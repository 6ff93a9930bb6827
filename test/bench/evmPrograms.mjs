/**
 * The programs for measuring EVMs: `{ name, accounts, to, data, repeat }`. An account is `{ address, code, storage }`,
 * all in hex without prefix; `data` is the input in hex. One measured unit is `repeat` consecutive messages, each on
 * the state left by the previous one.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { hex, mapped, selector, word } from './abi.mjs'
import { assemble, loop } from './evmAssembler.mjs'
import { compileContracts } from './solidity.mjs'

const FACTOR = '0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f86c6a11d0c18e95'
const PRIME = '0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f'
const HALF = '0xf39cc0605cedc8341082276bf3a27251f86c'
const MINUS_SEVEN = `0x${'f'.repeat(63)}9`
const OFFSET = '5 SHL 0xfff AND'

export const CALLER = 'ca'.repeat(20)
const TARGET = '10'.repeat(20)
const [MIDDLE, LAST] = ['20'.repeat(20), '30'.repeat(20)]
const [TOKEN_IN, TOKEN_OUT, HOLDER] = ['40'.repeat(20), '50'.repeat(20), '60'.repeat(20)]
const SLOTS = 1000

/** A contract whose loop runs `count` times per message. */
function looped(name, code, count, { input = '', storage = {}, others = [] } = {}) {
  const accounts = [{ address: TARGET, code, storage }, ...others]
  return { name, accounts, to: TARGET, data: word(count) + input, repeat: 1 }
}

function signature() {
  const key = new Uint8Array(32).fill(7)
  const digest = keccak_256(new Uint8Array(32))
  const signed = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' })
  return hex(digest) + word(27 + signed[0]) + hex(signed.subarray(1))
}

function nestedCalls() {
  const others = [
    { address: MIDDLE, code: assemble(`32 0 0 0 0x${LAST} GAS STATICCALL POP 32 0 RETURN`), storage: {} },
    { address: LAST, code: assemble('42 0 MSTORE 32 0 RETURN'), storage: {} },
  ]
  return looped('nested CALL', loop(`32 0 0 0 0 0x${MIDDLE} GAS CALL POP`), 10_000, { others })
}

function storageSlots() {
  const storage = {}
  for (let slot = 0; slot < SLOTS; slot++) storage[word(slot)] = word(slot + 1)
  const body = `${SLOTS} DUP2 MOD DUP1 SLOAD DUP3 ADD SWAP1 SSTORE`
  return looped('storage, 1,000 slots', loop(body), 30_000, { storage })
}

/** Balances are in slot 1 of the token, allowances in slot 2. */
function token(address, code, balances, spender) {
  const storage = { [word(0)]: word(2n ** 120n) }
  for (const owner of balances) storage[mapped(1, owner)] = word(2n ** 100n)
  if (spender !== undefined) storage[mapped(2, CALLER, spender)] = word(2n ** 100n)
  return { address, code, storage }
}

function contracts() {
  const { Token, Pair } = compileContracts()
  const transfer = {
    name: 'ERC-20 transfer',
    accounts: [token(TARGET, Token.runtime, [CALLER, HOLDER])],
    to: TARGET,
    data: selector('transfer(address,uint256)') + word(`0x${HOLDER}`) + word(1000),
    repeat: 500,
  }
  const storage = {
    [word(0)]: word(`0x${TOKEN_IN}`),
    [word(1)]: word(`0x${TOKEN_OUT}`),
    [word(2)]: word(2n ** 100n + 2n ** 212n + 2n ** 224n),
    [word(3)]: word(1),
    [word(4)]: word(1),
  }
  const swap = {
    name: 'Uniswap-v2-style swap',
    accounts: [
      { address: TARGET, code: Pair.runtime, storage },
      token(TOKEN_IN, Token.runtime, [CALLER, TARGET], TARGET),
      token(TOKEN_OUT, Token.runtime, [TARGET, HOLDER]),
    ],
    to: TARGET,
    data: selector('swap(uint256,address)') + word(1_000_000) + word(`0x${HOLDER}`),
    repeat: 100,
  }
  return [transfer, swap]
}

/** The loops, which need no compiler. */
export function loopPrograms() {
  const accumulator = { before: '1' }
  return [
    looped('arithmetic, full width', loop(`SWAP1 ${FACTOR} MUL DUP2 ADD SWAP1`, accumulator), 60_000),
    looped('small numbers', loop('SWAP1 3 MUL DUP2 ADD 0xffffff AND SWAP1', accumulator), 60_000),
    looped(
      'mix: MULMOD, EXP, SDIV',
      loop(`SWAP1 ${PRIME} ${FACTOR} DUP3 MULMOD SWAP1 POP 0x10001 DUP2 EXP ${MINUS_SEVEN} SWAP1 SDIV XOR SWAP1`, {
        before: '3',
      }),
      10_000,
    ),
    looped(
      'ADDMOD, MULMOD, DIV',
      loop(
        `SWAP1 ${PRIME} SWAP1 ${FACTOR} ADDMOD ${PRIME} ${FACTOR} DUP3 MULMOD ${PRIME} ADD ${HALF} SWAP1 DIV XOR SWAP1`,
        {
          before: '3',
        },
      ),
      20_000,
    ),
    looped('SELFBALANCE, BALANCE', loop(`${'SELFBALANCE POP '.repeat(20)}ADDRESS BALANCE POP`), 5000),
    looped('keccak, 64 B', loop('64 0 KECCAK256 0 MSTORE'), 20_000),
    looped('keccak, 1 KiB', loop('1024 0 KECCAK256 0 MSTORE'), 5000),
    looped('memory', loop(`DUP1 ${OFFSET} DUP1 32 ADD MLOAD DUP3 ADD SWAP1 MSTORE`), 40_000),
    looped('MCOPY, 256 B', loop(`256 DUP2 ${OFFSET} DUP1 32 ADD SWAP1 MCOPY`), 40_000),
    storageSlots(),
    nestedCalls(),
    looped('ecrecover x200', loop('32 128 128 0 1 GAS STATICCALL POP', { before: '128 32 0 CALLDATACOPY' }), 200, {
      input: signature(),
    }),
  ]
}

/** Compiles the contracts, which takes a second. */
export function evmPrograms() {
  return [...loopPrograms(), ...contracts()]
}

/** Generates whole cases: a world of a few contracts, a block, a message, and how its execution is driven. */
import { Choices } from './random.mjs'
import { ProgramWriter, vocabularyOf } from './statements.mjs'

/**
 * Plain data, so that it can be written to a file. Numbers are decimal or hex text; bytes are hex. Code is hex, or the
 * name of a program (assembler.mjs).
 * @typedef {object} FuzzAccount
 * @property {string} [nonce]
 * @property {string} [balance]
 * @property {string} [code]
 * @property {Record<string, string>} [storage]
 *
 * @typedef {object} FuzzCase
 * @property {string} [comment]
 * @property {string} fork
 * @property {'plain' | 'missing' | 'sliced' | 'both'} drive all in memory; every first read misses; the shortest slices
 * @property {boolean} [transferLogs]
 * @property {number} [contractSizeLimit]
 * @property {string} [chainId]
 * @property {Record<string, string>} [movedPrecompiles] new address → original address
 * @property {Record<string, string>} block
 * @property {{ gasPrice: string, blobVersionedHashes: string[], accessList: { address: string, storageKeys: string[] }[], warmAddresses: string[] }} transaction
 * @property {{ caller: string, to: string | null, value: string, data: string, gas: string }} message
 * @property {Record<string, FuzzAccount>} accounts
 * @property {Record<string, string[]>} programs
 */

const SENDER = '1000000000000000000000000000000000000001'
const BENEFICIARY = '3000000000000000000000000000000000000003'
const CONTRACTS = [
  '2000000000000000000000000000000000000002',
  '4000000000000000000000000000000000000004',
  '5000000000000000000000000000000000000005',
]
const EMPTY = '6000000000000000000000000000000000000006'
const ABSENT = '7000000000000000000000000000000000000007'
const DELEGATED = ['8000000000000000000000000000000000000008', '9000000000000000000000000000000000000009']
const RIPEMD = '0000000000000000000000000000000000000003'
const HIGHEST_NONCE = 2n ** 64n - 1n
const HIGHEST_BALANCE = 2n ** 256n - 1n
/** Number of jumps at the start of a message that is to run by blocks. */
const HOT_JUMPS = 520
const GAS_PER_HOT_JUMP = 26
/** By precompile: one of this many calls is a long computation. */
const LONG_PRECOMPILES = { 1: 4, 8: 20, 10: 20, 12: 30, 14: 40, 15: 60, 16: 20, 17: 40, 256: 8 }

/**
 * @typedef {object} Kit modules of the project that the generator uses
 * @property {(fork: string) => import('../../src/config/forks.ts').ForkRules} forkRules
 * @property {(rules: { eips: ReadonlySet<number> }) => { number: number }[]} activePrecompiles
 * @property {(sender: Uint8Array, nonce: bigint) => Uint8Array} createAddress
 */

/**
 * @param {Kit} kit
 * @param {{ seed: number, caseNumber: number, forks: readonly string[] }} which
 * @returns {FuzzCase}
 */
export function generateCase(kit, { seed, caseNumber, forks }) {
  const choices = new Choices(seed, caseNumber)
  const fork = choices.pick(forks)
  const rules = kit.forkRules(fork)
  if (choices.chance(0.2))
    return longCase(choices, fork, choices.chance(60) ? recursion(choices) : sweep(choices, rules))
  const programs = {}
  const number = choices.pick([1, 3, 100, 300, 5000])
  const surroundings = surroundingsOf(kit, choices, rules, number, programs)
  const accounts = accountsOf(kit, choices, rules, surroundings, programs)
  const message = messageOf(choices, surroundings, programs)
  if (message.to === null && choices.chance(8)) addCollision(kit, choices, accounts, SENDER, 0n)
  if (choices.chance(12)) makeHot(message, accounts, programs)
  if (Object.values(programs).some((tokens) => tokens.includes('SELFDESTRUCT'))) lowerBalances(accounts)
  return {
    fork,
    drive: choices.weighted([
      [70, 'plain'],
      [18, 'missing'],
      [8, 'sliced'],
      [6, 'both'],
    ]),
    // Where a creation may succeed without its code, the reference EVM omits the log of its value.
    ...(rules.eips.has(2) && choices.chance(10) ? { transferLogs: true } : {}),
    ...(choices.chance(5) ? { contractSizeLimit: choices.pick([0, 10, 64, 30_000]) } : {}),
    ...(choices.chance(20) ? { chainId: choices.pick(['1337', '0xffffffffff']) } : {}),
    ...(choices.chance(3) ? { movedPrecompiles: { [`0x${ABSENT}`]: `0x${RIPEMD}` } } : {}),
    block: blockOf(choices, number),
    transaction: transactionOf(choices, rules, delegateOf(accounts, message)),
    message,
    accounts,
    programs,
  }
}

/** Makes the message begin with so many jumps that the native EVM runs the rest by blocks. */
function makeHot(message, accounts, programs) {
  const name = message.to === null ? message.data : accounts[message.to]?.code
  if (programs[name] === undefined) return
  const countDown = ['PUSH 0x01', 'SWAP1', 'SUB', 'DUP1', 'PUSH @hot', 'JUMPI', 'POP']
  programs[name].unshift(`PUSH 0x${HOT_JUMPS.toString(16).padStart(4, '0')}`, ':hot', ...countDown)
  message.gas = String(Number(message.gas) + (HOT_JUMPS + 1) * GAS_PER_HOT_JUMP)
}

/**
 * Recursion to the maximum call depth.
 * @returns {string[]} tokens
 */
function recursion(choices) {
  const kind = choices.pick(['CALL', 'CALL', 'CALLCODE', 'CREATE'])
  const noise = choices.pick([
    [],
    ['GAS', 'PUSH 0x01', 'SSTORE'],
    ['PUSH 0x20', 'PUSH 0x00', 'LOG0'],
    ['GAS', 'PUSH 0x40', 'MSTORE'],
    ['PUSH 0x01', 'PUSH 0x00', 'SLOAD', 'ADD', 'PUSH 0x00', 'SSTORE'],
  ])
  const value = choices.pick(['PUSH 0x00', 'PUSH 0x01'])
  const call = ['PUSH 0x20', 'PUSH 0x00', 'PUSH 0x20', 'PUSH 0x00', value, 'ADDRESS', 'GAS', kind]
  const create = ['CODESIZE', 'PUSH 0x00', 'PUSH 0x00', 'CODECOPY', 'CODESIZE', 'PUSH 0x00', value, 'CREATE']
  const count = ['PUSH 0x00', 'MLOAD', 'ADD', 'PUSH 0x00', 'MSTORE']
  const end = kind === 'CREATE' ? ['STOP'] : ['PUSH 0x20', 'PUSH 0x00', 'RETURN']
  return [...noise, ...(kind === 'CREATE' ? create : call), ...count, ...choices.pick([[], noise]), ...end]
}

/**
 * Repeats an operation for very many slots or addresses.
 * @returns {string[]} tokens
 */
function sweep(choices, rules) {
  const callArguments = ['PUSH 0x00', 'PUSH 0x00', 'PUSH 0x00', 'PUSH 0x00', 'PUSH 0x01', 'DUP6', 'PUSH 0x64']
  const body = choices.pick([
    ['DUP1', 'SLOAD', 'POP'],
    ['DUP1', 'DUP1', 'SSTORE'],
    ['DUP1', 'DUP1', 'SSTORE', 'PUSH 0x00', 'DUP2', 'SSTORE'],
    ['DUP1', 'BALANCE', 'POP'],
    ['PUSH 0x03', 'DUP2', 'MUL', 'SLOAD', 'DUP2', 'PUSH 0x1000', 'ADD', 'SSTORE'],
    ['DUP1', 'PUSH 0x20', 'PUSH 0x00', 'LOG1'],
    [...callArguments, 'CALL', 'POP'],
    ['PUSH 0x00', 'PUSH 0x00', 'PUSH 0x00', 'CREATE', 'POP'],
    ...(rules.eips.has(1153) ? [['DUP1', 'DUP1', 'TSTORE', 'DUP1', 'TLOAD', 'POP']] : []),
  ])
  const times = choices.between(500, 3000).toString(16).padStart(4, '0')
  const next = ['PUSH 0x01', 'SWAP1', 'SUB', 'DUP1', 'PUSH @again', 'JUMPI']
  return [`PUSH 0x${times}`, ':again', ...body, ...next, ...choices.pick([[], ['PUSH 0x00', 'PUSH 0x00', 'REVERT']])]
}

/** A program that may use more gas than all others. */
function longCase(choices, fork, contract0) {
  return {
    fork,
    drive: choices.pick(['plain', 'missing', 'both']),
    block: blockOf(choices, 100, fork),
    transaction: { gasPrice: '10', blobVersionedHashes: [], accessList: [], warmAddresses: [] },
    message: { caller: SENDER, to: CONTRACTS[0], value: '0', data: '0x', gas: '10000000000000' },
    accounts: {
      [SENDER]: { nonce: '1', balance: '1000' },
      [CONTRACTS[0]]: { nonce: '1', balance: '1000', code: 'contract0', storage: { 5: '1', 700: '2' } },
    },
    programs: { contract0 },
  }
}

/** @type {WeakMap<object, ReturnType<typeof vocabularyOf>>} */
const vocabularies = new WeakMap()

function vocabularyFor(rules) {
  let vocabulary = vocabularies.get(rules)
  if (vocabulary === undefined) {
    vocabulary = vocabularyOf(rules)
    vocabularies.set(rules, vocabulary)
  }
  return vocabulary
}

/** @returns {import('./statements.mjs').Surroundings} */
function surroundingsOf(kit, choices, rules, blockNumber, programs) {
  const precompiles = kit
    .activePrecompiles(rules)
    .map(({ number }) => number)
    .filter((number) => choices.below(LONG_PRECOMPILES[number] ?? 1) === 0)
  const digits = (number) => number.toString(16).padStart(40, '0')
  const delegated = rules.eips.has(7702) ? DELEGATED : []
  return {
    vocabulary: vocabularyFor(rules),
    addresses: [
      ...CONTRACTS,
      ...delegated,
      EMPTY,
      ABSENT,
      SENDER,
      BENEFICIARY,
      RIPEMD,
      digits(choices.pick(precompiles)),
    ],
    callees: [...CONTRACTS, ...delegated],
    precompiles,
    blockNumber,
    addProgram(tokens) {
      const name = `p${Object.keys(programs).length}`
      programs[name] = tokens
      return name
    },
  }
}

function accountsOf(kit, choices, { eips }, surroundings, programs) {
  const accounts = { [SENDER]: { nonce: '1', balance: balanceOf(choices, 10n ** 18n) } }
  for (const [i, address] of CONTRACTS.entries()) {
    const name = `contract${i}`
    const own = { ...surroundings, callees: calleesOf(i, surroundings.callees) }
    programs[name] = new ProgramWriter(choices, own).program(choices.between(2, i === 0 ? 16 : 9))
    accounts[address] = {
      nonce: choices.chance(3) ? String(HIGHEST_NONCE - BigInt(choices.below(2))) : '1',
      balance: balanceOf(choices, BigInt(choices.pick([0, 1, 100, 10_000]))),
      code: name,
      storage: storageOf(choices),
    }
    if (choices.chance(6)) addCollision(kit, choices, accounts, address, BigInt(accounts[address].nonce))
  }
  if (choices.chance(50)) accounts[EMPTY] = {}
  if (choices.chance(10)) accounts[RIPEMD] = choices.chance(50) ? {} : { balance: '7' }
  if (choices.chance(20)) accounts[BENEFICIARY] = choices.chance(30) ? {} : { balance: '5' }
  if (eips.has(7702)) {
    for (const address of DELEGATED) {
      const target = choices.pick([...CONTRACTS, ...CONTRACTS, ...surroundings.addresses])
      accounts[address] = { nonce: '1', balance: '50', code: `0xef0100${target}`, storage: storageOf(choices) }
    }
  }
  return accounts
}

/** Mostly the next contracts: recursion is expensive, and occurs anyway. */
function calleesOf(index, callees) {
  const next = index + 1 < CONTRACTS.length ? CONTRACTS.slice(index + 1) : [EMPTY, ABSENT]
  return [...next, ...next, ...next, ...next, ...callees]
}

/** Puts something at the address of the next contract that a contract creates. */
function addCollision(kit, choices, accounts, creator, nonce) {
  const bytes = Uint8Array.from(creator.match(/../g), (pair) => Number.parseInt(pair, 16))
  const made = kit.createAddress(bytes, nonce)
  const address = Array.from(made, (byte) => byte.toString(16).padStart(2, '0')).join('')
  accounts[address] = choices.pick([
    { balance: '9' },
    { nonce: '1' },
    { code: '0x00', nonce: '0' },
    { storage: { 0: '1', 1: '2' } },
    {},
  ])
}

function balanceOf(choices, usual) {
  return choices.chance(1) ? String(HIGHEST_BALANCE - BigInt(choices.below(3))) : String(usual)
}

/** Reduces balances that are impossible on a real chain: SELFDESTRUCT adds to them unchecked, whereas a call fails. */
function lowerBalances(accounts) {
  for (const account of Object.values(accounts)) {
    if (account.balance !== undefined && BigInt(account.balance) > HIGHEST_BALANCE / 2n) account.balance = '100'
  }
}

function storageOf(choices) {
  const storage = {}
  for (let slot = 0; slot < 4; slot++) if (choices.chance(40)) storage[slot] = String(choices.between(1, 2))
  return storage
}

function blockOf(choices, number) {
  return {
    number: String(number),
    timestamp: String(choices.pick([1, 1_700_000_000])),
    beneficiary: choices.chance(90) ? BENEFICIARY : choices.pick(CONTRACTS),
    gasLimit: '30000000',
    difficulty: choices.pick(['0', '131072', String(2n ** 70n)]),
    prevRandao: choices.digits(32),
    baseFeePerGas: choices.pick(['0', '7', '1000000000']),
    excessBlobGas: choices.pick(['0', '131072', '90000000']),
  }
}

/** The account that the message's target delegates to; a transaction warms it (EIP-7702). */
function delegateOf(accounts, { to }) {
  const code = to === null ? undefined : accounts[to]?.code
  return code?.startsWith('0xef0100') ? [code.slice('0xef0100'.length)] : []
}

function transactionOf(choices, { eips }, delegate) {
  const addresses = [...CONTRACTS, ABSENT, BENEFICIARY, RIPEMD, SENDER]
  const accessList = []
  if (eips.has(2930) && choices.chance(30)) {
    for (let i = choices.between(1, 3); i > 0; i--) {
      const storageKeys = [0, 1, 2, 3].filter(() => choices.chance(40)).map(String)
      accessList.push({ address: choices.pick(addresses), storageKeys })
    }
  }
  return {
    gasPrice: choices.pick(['0', '10', '1000000007']),
    blobVersionedHashes:
      eips.has(4844) && choices.chance(30) ? [`01${choices.digits(31)}`, `01${choices.digits(31)}`] : [],
    accessList,
    warmAddresses: [
      ...(eips.has(7702) && choices.chance(30) ? [choices.pick([...DELEGATED, ...CONTRACTS])] : []),
      ...delegate,
    ],
  }
}

function messageOf(choices, surroundings, programs) {
  const creates = choices.chance(12)
  const value = choices.weighted([
    [60, '0'],
    [30, '1'],
    [5, '1000'],
    [5, String(2n ** 200n)],
  ])
  const common = { caller: SENDER, value, gas: gasOf(choices) }
  if (!creates) {
    const { addresses, callees } = surroundings
    const to = choices.weighted([
      [75, CONTRACTS[0]],
      [20, choices.pick(callees)],
      [5, choices.pick(addresses)],
    ])
    return { ...common, to, data: `0x${choices.digits(choices.pick([0, 1, 4, 32, 36, 68, 100]))}` }
  }
  const writer = () => new ProgramWriter(choices, surroundings, 1)
  programs['runtime'] = writer().program(choices.below(3))
  programs['init'] = choices.chance(70) ? writer().initProgram('runtime') : writer().program(choices.below(8))
  return { ...common, to: null, data: 'init' }
}

function gasOf(choices) {
  const bound = choices.weighted([
    [5, 1000],
    [20, 30_000],
    [55, 100_000],
    [19.5, 250_000],
    [0.5, 1_000_000],
  ])
  return String(choices.below(bound))
}

/**
 * Runs the GeneralStateTests of ethereum/tests: one transaction on a given state, followed by a check of state root and
 * logs.
 * @module
 */

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT, keccak256 } from '../../../src/base/primitives/keccak.ts'
import { rlpEncode } from '../../../src/base/primitives/rlp.ts'
import { publicKeyOf, publicKeyToAddress } from '../../../src/base/primitives/secp256k1.ts'
import { blobBaseFee, GAS_PER_BLOB } from '../../../src/chain/fees.ts'
import { credit, type ExecutionContext } from '../../../src/chain/transition/applyMessage.ts'
import { executeTransaction } from '../../../src/chain/transition/executeTransaction.ts'
import { type ForkRules, forkRules } from '../../../src/config/forks.ts'
import type { Evm } from '../../../src/evm/evm.ts'
import type { MutableState } from '../../../src/state/contract.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import type { Log } from '../../../src/types/receipt.ts'
import type { AccessList, Transaction } from '../../../src/types/transaction.ts'
import { OFFICIAL_FORK_NAMES } from '../chains/forkNames.ts'

interface TestAccount {
  readonly balance: string
  readonly nonce: string
  readonly code: string
  readonly storage: Readonly<Record<string, string>>
}

interface TestTransaction {
  readonly data: readonly string[]
  readonly gasLimit: readonly string[]
  readonly value: readonly string[]
  readonly gasPrice?: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
  readonly maxFeePerBlobGas?: string
  readonly blobVersionedHashes?: readonly string[]
  readonly accessLists?: readonly (
    | readonly { readonly address: string; readonly storageKeys: readonly string[] }[]
    | null
  )[]
  readonly nonce: string
  readonly to: string
  readonly secretKey: string
}

interface TestPost {
  readonly hash: string
  readonly logs: string
  readonly indexes: { readonly data: number; readonly gas: number; readonly value: number }
  readonly expectException?: string
}

export interface StateTest {
  readonly _info?: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string>>
  readonly pre: Readonly<Record<string, TestAccount>>
  readonly transaction: TestTransaction
  readonly post: Readonly<Record<string, readonly TestPost[]>>
}

/** A state to fill with accounts and to execute on, and its resulting root. */
export interface TestState {
  readonly state: MutableState
  root(): Uint8Array | Promise<Uint8Array>
}

/** All test files below a folder, as paths relative to it. */
export function stateTestFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
}

export function readStateTests(folder: string, file: string): [name: string, test: StateTest][] {
  return Object.entries(JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Record<string, StateTest>)
}

/** Runs every entry of a test. @returns the failures, one line per entry */
export async function runStateTest(test: StateTest, evm: Evm, newState: () => TestState): Promise<string[]> {
  const failures: string[] = []
  for (const [network, posts] of Object.entries(test.post)) {
    const fork = OFFICIAL_FORK_NAMES[network]
    if (fork === undefined) throw new Error(`unknown network ${network}`)
    for (const [i, post] of posts.entries()) {
      const failure = await runEntry(test, forkRules(fork), post, evm, newState())
      if (failure !== undefined) failures.push(`${network}[${i}]: ${failure}`)
    }
  }
  return failures
}

async function runEntry(
  test: StateTest,
  rules: ForkRules,
  post: TestPost,
  evm: Evm,
  { state, root }: TestState,
): Promise<string | undefined> {
  fill(state, test.pre)
  const { rejection, logs } = await execute(test, rules, post, evm, state)
  // The oldest format does not mark invalid transactions; their state shows them.
  const tells = test._info?.['filledwith'] === undefined
  if (tells && (rejection !== undefined) !== (post.expectException !== undefined)) {
    return `expected ${post.expectException ?? 'success'}, got ${rejection ?? 'success'}`
  }
  const beneficiary = hexToBytes(test.env['currentCoinbase'] as string)
  state.beginTransaction()
  credit(beneficiary, 0n, state, rules.eips.has(161))
  state.endTransaction({ selfDestructs: [], clearEmpty: rules.eips.has(161) })
  const logsHash = bytesToHex(
    keccak256(rlpEncode(logs.map(({ address, topics, data }) => [address, [...topics], data]))),
  )
  if (logsHash !== post.logs) return `logs ${logsHash}, expected ${post.logs}`
  const hash = bytesToHex(await root())
  return hash === post.hash ? undefined : `root ${hash}, expected ${post.hash}`
}

function fill(state: MutableState, pre: StateTest['pre']): void {
  state.beginTransaction()
  for (const [key, { balance, nonce, code, storage }] of Object.entries(pre)) {
    const address = hexToBytes(key)
    state.createAccount(address)
    state.setBalance(address, BigInt(balance))
    if (BigInt(nonce) > 0n) state.setNonce(address, BigInt(nonce))
    if (code.length > 2) state.setCode(address, hexToBytes(code))
    for (const [slot, value] of Object.entries(storage)) state.setStorage(address, word(slot), word(value))
  }
  state.endTransaction({ selfDestructs: [], clearEmpty: false })
}

async function execute(
  { env, transaction: template }: StateTest,
  rules: ForkRules,
  { indexes }: TestPost,
  evm: Evm,
  state: MutableState,
): Promise<{ rejection: string | undefined; logs: readonly Log[] }> {
  const transaction = transactionOf(template, indexes)
  if (transaction === undefined) return { rejection: 'not a transaction', logs: [] }
  const context = contextOf(env, rules, evm)
  const { excessBlobGas, baseFeePerGas, gasLimit } = context.block
  const outcome = await executeTransaction(
    {
      transaction,
      sender: publicKeyToAddress(publicKeyOf(hexToBytes(template.secretKey))),
      budget: {
        baseFeePerGas,
        blobBaseFee: rules.blobs === undefined ? undefined : blobBaseFee(excessBlobGas ?? 0n, rules.blobs),
        gasLeft: gasLimit,
        blobGasLeft: (rules.blobs?.max ?? 0n) * GAS_PER_BLOB,
      },
      gasUsedBefore: 0n,
      keepRevertReason: false,
    },
    state,
    context,
  )
  if (outcome.kind === 'invalid') return { rejection: outcome.rejection.message, logs: [] }
  return { rejection: undefined, logs: outcome.result.logs }
}

function contextOf(env: StateTest['env'], rules: ForkRules, evm: Evm): ExecutionContext {
  const number = (name: string, absent = 0n): bigint => (env[name] === undefined ? absent : BigInt(env[name]))
  return {
    chainId: 1n,
    rules,
    contractSizeLimit: undefined,
    evm,
    control: {},
    block: {
      number: number('currentNumber'),
      timestamp: number('currentTimestamp'),
      beneficiary: hexToBytes(env['currentCoinbase'] as string),
      gasLimit: number('currentGasLimit'),
      difficulty: rules.eips.has(4399) ? 0n : number('currentDifficulty'),
      prevRandao: word(env['currentRandom'] ?? '0x0'),
      baseFeePerGas: rules.eips.has(1559) ? number('currentBaseFee', 10n) : undefined,
      excessBlobGas: rules.blobs === undefined ? undefined : number('currentExcessBlobGas'),
      blockHash: (wanted) => keccak256(new TextEncoder().encode(wanted.toString())),
    },
  }
}

/** @returns undefined for a transaction that cannot be encoded */
function transactionOf(template: TestTransaction, indexes: TestPost['indexes']): Transaction | undefined {
  const value = quantityOf(template.value[indexes.value] as string)
  const gasLimit = quantityOf(template.gasLimit[indexes.gas] as string)
  if (value >= 2n ** 256n || gasLimit >= 2n ** 64n) return undefined
  const common = {
    nonce: quantityOf(template.nonce),
    gasLimit,
    to: template.to === '' ? undefined : hexToBytes(template.to),
    value,
    data: hexToBytes(template.data[indexes.data] as string),
    r: 1n,
    s: 1n,
  }
  const accessList: AccessList = (template.accessLists?.[indexes.data] ?? []).map(({ address, storageKeys }) => ({
    address: hexToBytes(address),
    storageKeys: storageKeys.map(word),
  }))
  const typed = { ...common, chainId: 1n, yParity: 0n, accessList }
  if (template.maxFeePerGas === undefined) {
    const gasPrice = quantityOf(template.gasPrice as string)
    const list = template.accessLists?.[indexes.data]
    return list === undefined || list === null
      ? { ...common, type: 0, gasPrice, v: 27n, chainId: undefined }
      : { ...typed, type: 1, gasPrice }
  }
  const fees = {
    maxFeePerGas: quantityOf(template.maxFeePerGas),
    maxPriorityFeePerGas: quantityOf(template.maxPriorityFeePerGas as string),
  }
  if (template.maxFeePerBlobGas === undefined) return { ...typed, ...fees, type: 2 }
  return {
    ...typed,
    ...fees,
    type: 3,
    to: common.to as Uint8Array,
    maxFeePerBlobGas: quantityOf(template.maxFeePerBlobGas),
    blobVersionedHashes: (template.blobVersionedHashes ?? []).map(hexToBytes),
  }
}

function quantityOf(text: string): bigint {
  const digits = text.replace('0x:bigint ', '')
  return digits === '0x' ? 0n : BigInt(digits)
}

function word(hex: string): Uint8Array {
  return hexToBytes(hex.replace(/^0x/, '').padStart(64, '0'))
}

/** Tests that take minutes and run in test/long. */
const SLOW: readonly RegExp[] = [/vmPerformance\/loopMul/, /stTimeConsuming\/CALLBlake2f_MaxRounds/]

function isSlow(file: string): boolean {
  return SLOW.some((slow) => slow.test(file))
}

/**
 * Never activated on any chain: the draft of the EVM object format (EIP-3540, EIP-3670) as planned for Shanghai in
 * 2022.
 */
const DRAFT_EOF = { folder: /stEOF\//, network: 'Shanghai' }

function withoutDrafts(file: string, test: StateTest): StateTest {
  if (!DRAFT_EOF.folder.test(file)) return test
  const kept = Object.entries(test.post).filter(([network]) => network !== DRAFT_EOF.network)
  return { ...test, post: Object.fromEntries(kept) }
}

/**
 * Filled up to 2023, when only a nonce or code occupied an address. EIP-7610, which geth and the specification apply to
 * every fork, refuses an address with storage too. So each entry must end differently from what the file expects.
 */
const SUPERSEDED: readonly string[] = [
  'v6-frontier-to-constantinople/stExtCodeHash/dynamicAccountOverwriteEmpty.json',
  'v12-istanbul-to-shanghai/stCreate2/create2collisionStorage.json',
  'v12-istanbul-to-shanghai/stSStoreTest/InitCollision.json',
]

/** The entries of a superseded test that end as it expects. */
function unexpectedlyRight(test: StateTest, failures: readonly string[]): string[] {
  return Object.entries(test.post)
    .flatMap(([network, posts]) => posts.map((_, i) => `${network}[${i}]`))
    .filter((entry) => !failures.some((failure) => failure.startsWith(`${entry}: `)))
    .map((entry) => `${entry}: as before EIP-7610`)
}

export interface Shard {
  readonly folder: string
  /** Runs only part `index` of `count`; default: all. */
  readonly part?: readonly [index: number, count: number]
}

/** Runs all tests below a folder except the slow ones. @returns number of executed entries, and failures */
export async function runStateTests(
  { folder, part: [index, count] = [0, 1] }: Shard,
  evm: Evm,
  newState: () => TestState,
): Promise<{ entries: number; failures: string[] }> {
  const failures: string[] = []
  let entries = 0
  const files = stateTestFiles(folder).filter((file) => !isSlow(file))
  for (const file of files.filter((_, i) => i % count === index)) {
    for (const [, whole] of readStateTests(folder, file)) {
      const test = withoutDrafts(file, whole)
      entries += Object.values(test.post).flat().length
      const failed = await runStateTest(test, evm, newState)
      const isSuperseded = SUPERSEDED.some((name) => path.join(folder, file).endsWith(name))
      for (const failure of isSuperseded ? unexpectedlyRight(test, failed) : failed) failures.push(`${file} ${failure}`)
    }
  }
  return { entries, failures }
}

/** The entries of the slow tests below a folder, as separate tests. */
export function slowStateTests(folder: string): { name: string; test: StateTest }[] {
  return stateTestFiles(folder)
    .filter(isSlow)
    .flatMap((file) => readStateTests(folder, file).flatMap(([, test]) => entriesOf(file, test)))
}

function entriesOf(file: string, test: StateTest): { name: string; test: StateTest }[] {
  return Object.entries(test.post).flatMap(([network, posts]) =>
    posts.map((post, i) => ({ name: `${file} ${network}[${i}]`, test: { ...test, post: { [network]: [post] } } })),
  )
}

export function newWorldState(): TestState {
  const state = new StateStore(new MemoryStore(), { nodeCacheBytes: 1 << 20 }).mutable({
    hash: EMPTY_TRIE_ROOT,
    version: 0,
  })
  return { state, root: () => state.rootHash() }
}

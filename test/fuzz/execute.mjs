/**
 * Runs a case on an EVM and returns the result as plain data.
 * @module
 */
import { Buffer } from 'node:buffer'
import { assemble } from './assembler.mjs'
import { MissingState } from './missingState.mjs'

/**
 * Modules of the project that running a case uses, from dist/ or from src/.
 * @typedef {object} Project
 * @property {typeof import('../../src/config/forks.ts').forkRules} forkRules
 * @property {typeof import('../../src/state/stateStore.ts').StateStore} StateStore
 * @property {typeof import('../../src/storage/memoryStore.ts').MemoryStore} MemoryStore
 * @property {typeof import('../../src/base/ports/keyValueStore.ts').StoreMiss} StoreMiss
 * @property {typeof import('../../src/evm/precompiles/addresses.ts').activePrecompiles} activePrecompiles
 * @property {Uint8Array} emptyRoot
 */

const MAX_RESUMES = 1_000_000
const hexOf = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')

function bytesOf(hex) {
  return Uint8Array.from(Buffer.from(hex.replace(/^0x/, ''), 'hex'))
}

function wordOf(number) {
  return bytesOf(BigInt(number).toString(16).padStart(64, '0'))
}

/**
 * Prepares a case that can run several times.
 * @param {Project} project
 * @param {import('./generator.mjs').FuzzCase} fuzzCase
 */
export function prepare(project, fuzzCase) {
  const { programs, accounts } = fuzzCase
  const assembled = new Map()
  const codeOf = (code) => (code.startsWith('0x') ? bytesOf(code) : assemble(code, programs, assembled))
  const state = new project.StateStore(new project.MemoryStore(), { nodeCacheBytes: 1 << 16 }).mutable({
    hash: project.emptyRoot,
    version: 0,
  })
  state.beginTransaction()
  for (const [key, { nonce, balance, code, storage }] of Object.entries(accounts)) {
    const address = bytesOf(key)
    state.createAccount(address)
    if (balance !== undefined) state.setBalance(address, BigInt(balance))
    if (nonce !== undefined) state.setNonce(address, BigInt(nonce))
    if (code !== undefined) state.setCode(address, codeOf(code))
    for (const [slot, value] of Object.entries(storage ?? {})) state.setStorage(address, wordOf(slot), wordOf(value))
  }
  state.endTransaction({ selfDestructs: [], clearEmpty: false })
  state.beginTransaction()
  const { message } = fuzzCase
  return {
    fuzzCase,
    project,
    state,
    environment: environmentOf(project, fuzzCase),
    message: {
      caller: bytesOf(message.caller),
      to: message.to === null ? undefined : bytesOf(message.to),
      value: BigInt(message.value),
      data: codeOf(message.data),
      gas: BigInt(message.gas),
    },
  }
}

function environmentOf({ forkRules }, fuzzCase) {
  const { fork, block, transaction, message, contractSizeLimit, chainId = '1', movedPrecompiles } = fuzzCase
  const rules = forkRules(fork)
  const number = BigInt(block.number)
  return {
    chainId: BigInt(chainId),
    rules,
    contractSizeLimit,
    ...(movedPrecompiles === undefined ? {} : { movedPrecompiles: new Map(Object.entries(movedPrecompiles)) }),
    block: {
      number,
      timestamp: BigInt(block.timestamp),
      beneficiary: bytesOf(block.beneficiary),
      gasLimit: BigInt(block.gasLimit),
      difficulty: rules.eips.has(4399) ? 0n : BigInt(block.difficulty),
      prevRandao: bytesOf(block.prevRandao),
      baseFeePerGas: rules.eips.has(1559) || rules.eips.has(3198) ? BigInt(block.baseFeePerGas) : undefined,
      excessBlobGas: rules.blobs === undefined ? undefined : BigInt(block.excessBlobGas),
      blockHash: (wanted) => (wanted < number && wanted >= number - 256n ? wordOf((wanted + 1n) << 200n) : undefined),
    },
    transaction: {
      origin: bytesOf(message.caller),
      gasPrice: BigInt(transaction.gasPrice),
      blobVersionedHashes: transaction.blobVersionedHashes.map(bytesOf),
      accessList: transaction.accessList.map(({ address, storageKeys }) => ({
        address: bytesOf(address),
        storageKeys: storageKeys.map(wordOf),
      })),
      warmAddresses: transaction.warmAddresses.map(bytesOf),
    },
  }
}

/**
 * @param {ReturnType<typeof prepare>} prepared
 * @param {import('../../src/evm/evm.ts').Evm} evm
 * @param {import('./generator.mjs').FuzzCase['drive']} drive
 * @returns {Promise<Record<string, unknown>>} the result; `thrown` when the EVM failed
 */
export async function execute({ fuzzCase, project, state, environment, message }, evm, drive) {
  const own = state.fork()
  const isMissing = drive === 'missing' || drive === 'both'
  const seen = isMissing ? new MissingState(own, project.StoreMiss) : own
  const options = { collectAccessed: true, transferLogs: fuzzCase.transferLogs === true }
  try {
    const execution = evm.start(message, environment, seen, options)
    const result = await resultOf(
      execution,
      drive === 'sliced' || drive === 'both' ? 0 : Number.POSITIVE_INFINITY,
      seen,
    )
    own.endTransaction({ selfDestructs: result.selfDestructs, clearEmpty: environment.rules.eips.has(161) })
    return { ...describe(result), stateRoot: hexOf(own.rootHash()) }
  } catch (error) {
    return { thrown: `${error?.stack ?? error}` }
  }
}

async function resultOf(execution, sliceMs, state) {
  for (let resumes = 0; resumes < MAX_RESUMES; resumes++) {
    const answer = execution.resume(sliceMs)
    const status = answer instanceof Promise ? await answer : answer
    if (status.kind === 'done') return status.result
    if (status.kind === 'missing') state.load(status.request)
  }
  throw new Error('the execution does not come to an end')
}

/** Sorts everything whose order is unspecified. */
function describe(result) {
  const { accessed, logs, selfDestructs } = result
  return {
    outcome: result.outcome,
    halt: result.halt,
    gasLeft: String(result.gasLeft),
    gasRefund: String(result.gasRefund),
    output: hexOf(result.output),
    createdAddress: result.createdAddress && hexOf(result.createdAddress),
    logs: logs.map(({ address, topics, data }) => [hexOf(address), topics.map(hexOf), hexOf(data)].join('/')),
    selfDestructs: selfDestructs.map(hexOf).sort(),
    accessed: accessed && merged(accessed),
    maxDepth: result.maxDepth,
    storageWritten: result.storageWritten,
  }
}

/** Merges entries of an access list that name the same address. */
function merged(accessList) {
  const entries = new Map()
  for (const { address, storageKeys } of accessList) {
    const key = hexOf(address)
    const slots = entries.get(key) ?? new Set()
    for (const slot of storageKeys) slots.add(hexOf(slot))
    entries.set(key, slots)
  }
  return [...entries].map(([address, slots]) => [address, ...[...slots].sort()].join('/')).sort()
}

/** Known faults and omissions of the reference EVM; the fields are then not compared. */
const REFERENCE_FAULTS = [
  // It does not report warm addresses when it refuses a message immediately.
  { fields: ['accessed'], when: ({ accessed }) => accessed === undefined },
  // It is unspecified which addresses are warm after an address collision.
  { fields: ['accessed'], when: ({ halt }) => halt === 'ADDRESS_COLLISION' },
  // It may check the input of a precompile before the gas.
  {
    fields: ['halt'],
    when: ({ halt }, actual) => halt === 'PRECOMPILE_ERROR' && actual.halt === 'INSUFFICIENT_GAS',
  },
  // It may check the gas of an opcode before the stack.
  {
    fields: ['halt'],
    when: ({ halt }, actual) => halt === 'INSUFFICIENT_GAS' && actual.halt === 'INSUFFICIENT_STACK_ITEMS',
  },
]

/** It supports BASEFEE on Ethereum Classic, under EIP-3855. */
const NO_BASE_FEE = 'Block has no Base Fee'

/**
 * Compares two results.
 * @param expected result of the reference EVM
 * @returns {string[]} names of differing fields; empty when they agree
 */
export function differences(expected, actual) {
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)])
  if (expected.thrown?.includes(NO_BASE_FEE)) return []
  for (const { fields, when } of REFERENCE_FAULTS) {
    if (expected.thrown === undefined && when(expected, actual)) for (const field of fields) names.delete(field)
  }
  return [...names].filter((name) => JSON.stringify(expected[name]) !== JSON.stringify(actual[name]))
}

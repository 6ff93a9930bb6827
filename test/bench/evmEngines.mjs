/**
 * The compared EVMs behind one interface: `load(program)` returns a function that runs one message of the program and
 * returns its gas, synchronously or as a promise. Ours accept hooks as a second argument.
 */

import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { createAccount, createAddressFromString } from '@ethereumjs/util'
import { forkRules } from '../../dist/src/config/forks.js'
import { runMessage } from '../../dist/src/evm/driver.js'
import { loadNativeEvm } from '../../dist/src/evm/loadNativeEvm.js'
import { loadReferenceEvm } from '../../dist/src/evm/loadReferenceEvm.js'
import { EMPTY_STATE_ROOT } from '../../dist/src/state/stateContext.js'
import { StateStore } from '../../dist/src/state/stateStore.js'
import { MemoryStore } from '../../dist/src/storage/memoryStore.js'
import { StagedStore } from '../../dist/src/storage/stagedStore.js'
import { bytes } from './abi.mjs'
import { CALLER } from './evmPrograms.mjs'

const clock = { now: () => Date.now(), monotonic: () => performance.now() }
const random = { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) }
const GAS = 10n ** 12n
const ETHER = 10n ** 18n

export const environment = {
  chainId: 1n,
  rules: forkRules('prague'),
  contractSizeLimit: undefined,
  block: {
    number: 100n,
    timestamp: 1000n,
    beneficiary: new Uint8Array(20),
    gasLimit: GAS,
    difficulty: 0n,
    prevRandao: new Uint8Array(32),
    baseFeePerGas: 7n,
    excessBlobGas: 0n,
    blockHash: () => undefined,
  },
  transaction: { origin: bytes(CALLER), gasPrice: 10n, blobVersionedHashes: [], accessList: [], warmAddresses: [] },
}

/** The program's accounts, committed to a store; first reads come from the flat view. */
async function committedState({ accounts }) {
  const kv = new MemoryStore()
  const states = new StateStore(kv)
  const stage = new StagedStore(kv)
  const state = states.mutable(EMPTY_STATE_ROOT, stage)
  state.setBalance(bytes(CALLER), ETHER)
  for (const { address, code, storage } of accounts) {
    state.setCode(bytes(address), bytes(code))
    state.setNonce(bytes(address), 1n)
    for (const [slot, value] of Object.entries(storage)) state.setStorage(bytes(address), bytes(slot), bytes(value))
  }
  state.rootHash()
  const block = { number: 1, hash: new Uint8Array(32).fill(1) }
  const root = state.persist({ version: 1, stage, block })
  states.moveFlat(stage, [], [block], root)
  await kv.commit(stage.mutations())
  return states.mutable(root)
}

async function isonode(load) {
  const evm = await load(clock)
  return async (program, hooks) => {
    const state = await committedState(program)
    const { to, data, gas = GAS } = program
    const message = { caller: bytes(CALLER), to: bytes(to), value: 0n, data: bytes(data), gas }
    const finish = ({ outcome, halt, gasLeft }) => {
      if (outcome !== 'success') throw new Error(`${program.name}: ${outcome} ${halt ?? ''}`)
      state.endTransaction({ selfDestructs: [], clearEmpty: true })
      return Number(gas - gasLeft)
    }
    return (own = hooks) => {
      state.beginTransaction()
      const result = runMessage(evm, message, environment, state, { hooks: own })
      return result instanceof Promise ? result.then(finish) : finish(result)
    }
  }
}

/** The bare library: its simplest state, and only those parts of a transaction that warm precompiles and clean up. */
async function ethereumjs() {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague })
  return async ({ name, accounts, to, data }) => {
    const stateManager = new SimpleStateManager({ common })
    const evm = await createEVM({ common, stateManager })
    const addressOf = (hex) => createAddressFromString(`0x${hex}`)
    const precompiles = [...evm.precompiles.keys()]
    const caller = addressOf(CALLER)
    await stateManager.putAccount(caller, createAccount({ balance: ETHER }))
    for (const { address, code, storage } of accounts) {
      await stateManager.putAccount(addressOf(address), createAccount({ nonce: 1n }))
      await stateManager.putCode(addressOf(address), bytes(code))
      for (const [slot, value] of Object.entries(storage)) {
        const trimmed = value.replace(/^(?:00)+/, '')
        await stateManager.putStorage(addressOf(address), bytes(slot), bytes(trimmed))
      }
    }
    const block = { header: { ...evmHeader(), getBlobGasPrice: () => 1n } }
    const message = { caller, to: addressOf(to), data: bytes(data), gasLimit: GAS, gasPrice: 10n, block }
    return async () => {
      stateManager.originalStorageCache.clear()
      for (const address of precompiles) evm.journal.addAlwaysWarmAddress(address)
      const { execResult } = await evm.runCall(message)
      await evm.journal.cleanup()
      if (execResult.exceptionError !== undefined) throw new Error(`${name}: ${execResult.exceptionError.error}`)
      return Number(execResult.executionGasUsed)
    }
  }
}

function evmHeader() {
  const { number, timestamp, gasLimit, difficulty, prevRandao, baseFeePerGas } = environment.block
  const coinbase = createAddressFromString(`0x${'00'.repeat(20)}`)
  return { number, timestamp, gasLimit, difficulty, prevRandao, baseFeePerGas, coinbase, cliqueSigner: () => coinbase }
}

/** The last one is the reference for the ratios. */
export const ENGINES = {
  native: () => isonode((clock) => loadNativeEvm(clock, random)),
  reference: () => isonode(loadReferenceEvm),
  '@ethereumjs/evm': ethereumjs,
}

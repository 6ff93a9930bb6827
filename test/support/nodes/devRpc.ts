/** The methods of the dev chain over its genesis block, with a DevChain that only records its calls. */

import { TransitionCallSimulator } from '../../../src/api/calls/callSimulator.ts'
import { DEFAULT_API_OPTIONS } from '../../../src/api/options.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { bytesToHex, equalBytes } from '../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { Chain } from '../../../src/chain/chain.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { parseGenesisFile } from '../../../src/config/genesisFile.ts'
import { createSchedule } from '../../../src/consensus/createSchedule.ts'
import { CallBatches } from '../../../src/dev/callBatches.ts'
import type { DevChain } from '../../../src/dev/contract.ts'
import { KnownKeyAccounts } from '../../../src/dev/devAccounts.ts'
import { MinedFailures } from '../../../src/dev/minedFailures.ts'
import { ExecutionScheduler } from '../../../src/evm/scheduler.ts'
import type { RpcBackend } from '../../../src/rpc/backend.ts'
import { Envelope } from '../../../src/rpc/envelope.ts'
import { devMethods } from '../../../src/rpc/methods/dev/index.ts'
import { ethMethods } from '../../../src/rpc/methods/eth/index.ts'
import { MethodRegistry } from '../../../src/rpc/registry.ts'
import { RpcRequestContext } from '../../../src/rpc/requestContext.ts'
import { requireState } from '../../../src/state/errors.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import type { PooledTransaction } from '../../../src/txpool/contract.ts'
import type { SubmissionVerdict } from '../../../src/txpool/submission.ts'
import { genesisBlock } from '../../../src/types/genesisHeader.ts'
import type { Transaction } from '../../../src/types/transaction.ts'
import { encodeTransaction, transactionHash, transactionSender } from '../../../src/types/transactionCodec.ts'
import { TEST_CLOCK, TEST_SENDERS } from '../chains/testChain.ts'
import { loadTestEvm } from '../evm/testEvm.ts'
import { testTimers } from '../host/testPorts.ts'
import { testYield } from '../host/testYield.ts'

export interface Submitted {
  readonly transaction: Transaction
  readonly impersonatedSender: Uint8Array | undefined
}

export interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string }
}

const INSTANCE_ID = new Uint8Array(32).fill(7)
const POOLED_HASH = `0x${'11'.repeat(32)}`

/** Records each call as `name(arguments)`. */
export function fakeDevChain(told: string[]): DevChain {
  const shown = (value: unknown) => (value instanceof Uint8Array ? bytesToHex(value) : String(value))
  const note =
    <T>(name: string, answer: T) =>
    (...values: unknown[]): T => {
      told.push(`${name}(${values.map(shown).join(', ')})`)
      return answer
    }
  const later =
    <T>(name: string, answer: T) =>
    async (...values: unknown[]): Promise<T> =>
      note(name, answer)(...values)
  return {
    accounts: new KnownKeyAccounts(),
    time: {
      offset: 40n,
      next: 100n,
      increase: note('increase', 140n),
      set: note('set', 100n),
      setNextBlock: note('setNextBlock', undefined),
      setBlockInterval: note('setBlockInterval', undefined),
    },
    block: {
      baseFee: undefined,
      setBaseFee: note('setBaseFee', undefined),
      setPrevRandao: note('setPrevRandao', undefined),
      setCoinbase: note('setCoinbase', undefined),
      setGasLimit: note('setGasLimit', undefined),
    },
    mining: {
      automine: true,
      intervalMs: 5000,
      setAutomine: note('setAutomine', undefined),
      setInterval: note('setInterval', undefined),
      mine: (count, seconds) => later('mine', undefined)(...(seconds === undefined ? [count] : [count, seconds])),
      mineAt: later('mineAt', undefined),
      mineGiven: later('mineGiven', undefined),
    },
    state: {
      setBalance: later('setBalance', undefined),
      addBalance: later('addBalance', undefined),
      setNonce: later('setNonce', undefined),
      setCode: later('setCode', undefined),
      setStorage: later('setStorage', undefined),
    },
    execution: { setChainId: later('setChainId', undefined), setSigner: later('setSigner', undefined) },
    batches: new CallBatches(),
    failures: new MinedFailures(false),
    blobs: { ofTransaction: () => undefined, byVersionedHash: () => undefined },
    metadata: { instanceId: INSTANCE_ID, snapshots: [{ id: 1, blockNumber: 0n, blockHash: INSTANCE_ID }] },
    snapshot: later('snapshot', 1),
    revert: async (id) => note('revert', id === 1)(id),
    reset: later('reset', undefined),
    dump: () => Promise.reject(new NodeError({ code: 'CHAIN_MOVED' }, 'blocks were removed')),
    load: later('load', undefined),
    rollback: later('rollback', undefined),
    reorganise: later('reorganise', undefined),
    dropTransaction: (hash) => note('dropTransaction', bytesToHex(hash) === POOLED_HASH)(hash),
    dropAllTransactions: note('dropAllTransactions', undefined),
  }
}

/** A pool that keeps every transaction and never mines. */
class NotingPool {
  readonly submitted: Submitted[] = []
  readonly #senders: Uint8Array[] = []

  async submit(transaction: Transaction, impersonatedSender?: Uint8Array): Promise<SubmissionVerdict> {
    this.submitted.push({ transaction, impersonatedSender })
    this.#senders.push(impersonatedSender ?? transactionSender(transaction) ?? new Uint8Array(20))
    return { kind: 'accepted', hash: transactionHash(transaction) }
  }

  transactions(): PooledTransaction[] {
    return this.submitted.map(({ transaction }, at) => {
      const encoding = encodeTransaction(transaction)
      const sender = this.#senders[at] as Uint8Array
      return { transaction, encoding, hash: keccak256(encoding), sender, isLocal: true, addedAtMs: 0, sequence: at }
    })
  }

  bySender(sender: Uint8Array): PooledTransaction[] {
    return this.transactions().filter((pooled) => equalBytes(pooled.sender, sender))
  }

  nextNonce(sender: Uint8Array): bigint | undefined {
    const last = this.bySender(sender).at(-1)
    return last && last.transaction.nonce + 1n
  }
}

export async function openDevRpc() {
  const told: string[] = []
  const dev = fakeDevChain(told)
  const pool = new NotingPool()
  const backend = { ...(await genesisBackend()), dev }
  const full = {
    ...backend,
    pool: {
      nextNonce: (sender: Uint8Array) => pool.nextNonce(sender),
      bySender: (sender: Uint8Array) => pool.bySender(sender),
      transactions: () => pool.transactions(),
    },
    submission: pool,
  } as unknown as RpcBackend
  const registry = new MethodRegistry<RpcBackend>([...ethMethods, ...devMethods])
  const served = registry.serve(['ETH', 'DEV'])
  const envelope = new Envelope({
    served,
    backend: full,
    profile: 'geth',
    logger: silentLogger,
    clock: TEST_CLOCK,
    yieldToHost: testYield,
  })
  const call = async (method: string, ...params: unknown[]): Promise<Answer> => {
    const { body } = await envelope.handle(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      new RpcRequestContext({ groups: served.groups }),
    )
    return JSON.parse(body) as Answer
  }
  return { call, told, dev, submitted: pool.submitted, chain: backend.chain, served, backend: full }
}

async function genesisBackend() {
  const text = JSON.stringify(devGenesis())
  const genesis = parseGenesisFile(text)
  const { config } = genesis
  const kv = new MemoryStore()
  const states = new StateStore(kv)
  const evm = await loadTestEvm(TEST_CLOCK)
  const consensus = createSchedule(config)
  const chain = await Chain.open({
    kv,
    genesis: { alloc: genesis.alloc, text, block: (stateRoot) => genesisBlock(genesis, stateRoot) },
    modules: { config, states, evm, consensus, keepRevertReasons: false },
    senders: TEST_SENDERS,
    clock: TEST_CLOCK,
    logger: silentLogger,
  })
  const scheduler = new ExecutionScheduler({ clock: TEST_CLOCK, yieldToHost: testYield })
  return {
    chain,
    states: {
      at: (header: typeof chain.head) => chain.stateAt(header),
      mutable: ({ stateRoot }: typeof chain.head) => states.mutable(requireState(stateRoot)),
    },
    calls: new TransitionCallSimulator({ config, evm, consensus, control: { scheduler } }),
    consensus,
    options: { ...DEFAULT_API_OPTIONS, profile: 'geth' as const },
    mining: { coinbase: undefined, mining: true, hashrate: 0n, minGasPrice: 0n },
    node: { clientVersion: 'isonode/v1.2.3/test' },
    timers: testTimers,
    yieldToHost: () => Promise.resolve(),
  }
}

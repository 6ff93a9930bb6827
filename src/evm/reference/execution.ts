import type { EVMResult } from '@ethereumjs/evm'
import type { Clock } from '../../base/ports/host.ts'
import { StoreMiss } from '../../base/ports/keyValueStore.ts'
import { bytesToHex, bytesToHexUnprefixed, EMPTY_BYTES, hexToBytes } from '../../base/primitives/bytes.ts'
import type { AccessList } from '../../types/transaction.ts'
import { blobBaseFee } from '../blobBaseFee.ts'
import type {
  BlockEnvironment,
  Execution,
  ExecutionEnvironment,
  ExecutionStatus,
  Message,
  MessageResult,
  StartOptions,
} from '../evm.ts'
import { reportDirectMessage } from '../messageEvents.ts'
import type { StateDB } from '../stateDb.ts'
import { transfer } from '../transfer.ts'
import { transferLog } from '../transferLogs.ts'
import { endingOf } from './halts.ts'
import { type Curves, PausableEvm, toAddress } from './pausableEvm.ts'
import { precompileTable } from './precompileTable.ts'
import type { PreparedCommon } from './preparedTypes.ts'
import { RunControl } from './runControl.ts'
import { StateAdapter } from './stateAdapter.ts'
import { TracedEvm } from './tracing/tracedEvm.ts'
import { isTransfer } from './transfer.ts'
import { accessedList, warmUp } from './warmth.ts'

export interface ReferenceInput {
  readonly message: Message
  readonly environment: ExecutionEnvironment
  readonly state: StateDB
  readonly options: StartOptions
  readonly prepared: PreparedCommon
  readonly curves: Curves
  readonly clock: Clock
}

type RunBlock = NonNullable<Parameters<PausableEvm['runCall']>[0]['block']>

const HISTORY_ZERO = new Uint8Array(32)

/** Runs one message in a separate EVM instance. */
export class ReferenceExecution implements Execution {
  readonly #run: ReferenceInput
  readonly #control: RunControl
  #started = false
  #done: ExecutionStatus | undefined

  constructor(run: ReferenceInput) {
    this.#run = run
    this.#control = new RunControl(run.clock)
  }

  resume(sliceMs: number): ExecutionStatus | Promise<ExecutionStatus> {
    if (this.#done !== undefined) return this.#done
    if (!this.#started) {
      const status = this.#withoutEvm()
      if (status !== undefined) return status
      this.#started = true
    }
    return this.#control.resume(sliceMs, async () => {
      this.#done = { kind: 'done', result: await runEvm(this.#run, this.#control) }
      return this.#done
    })
  }

  /** Handles messages that need no interpreter: an insufficient balance, and a plain transfer. */
  #withoutEvm(): ExecutionStatus | undefined {
    const { message, state, options } = this.#run
    let done: MessageResult | undefined
    try {
      done = directResult(this.#run)
    } catch (error) {
      if (error instanceof StoreMiss) return { kind: 'missing', request: error.request }
      throw error
    }
    if (done === undefined) return undefined
    if (options.hooks !== undefined) reportDirectMessage(options.hooks, message, state, 'nothing', done)
    return this.#finish(done)
  }

  #finish(messageResult: MessageResult): ExecutionStatus {
    this.#done = { kind: 'done', result: messageResult }
    return this.#done
  }
}

const SUCCESS: MessageResult = {
  outcome: 'success',
  gasLeft: 0n,
  gasRefund: 0n,
  output: EMPTY_BYTES,
  createdAddress: undefined,
  logs: [],
  selfDestructs: [],
  accessed: undefined,
  maxDepth: 0,
  storageWritten: false,
}

/** @returns undefined when the message needs the EVM */
function directResult({ message, environment, state, options, prepared }: ReferenceInput): MessageResult | undefined {
  const balance = state.getAccount(message.caller)?.balance ?? 0n
  if (balance < message.value) return { ...SUCCESS, outcome: 'halt', halt: 'INSUFFICIENT_BALANCE' }
  const { to } = message
  if (to === undefined || !isTransfer(to, state, environment, prepared)) return undefined
  transfer({ ...message, to }, state, environment.rules.eips.has(161))
  const accessed = options.collectAccessed === true ? environment.transaction.accessList : undefined
  const logs = options.transferLogs === true ? transferLogs(message) : []
  return { ...SUCCESS, gasLeft: message.gas, accessed, logs }
}

function transferLogs({ caller, to, value }: Message): MessageResult['logs'] {
  if (to === undefined || value === 0n) return []
  return [transferLog(caller, to, value)]
}

async function runEvm(run: ReferenceInput, control: RunControl): Promise<MessageResult> {
  const { message, environment, options } = run
  const { transaction } = environment
  const adapter = new StateAdapter(run.state, control, environment.rules)
  const blockchain = blockchainOf(environment.block, adapter)
  const precompiles = precompileTable(run.prepared, environment.movedPrecompiles, environment.block.dev)
  const parts = [run.prepared, adapter, blockchain, control, run.curves, precompiles] as const
  const { hooks } = options
  const evm = hooks === undefined ? new PausableEvm(...parts) : new TracedEvm(hooks, ...parts)
  if (options.transferLogs === true) evm.logTransfers()
  if (options.watchedAddress !== undefined) evm.watch(options.watchedAddress)
  if (message.contract !== undefined) evm.createAt(message.contract)
  warmUp(evm, message, environment)
  const outcome = await evm.runCall({
    block: blockOf(environment),
    gasPrice: transaction.gasPrice,
    origin: toAddress(transaction.origin),
    caller: toAddress(message.caller),
    ...(message.to === undefined ? {} : { to: toAddress(message.to) }),
    value: message.value,
    data: message.data,
    gasLimit: message.gas,
    blobVersionedHashes: transaction.blobVersionedHashes.map((hash) => bytesToHex(hash) as `0x${string}`),
    skipNonceIncrement: true,
  })
  if (adapter.failure !== undefined) throw adapter.failure.error
  const accessed = options.collectAccessed === true ? accessedList(evm, transaction.accessList) : undefined
  return resultOf(outcome, run, evm, adapter, accessed)
}

function resultOf(
  { execResult, createdAddress }: EVMResult,
  { message, environment }: ReferenceInput,
  { maxDepth, precompiles, watchedCalls }: PausableEvm,
  { storageWritten }: StateAdapter,
  accessed: AccessList | undefined,
): MessageResult {
  const remainingGas = message.gas - execResult.executionGasUsed
  const gasLeft = remainingGas > 0n ? remainingGas : 0n
  const error = execResult.exceptionError?.error as string | undefined
  const common = {
    createdAddress: undefined,
    accessed,
    maxDepth,
    storageWritten,
    ...(watchedCalls === undefined ? {} : { watchedCalls }),
    gasRefund: 0n,
    logs: [],
    selfDestructs: [],
  }
  const isPrecompile = message.to !== undefined && precompiles.has(bytesToHexUnprefixed(message.to))
  const ending = endingOf(error, isPrecompile, environment.rules.eips.has(2))
  if (ending.outcome === 'revert') return { ...common, ...ending, gasLeft, output: execResult.returnValue }
  if (ending.outcome === 'halt') return { ...common, ...ending, gasLeft: 0n, output: EMPTY_BYTES }
  return {
    ...common,
    outcome: 'success',
    gasLeft,
    gasRefund: execResult.gasRefund ?? 0n,
    output: execResult.returnValue,
    createdAddress: message.to === undefined ? createdAddress?.bytes : undefined,
    logs: (execResult.logs ?? []).map(([address, topics, data]) => ({ address, topics, data })),
    selfDestructs: selfDestructsOf(execResult, environment),
  }
}

/** EIP-6780: only accounts created by the same transaction. */
function selfDestructsOf(
  { selfdestruct, createdAddresses }: EVMResult['execResult'],
  { rules }: ExecutionEnvironment,
): Uint8Array[] {
  if (selfdestruct === undefined) return []
  const onlyCreated = rules.eips.has(6780)
  return [...selfdestruct.keys()]
    .filter((address) => !onlyCreated || createdAddresses?.has(address) === true)
    .map((address) => hexToBytes(address))
}

function blockOf({ block, rules }: ExecutionEnvironment): RunBlock {
  const { blobs } = rules
  const blobFee =
    block.blobBaseFee ??
    (block.excessBlobGas === undefined || blobs === undefined ? undefined : blobBaseFee(block.excessBlobGas, blobs))
  return {
    header: {
      number: block.number,
      coinbase: toAddress(block.beneficiary),
      timestamp: block.timestamp,
      difficulty: block.difficulty,
      prevRandao: block.prevRandao,
      gasLimit: block.gasLimit,
      baseFeePerGas: block.baseFeePerGas,
      getBlobGasPrice: () => blobFee,
    },
  } as RunBlock
}

function blockchainOf(block: BlockEnvironment, adapter: StateAdapter): ConstructorParameters<typeof PausableEvm>[2] {
  const getBlock = async (number: number) => {
    const hash = await adapter.resident(() => block.blockHash(BigInt(number)))
    return { hash: () => hash ?? HISTORY_ZERO }
  }
  return { getBlock, putBlock: async () => {}, shallowCopy: () => blockchainOf(block, adapter) }
}

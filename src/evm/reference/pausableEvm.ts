import {
  EVM,
  type EVMBLSInterface,
  type EVMBN254Interface,
  type EVMOpts,
  type EVMResult,
  type ExecResult,
  type Message,
} from '@ethereumjs/evm'
import { Address } from '@ethereumjs/util'
import { EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'
import { WatchedCalls } from '../watchedCalls.ts'
import type { PreparedCommon } from './preparedTypes.ts'
import { withGuardedSelfDestruct } from './readOnlyAccounts.ts'
import type { RunControl } from './runControl.ts'
import type { StateAdapter } from './stateAdapter.ts'
import { withSelfDestructLogs, withTransferLog } from './transferLogs.ts'

/** Elliptic curve libraries; stateless. */
export interface Curves {
  readonly bn254: EVMBN254Interface
  readonly bls: EVMBLSInterface
}

type Blockchain = NonNullable<EVMOpts['blockchain']>
type RunCallOptions = Parameters<EVM['runCall']>[0]

/** EIP-3541 */
const FORBIDDEN_FIRST_BYTE = 0xef

/** An EVM for one message that pauses when its slice is over. All instances share the same tables. */
export class PausableEvm extends EVM {
  readonly control: RunControl
  /** At their standard addresses, regardless of overrides. */
  readonly standardPrecompiles: PreparedCommon['precompiles']
  /** Deepest frame so far; calls of precompiles do not count. */
  maxDepth = 0
  /** undefined without calls to the watched address */
  watchedCalls: WatchedCalls | undefined
  #watched: Uint8Array | undefined
  #contract: Uint8Array | undefined
  #logsTransfers = false
  /** Output of the failed frame that is about to end, if it begins with 0xEF. */
  #withheldOutput: Uint8Array | undefined

  constructor(
    prepared: PreparedCommon,
    stateManager: StateAdapter,
    blockchain: Blockchain,
    control: RunControl,
    curves: Curves,
    precompiles: PreparedCommon['precompiles'],
  ) {
    super({ common: prepared.common, stateManager, blockchain, bn254: curves.bn254, bls: curves.bls })
    this.control = control
    this.standardPrecompiles = prepared.precompiles
    this._opcodes = prepared.tables.opcodes
    this._handlers = prepared.tables.handlers
    this._dynamicGasHandlers = prepared.tables.dynamicGasHandlers
    this._opcodeMap = prepared.tables.opcodeMap
    this._precompiles = precompiles
    if (stateManager.hasReadOnlyAccounts) {
      this._opcodeMap = withGuardedSelfDestruct(this._opcodeMap, stateManager)
    }
  }

  /** Returns the shared tables; nothing is built per instance. */
  override getActiveOpcodes(): EVM['opcodes'] {
    return this._opcodes
  }

  /** From this call on, every transfer of value adds a log. */
  logTransfers(): void {
    this.#logsTransfers = true
    this._opcodeMap = withSelfDestructLogs(this._opcodeMap)
  }

  /** Sets the address of the contract that the message itself creates. */
  createAt(address: Uint8Array): void {
    this.#contract = address
  }

  protected override async _generateAddress(message: Message): Promise<Address> {
    return this.#contract !== undefined && message.depth === 0
      ? new Address(this.#contract)
      : super._generateAddress(message)
  }

  /** Records calls to this address while it has no code. */
  watch(address: Uint8Array): void {
    this.#watched = address
  }

  override runCall(options: RunCallOptions): Promise<EVMResult> {
    const running = this.#runFrame(options)
    return this.#logsTransfers ? running.then((outcome) => withTransferLog(outcome, options)) : running
  }

  #runFrame(options: RunCallOptions): Promise<EVMResult> {
    const { message } = options
    if (message !== undefined && message.depth > this.maxDepth) {
      const target = message.to === undefined ? undefined : message.codeAddress
      if (target === undefined || this.getPrecompile(target) === undefined) this.maxDepth = message.depth
    }
    return this.control.expired() ? this.#runLater(options) : this.#runWhole(options)
  }

  /** Pauses here too, because recursion loops without a JUMPDEST. */
  async #runLater(options: RunCallOptions): Promise<EVMResult> {
    await this.control.pause()
    return this.#runWhole(options)
  }

  /**
   * The library mistakes the revert data of a creation for code and rejects it when it begins with 0xEF (EIP-3541).
   * Such output is therefore withheld until the frame has ended.
   */
  protected override async runInterpreter(message: Message, options?: object): Promise<ExecResult> {
    const result = await super.runInterpreter(message, options)
    if (result.exceptionError === undefined || result.returnValue[0] !== FORBIDDEN_FIRST_BYTE) return result
    this.#withheldOutput = result.returnValue
    return { ...result, returnValue: EMPTY_BYTES }
  }

  async #runWhole(options: RunCallOptions): Promise<EVMResult> {
    const { message } = options
    if (this.#watched !== undefined && message !== undefined) await this.#watch(message, this.#watched)
    const outcome = await super.runCall(options)
    const returnValue = this.#withheldOutput
    if (returnValue === undefined) return outcome
    this.#withheldOutput = undefined
    return { ...outcome, execResult: { ...outcome.execResult, returnValue } }
  }

  async #watch(message: Message, watched: Uint8Array): Promise<void> {
    // A creation has no code address: to ask for it is an error.
    if (message.to === undefined || !equalBytes(message.codeAddress.bytes, watched)) return
    const { codeAddress, data } = message
    if (this.getPrecompile(codeAddress) !== undefined) return
    if ((await this.stateManager.getCode(codeAddress)).length > 0) return
    this.watchedCalls ??= new WatchedCalls()
    this.watchedCalls.add(data)
  }
}

export function toAddress(bytes: Uint8Array): Address {
  return new Address(bytes)
}

import { type EVMResult, type ExecResult, Message, type PrecompileFunc } from '@ethereumjs/evm'
import { Address } from '@ethereumjs/util'
import { EMPTY_BYTES } from '../../../base/primitives/bytes.ts'
import type { ExecutionHooks } from '../../hooks.ts'
import { endingOf } from '../halts.ts'
import { PausableEvm } from '../pausableEvm.ts'
import { newContractAddress } from './callOpcodes.ts'
import { type AnnouncedCall, MessageTrace } from './messageTrace.ts'
import { tracedOpcodes } from './tracedOpcodes.ts'

type CallOptions = Parameters<PausableEvm['runCall']>[0]

/** An EVM that reports its events to hooks. */
export class TracedEvm extends PausableEvm {
  readonly #trace: MessageTrace

  constructor(hooks: ExecutionHooks, ...args: ConstructorParameters<typeof PausableEvm>) {
    super(...args)
    this.#trace = new MessageTrace(hooks, this.control)
    this._opcodeMap = tracedOpcodes(this._opcodeMap, this.#trace)
  }

  override async runCall(options: CallOptions): Promise<EVMResult> {
    const call = await this.#announced(options)
    this.#trace.announce(call)
    const outcome = await super.runCall(options)
    const { exceptionError, executionGasUsed, returnValue, gasRefund } = outcome.execResult
    if (exceptionError === undefined && call.isCreation && call.input.length === 0) {
      await this.#runNothing(call, gasRefund ?? 0n)
    }
    const ending = endingOf(exceptionError?.error, this.#trace.isPrecompile, this.common.isActivatedEIP(2))
    this.#trace.end(ending, Number(executionGasUsed), returnValue)
    return outcome
  }

  protected override async runInterpreter(message: Message, options?: object): Promise<ExecResult> {
    this.#trace.begin('code')
    const result = await super.runInterpreter(message, options)
    await this.#trace.endCode(result.exceptionError === undefined ? result.runState : undefined, result.returnValue)
    return result
  }

  protected override runPrecompile(
    ...args: [code: PrecompileFunc, data: Uint8Array, gasLimit: bigint]
  ): Promise<ExecResult> | ExecResult {
    this.#trace.begin('precompile')
    return super.runPrecompile(...args)
  }

  /** For the message itself, the properties are among the options. */
  async #announced({ message, ...own }: CallOptions): Promise<AnnouncedCall> {
    const { to, value = 0n, data = EMPTY_BYTES, depth = 0, gasLimit } = message ?? own
    const caller = (message ?? own).caller?.bytes ?? EMPTY_BYTES
    const isCreation = to === undefined
    const address = to?.bytes ?? (await this.#newAddress(caller, message?.salt, data))
    const target = isCreation ? address : (message?.codeAddress.bytes ?? address)
    // The call data is a view of the caller's memory, so it is copied.
    return { isCreation, depth, caller, address, target, value, gas: Number(gasLimit), input: data.slice() }
  }

  /** The creator's nonce has already been incremented. */
  async #newAddress(creator: Uint8Array, salt: Uint8Array | undefined, initCode: Uint8Array): Promise<Uint8Array> {
    const nonce = (await this.stateManager.getAccount(new Address(creator)))?.nonce ?? 0n
    return newContractAddress(creator, nonce - 1n, salt, initCode)
  }

  /** Reports the frame of an empty init code, which the EVM does not run. */
  async #runNothing({ caller, address, depth, value, gas }: AnnouncedCall, gasRefund: bigint): Promise<void> {
    const parties = { caller: new Address(caller), to: new Address(address), code: EMPTY_BYTES }
    await this.runInterpreter(new Message({ ...parties, depth, value, gasLimit: BigInt(gas), gasRefund }))
  }
}

import type { ExecutionEnvironment, Message, StartOptions } from '../evm.ts'
import type { StateDB } from '../stateDb.ts'
import { WatchedCalls } from '../watchedCalls.ts'
import { FrameMarks } from './frameMarks.ts'
import type { NativeInstance } from './instance.ts'
import { MessageCodes } from './messageCodes.ts'
import type { PrecompileCalls } from './precompileCall.ts'
import type { PrecompileSet } from './precompileSet.ts'
import { SideEffects } from './sideEffects.ts'

/** A message with everything needed to run it. */
export interface MessageRequest {
  readonly message: Message
  readonly environment: ExecutionEnvironment
  readonly state: StateDB
  readonly options: StartOptions
}

/** One message in one instance; the context of all exit handlers. */
export class MessageExecution {
  readonly instance: NativeInstance
  readonly state: StateDB
  readonly environment: ExecutionEnvironment
  readonly eips: ReadonlySet<number>
  readonly logsTransfers: boolean
  readonly precompiles: PrecompileSet
  readonly precompileCalls: PrecompileCalls
  readonly codes: MessageCodes
  readonly effects: SideEffects = new SideEffects()
  readonly marks: FrameMarks
  /** Contracts created over existing storage (before EIP-7610), in hex: their original storage counts as empty. */
  readonly emptied: Set<string> = new Set()
  readonly watchedAddress: Uint8Array | undefined
  /** undefined without calls to the watched address */
  watchedCalls: WatchedCalls | undefined

  constructor(
    instance: NativeInstance,
    { environment, state, options }: MessageRequest,
    precompiles: PrecompileSet,
    precompileCalls: PrecompileCalls,
  ) {
    this.instance = instance
    this.state = state
    this.environment = environment
    this.eips = environment.rules.eips
    this.logsTransfers = options.transferLogs === true
    this.precompiles = precompiles
    this.precompileCalls = precompileCalls
    this.watchedAddress = options.watchedAddress
    this.codes = new MessageCodes(instance)
    this.marks = new FrameMarks(instance, state, this.effects)
  }

  /** Records a call to the watched address. */
  watch(input: Uint8Array): void {
    this.watchedCalls ??= new WatchedCalls()
    this.watchedCalls.add(input)
  }
}

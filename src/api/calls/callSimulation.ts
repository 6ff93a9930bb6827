/**
 * The calls of one request: its state and block with overrides, and executions on them.
 * @module
 */

import type { TimeSlicer } from '../../base/ports/yieldToHost.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { type MaybePromise, mapMaybe } from '../../base/primitives/maybePromise.ts'
import type { ChainHeader, ChainReader } from '../../chain/contract.ts'
import type { ConsensusSchedule } from '../../chain/engine.ts'
import type { PendingSource } from '../../sealing/contract.ts'
import type { MutableState, StateSource } from '../../state/contract.ts'
import type { Tracer } from '../../tracing/contract.ts'
import type { AccessList } from '../../types/transaction.ts'
import type { BlockNumberOrTagOrHash } from '../blockReference.ts'
import { requireHeader } from '../lookup.ts'
import type { ApiOptions } from '../options.ts'
import type {
  CallLimits,
  CallObject,
  CallOutcome,
  CallSimulator,
  MessageSimulator,
  SimulatedBlock,
} from './contract.ts'
import { callBlock } from './environment.ts'
import type { Caller, CallNotes } from './notes.ts'
import type { AccountOverride, BlockOverrides } from './overrides.ts'
import { prepareCall } from './prepareCall.ts'
import { applyStateOverrides, PrecompileMoves } from './stateOverrides.ts'

export interface SimulationBackend {
  readonly chain: ChainReader
  readonly states: StateSource
  readonly calls: MessageSimulator
  readonly consensus: ConsensusSchedule
  readonly options: ApiOptions
  readonly pending?: PendingSource | undefined
}

export interface CallBackend extends SimulationBackend {
  readonly calls: CallSimulator
}

export interface SimulationOptions {
  readonly block: BlockNumberOrTagOrHash
  readonly stateOverrides: readonly AccountOverride[] | undefined
  readonly blockOverrides: BlockOverrides | undefined
  /** Wall-clock time limit of all executions together; undefined: the node's limit. */
  readonly timeoutMs?: number | undefined
}

export interface RunOptions {
  readonly chargesFees: boolean
  readonly gas?: bigint
  readonly accessList?: AccessList
  readonly collectAccessed?: boolean
  readonly tracer?: Tracer
  /** Whether the execution is the one that the caller's notes describe. */
  readonly isNoted?: boolean
}

const NEVER_ABORTED: Caller = { aborted: false, reason: undefined }

export class CallSimulation {
  readonly block: SimulatedBlock
  readonly #backend: SimulationBackend
  readonly #header: ChainHeader
  /** The state with the overrides; undefined when there are none. */
  #overridden: MutableState | undefined
  #moved: ReadonlyMap<string, string> | undefined
  /** Completion of overrides that are applied in slices; the first execution waits for it. */
  #isOverridden: Promise<void> | undefined
  #slicer: TimeSlicer | undefined
  readonly #overrides: readonly AccountOverride[]
  readonly #limits: CallLimits
  readonly #options: SimulationOptions
  readonly #notes: CallNotes | undefined

  /** @throws {NodeError} for an unknown block, CALL_STATE_UNAVAILABLE, INVALID_OVERRIDE */
  constructor(backend: SimulationBackend, options: SimulationOptions, caller: Caller) {
    this.#options = options
    this.#notes = caller.notes
    const header = requireHeader(backend.chain, options.block, backend.pending)
    this.block = callBlock(backend, header, options.blockOverrides)
    this.#backend = backend
    this.#header = header
    this.#overrides = options.stateOverrides ?? []
    this.#limits = backend.calls.limits(caller, options.timeoutMs ?? backend.options.callTimeoutMs)
    if (options.stateOverrides === undefined) return
    const applied = this.#apply(this.#stored(), options.stateOverrides)
    if (!(applied instanceof Promise)) return
    this.#isOverridden = applied
    // The first execution, if any, throws the error.
    applied.catch(() => {})
  }

  #apply(state: MutableState, overrides: readonly AccountOverride[]): MaybePromise<void> {
    const precompiles = new PrecompileMoves(this.block.rules)
    const applied = applyStateOverrides(state, overrides, precompiles, () => {
      this.#slicer = this.#backend.calls.slicer()
      return { slicer: this.#slicer, signal: this.#limits.signal }
    })
    return mapMaybe(applied, () => {
      this.#overridden = state
      this.#moved = precompiles.moved
    })
  }

  /** Executes the call on this run's state; executions do not affect each other. */
  run(call: CallObject, run: RunOptions): CallOutcome | Promise<CallOutcome> {
    const outcome =
      this.#isOverridden === undefined ? this.#run(call, run) : this.#runOverridden(this.#isOverridden, call, run)
    const notes = run.isNoted === true ? this.#notes : undefined
    return notes === undefined ? outcome : mapMaybe(outcome, (ended) => this.#note(notes, call, run, ended))
  }

  #note(notes: CallNotes, call: CallObject, run: RunOptions, outcome: CallOutcome): CallOutcome {
    const trace = async (tracer: Tracer): Promise<void> => {
      const again = new CallSimulation(this.#backend, this.#options, NEVER_ABORTED)
      await again.run(call, { ...run, tracer })
    }
    notes.note({ call, outcome, header: this.#header, trace })
    return outcome
  }

  /** Copying a large state takes milliseconds, and a request may have many executions. */
  async #runOverridden(isOverridden: Promise<void>, call: CallObject, run: RunOptions): Promise<CallOutcome> {
    await isOverridden
    if (this.#slicer?.isDue === true) await this.#slicer.yield()
    return this.#run(call, run)
  }

  #run(call: CallObject, run: RunOptions): CallOutcome | Promise<CallOutcome> {
    const { options, calls } = this.#backend
    const prepared = prepareCall(call, this.block, options, run.chargesFees, run.gas)
    const state = this.#overridden?.fork() ?? this.#stored()
    if (!run.chargesFees && call.strict !== true && options.profile === 'besu') this.#lendValue(state, call)
    return calls.run({
      state,
      block: prepared.block,
      transaction:
        run.accessList === undefined ? prepared.transaction : { ...prepared.transaction, accessList: run.accessList },
      movedPrecompiles: this.#moved,
      collectAccessed: run.collectAccessed ?? false,
      transferLogs: false,
      limits: this.#limits,
      watchedAddress: run.isNoted === true ? this.#notes?.watchedAddress : undefined,
      ...(run.tracer === undefined ? {} : { tracer: run.tracer }),
    })
  }

  #stored(): MutableState {
    const state = this.#backend.states.mutable(this.#header)
    if (state === undefined) throw new NodeError({ code: 'CALL_STATE_UNAVAILABLE' }, 'historical state unavailable')
    return state
  }

  /**
   * A call that is not strict does not fail for lack of balance: the missing amount is added. A balance that the client
   * overrides is not changed.
   */
  #lendValue(state: MutableState, { from, value }: CallObject): void {
    if (value === undefined || value === 0n) return
    const sender = from ?? new Uint8Array(20)
    if (this.#overrides.some((entry) => entry.balance !== undefined && equalBytes(entry.address, sender))) return
    if ((state.getAccount(sender)?.balance ?? 0n) < value) state.setBalance(sender, value)
  }
}

/**
 * Traces of calls on top of a block. Unlike in eth_call, calls are validated like transactions: the caller must have
 * the value and the fee, and offer at least the base fee; only the nonce is not checked. In the profile `geth` a call
 * without a price is free.
 * @see docs/reference/debug-and-trace.md section 8
 * @module
 */

import { type BlockNumberOrTagOrHash, LATEST } from '../../../api/blockReference.ts'
import type { CallBackend } from '../../../api/calls/callSimulation.ts'
import type { CallLimits, CallObject, SimulatedBlock } from '../../../api/calls/contract.ts'
import { callBlock } from '../../../api/calls/environment.ts'
import { callChargesFees, prepareCall } from '../../../api/calls/prepareCall.ts'
import { requireHeader } from '../../../api/lookup.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { JsonWriter } from '../../../base/primitives/jsonWriter.ts'
import type { MutableState } from '../../../state/contract.ts'
import { type TraceTypes, TransactionTracer } from '../../../tracing/besu/transactionTracer.ts'
import type { RequestContext } from '../../method.ts'
import { StreamedResult } from '../../streamedResult.ts'

/** Error codes of all methods that trace a call. */
export const tracedCallErrors: readonly string[] = [
  'BLOCK_NOT_FOUND',
  'UNKNOWN_BLOCK',
  'JSON_RPC_NOT_CANONICAL_ERROR',
  'CALL_STATE_UNAVAILABLE',
  'TRACED_CALL_INVALID',
  'RESPONSE_TOO_LARGE',
  'EXECUTION_TIMEOUT',
  'EXECUTION_ABORTED',
  'EXECUTION_OUT_OF_MEMORY',
]

export interface TracedCall {
  readonly call: CallObject
  readonly types: TraceTypes
}

/** Writes the object of one call. */
export function traceOne(
  backend: CallBackend,
  reference: BlockNumberOrTagOrHash | undefined,
  traced: TracedCall,
  context: RequestContext,
): StreamedResult {
  const tracedCalls = new TracedCalls(backend, reference, context)
  return new StreamedResult((out) => tracedCalls.run(traced, tracedCalls.state(), out))
}

/** Writes a list of call objects; each call runs on the state that the preceding one leaves. */
export function traceMany(
  backend: CallBackend,
  reference: BlockNumberOrTagOrHash | undefined,
  calls: readonly TracedCall[],
  context: RequestContext,
): StreamedResult {
  const tracedCalls = new TracedCalls(backend, reference, context)
  return new StreamedResult(async (out) => {
    // One invalid call turns the whole answer into an error, which must be known before anything is sent.
    if (calls.length > 1) await tracedCalls.runAll(calls, undefined)
    out.ascii('[')
    await tracedCalls.runAll(calls, out)
    out.ascii(']')
  })
}

class TracedCalls {
  readonly #backend: CallBackend
  readonly #block: SimulatedBlock
  readonly #limits: CallLimits
  /** The first state; created early to check that it is available. */
  #state: MutableState | undefined
  readonly #newState: () => MutableState | undefined

  constructor(backend: CallBackend, reference: BlockNumberOrTagOrHash | undefined, context: RequestContext) {
    const header = requireHeader(backend.chain, reference ?? LATEST)
    this.#backend = backend
    this.#block = callBlock(backend, header, undefined)
    this.#limits = backend.calls.limits(context, backend.options.callTimeoutMs)
    this.#newState = () => backend.states.mutable(header)
    this.#state = this.#required()
  }

  /** Returns the state after the block; each run gets a separate one. */
  state(): MutableState {
    const state = this.#state ?? this.#required()
    this.#state = undefined
    return state
  }

  #required(): MutableState {
    const state = this.#newState()
    if (state === undefined) throw new NodeError({ code: 'CALL_STATE_UNAVAILABLE' }, 'historical state unavailable')
    return state
  }

  /** @param out undefined: nothing is traced */
  async runAll(calls: readonly TracedCall[], out: JsonWriter | undefined): Promise<void> {
    const state = this.state()
    const slicer = this.#backend.calls.slicer()
    for (const [i, traced] of calls.entries()) {
      if (i > 0) out?.ascii(',')
      await this.run(traced, state, out)
      if (out?.isFull === true) await out.drained()
      if (slicer?.isDue === true) await slicer.yield()
    }
  }

  async run({ call, types }: TracedCall, state: MutableState, out: JsonWriter | undefined): Promise<void> {
    const { calls, options } = this.#backend
    const chargesFees = options.profile === 'besu' || callChargesFees(call, this.#block)
    const { transaction, block } = prepareCall(call, this.#block, options, chargesFees)
    const outcome = await calls.run({
      state,
      block,
      transaction,
      movedPrecompiles: undefined,
      collectAccessed: false,
      transferLogs: false,
      limits: this.#limits,
      ...(out === undefined ? {} : { tracer: new TransactionTracer(out, types, undefined, options.markerTarget) }),
    })
    if (outcome.kind === 'executed') return
    throw new NodeError({ code: 'TRACED_CALL_INVALID' }, outcome.rejection.message)
  }
}

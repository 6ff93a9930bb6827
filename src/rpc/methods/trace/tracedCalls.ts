/**
 * Calls on top of a block, traced. Unlike those of eth_call they are checked as transactions are: who calls has to have the
 * value and the fee, and offers no less than the base fee; only the nonce is not looked at. In the profile `geth` a call that
 * names no price is free.
 * @see reference: debug-and-trace section 8
 * @module
 */

import { type BlockNumberOrTagOrHash, LATEST } from '../../../api/blockReference.ts'
import type { CallBackend } from '../../../api/calls/callRun.ts'
import type { CallLimits, CallObject, SimulatedBlock } from '../../../api/calls/contract.ts'
import { callBlock } from '../../../api/calls/environment.ts'
import { callChargesFees, prepareCall } from '../../../api/calls/prepareCall.ts'
import { requireHeader } from '../../../api/lookup.ts'
import { NodeError } from '../../../primitives/errors.ts'
import type { JsonWriter } from '../../../primitives/jsonWriter.ts'
import type { MutableState } from '../../../state/contract.ts'
import { type TraceTypes, TransactionTracer } from '../../../tracing/besu/transactionTracer.ts'
import type { RequestContext } from '../../method.ts'
import { StreamedResult } from '../../streamedResult.ts'

/** Codes of errors of all methods that trace a call. */
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

/** The object of one call. */
export function traceOne(
  backend: CallBackend,
  reference: BlockNumberOrTagOrHash | undefined,
  traced: TracedCall,
  context: RequestContext,
): StreamedResult {
  const session = new TracedCalls(backend, reference, context)
  return new StreamedResult((out) => session.run(traced, session.state(), out))
}

/** A list of the objects of calls, each on the state that the one before it has left. */
export function traceMany(
  backend: CallBackend,
  reference: BlockNumberOrTagOrHash | undefined,
  calls: readonly TracedCall[],
  context: RequestContext,
): StreamedResult {
  const session = new TracedCalls(backend, reference, context)
  return new StreamedResult(async (out) => {
    // One that is not valid makes all of it an error, which has to be known before anything is sent.
    if (calls.length > 1) await session.runAll(calls, undefined)
    out.ascii('[')
    await session.runAll(calls, out)
    out.ascii(']')
  })
}

class TracedCalls {
  readonly #backend: CallBackend
  readonly #block: SimulatedBlock
  readonly #limits: CallLimits
  /** The first one that is used; it was made to see that there is one. */
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

  /** After the block; of each run its own. */
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
      ...(out === undefined ? {} : { tracer: new TransactionTracer(out, types, undefined) }),
    })
    if (outcome.kind === 'executed') return
    throw new NodeError({ code: 'TRACED_CALL_INVALID' }, outcome.rejection.message)
  }
}

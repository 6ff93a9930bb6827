/**
 * Simulated calls and gas estimates.
 * @module
 */
import type { BlockNumberOrTagOrHash } from '../../api/blockReference.ts'
import type { CallObject } from '../../api/calls/contract.ts'
import { callFailure } from '../../api/calls/failure.ts'
import { estimateGas } from '../../api/calls/gasEstimate.ts'
import { callChargesFees } from '../../api/calls/prepareCall.ts'
import { unexpectedValue } from '../../api/errors.ts'
import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import type { GraphqlRequest } from '../graphqlRequest.ts'
import type { Omittable } from '../resolver.ts'

interface CallData {
  readonly from?: Omittable<Uint8Array>
  readonly to?: Omittable<Uint8Array>
  readonly gas?: Omittable<bigint>
  readonly gasPrice?: Omittable<bigint>
  readonly maxFeePerGas?: Omittable<bigint>
  readonly maxPriorityFeePerGas?: Omittable<bigint>
  readonly value?: Omittable<bigint>
  readonly data?: Omittable<Uint8Array>
}

export interface CallArgs {
  readonly data: CallData
}

export interface CallResult {
  readonly data: Uint8Array
  readonly gasUsed: bigint
  readonly status: number
}

function callObject(data: CallData): CallObject {
  const gas = data.gas ?? undefined
  if (gas !== undefined && gas < 0n) throw unexpectedValue('a non-negative integer', String(gas), 'gas')
  return {
    from: data.from ?? undefined,
    to: data.to ?? undefined,
    gas,
    gasPrice: data.gasPrice ?? undefined,
    maxPriorityFeePerGas: data.maxPriorityFeePerGas ?? undefined,
    maxFeePerGas: data.maxFeePerGas ?? undefined,
    maxFeePerBlobGas: undefined,
    value: data.value ?? undefined,
    data: data.data ?? EMPTY_BYTES,
    nonce: undefined,
    chainId: undefined,
    strict: undefined,
    accessList: undefined,
    blobVersionedHashes: undefined,
    authorizationList: undefined,
  }
}

/** A revert or a halt is a result; a call that is not a valid transaction is an error. */
export function runCall(request: GraphqlRequest, block: BlockNumberOrTagOrHash, args: CallArgs): Promise<CallResult> {
  const call = callObject(args.data)
  return request.execution(block, async (run) => {
    const outcome = await run.run(call, { chargesFees: callChargesFees(call, run.block) })
    if (outcome.kind === 'invalid') throw callFailure(outcome)
    const { result, gasUsed } = outcome
    return { data: result.output, gasUsed, status: result.outcome === 'success' ? 1 : 0 }
  })
}

export function runEstimate(request: GraphqlRequest, block: BlockNumberOrTagOrHash, args: CallArgs): Promise<bigint> {
  const call = callObject(args.data)
  return request.execution(block, (run) => estimateGas(run, call, request.backend.options))
}

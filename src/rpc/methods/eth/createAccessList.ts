import { LATEST } from '../../../api/blockReference.ts'
import { type CallBackend, CallSimulation } from '../../../api/calls/callSimulation.ts'
import type { CallObject, CallOutcome } from '../../../api/calls/contract.ts'
import { callFailure, requireSuccess } from '../../../api/calls/failure.ts'
import { gasWithReserve } from '../../../api/calls/gasEstimate.ts'
import { bytesToHex, compareBytes } from '../../../base/primitives/bytes.ts'
import type { AccessList } from '../../../types/transaction.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { genericTransaction } from '../../codecs/callObject.ts'
import { type AccessListResult, accessListResult } from '../../codecs/fees.ts'
import { stateOverrides } from '../../codecs/overrides.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { callErrors } from '../support/callErrors.ts'
import { CALL_BLOCK, LISTED_CALL, STATE_OVERRIDES } from '../support/parameterTexts.ts'

type Executed = Extract<CallOutcome, { readonly kind: 'executed' }>

export const createAccessList: MethodDefinition<CallBackend> = defineMethod({
  name: 'eth_createAccessList',
  group: 'ETH',
  answeredBy: 'main if dev',
  summary: 'Access list (EIP-2930) of a call, even of a failing one, and the gas used with this list.',
  params: [
    param('call', genericTransaction, LISTED_CALL),
    optional('block', blockNumberOrTagOrHash, CALL_BLOCK),
    optional('stateOverrides', stateOverrides, STATE_OVERRIDES),
  ],
  result: result('accessList', accessListResult),
  errors: callErrors,
  handler: async (backend: CallBackend, [call, block, state], context): Promise<AccessListResult> => {
    const options = { block: block ?? LATEST, stateOverrides: state, blockOverrides: undefined }
    const simulation = new CallSimulation(backend, options, context)
    const isGeth = backend.options.profile === 'geth'
    const run = await runWithOwnList(simulation, call, isGeth ? undefined : simulation.block.environment.gasLimit)
    return {
      accessList: run.list,
      gasUsed: isGeth ? run.outcome.gasUsed : gasWithReserve(run.outcome, simulation.block),
      error: callFailure(run.outcome)?.message,
    }
  },
})

interface ListedExecution {
  readonly outcome: Executed
  readonly list: AccessList
}

/** Runs the call, and a second time with the resulting access list if that differs from the given one. */
async function runWithOwnList(
  simulation: CallSimulation,
  call: CallObject,
  gas: bigint | undefined,
): Promise<ListedExecution> {
  const run = async (accessList: AccessList): Promise<ListedExecution> => {
    const options = { chargesFees: call.strict === true, accessList, collectAccessed: true }
    const outcome = await simulation.run(call, gas === undefined ? options : { ...options, gas })
    const executed = outcome.kind === 'executed' ? outcome : requireSuccess(outcome)
    return { outcome: executed, list: storageList(executed.result.accessed ?? []) }
  }
  const supplied = call.accessList ?? []
  const first = await run(supplied)
  return first.list.length === 0 || sameList(first.list, supplied) ? first : run(first.list)
}

/** Keeps only addresses with slots: listing others does not save gas. */
function storageList(accessed: AccessList): AccessList {
  return accessed
    .filter((entry) => entry.storageKeys.length > 0)
    .map((entry) => ({ address: entry.address, storageKeys: [...entry.storageKeys].sort(compareBytes) }))
    .sort((a, b) => compareBytes(a.address, b.address))
}

function sameList(a: AccessList, b: AccessList): boolean {
  return listKey(a) === listKey(storageList(b))
}

function listKey(list: AccessList): string {
  return list.map((entry) => [entry.address, ...entry.storageKeys].map(bytesToHex).join()).join('|')
}

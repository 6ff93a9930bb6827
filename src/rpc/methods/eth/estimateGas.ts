import { LATEST } from '../../../api/blockReference.ts'
import { type CallBackend, CallSimulation } from '../../../api/calls/callSimulation.ts'
import { estimateGas as estimate } from '../../../api/calls/gasEstimate.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { genericTransaction } from '../../codecs/callObject.ts'
import { blockOverrides, stateOverrides } from '../../codecs/overrides.ts'
import { uint } from '../../codecs/scalars.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { callErrors } from '../support/callErrors.ts'
import { BLOCK_OVERRIDES, CALL_BLOCK, ESTIMATED_CALL, STATE_OVERRIDES } from '../support/parameterTexts.ts'

export const estimateGas: MethodDefinition<CallBackend> = defineMethod({
  name: 'eth_estimateGas',
  group: 'ETH',
  summary: 'Gas limit with which a transaction would succeed.',
  params: [
    param('call', genericTransaction, ESTIMATED_CALL),
    optional('block', blockNumberOrTagOrHash, CALL_BLOCK),
    optional('stateOverrides', stateOverrides, STATE_OVERRIDES),
    optional('blockOverrides', blockOverrides, BLOCK_OVERRIDES),
  ],
  result: result('gas', uint),
  errors: callErrors,
  handler: (backend: CallBackend, [transaction, block, state, blockOverride], context) => {
    const options = { block: block ?? LATEST, stateOverrides: state, blockOverrides: blockOverride }
    return estimate(new CallSimulation(backend, options, context), transaction, backend.options)
  },
})

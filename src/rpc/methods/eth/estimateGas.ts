import { type CallBackend, CallSimulation } from '../../../api/calls/callSimulation.ts'
import { estimateGas as estimate } from '../../../api/calls/gasEstimate.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { genericTransaction } from '../../codecs/callObject.ts'
import { blockOverrides as blockOverridesCodec, stateOverrides } from '../../codecs/overrides.ts'
import { uint } from '../../codecs/scalars.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { callErrors } from '../support/callErrors.ts'
import { type EstimateBackend, estimatedBlock } from '../support/nextBlock.ts'
import { BLOCK_OVERRIDES, ESTIMATE_BLOCK, ESTIMATED_CALL, STATE_OVERRIDES } from '../support/parameterTexts.ts'

type Backend = CallBackend & EstimateBackend

export const estimateGas: MethodDefinition<Backend> = defineMethod({
  name: 'eth_estimateGas',
  group: 'ETH',
  answeredBy: 'main if dev',
  summary: 'Gas limit with which a transaction would succeed.',
  params: [
    param('call', genericTransaction, ESTIMATED_CALL),
    optional('block', blockNumberOrTagOrHash, ESTIMATE_BLOCK),
    optional('stateOverrides', stateOverrides, STATE_OVERRIDES),
    optional('blockOverrides', blockOverridesCodec, BLOCK_OVERRIDES),
  ],
  result: result('gas', uint),
  errors: callErrors,
  handler: (backend: Backend, [transaction, block, state, blockOverrides], context) => {
    const base = block === undefined ? estimatedBlock(backend, blockOverrides) : { block, blockOverrides }
    const options = { ...base, stateOverrides: state }
    return estimate(new CallSimulation(backend, options, context), transaction, backend.options)
  },
})

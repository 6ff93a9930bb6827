import { LATEST } from '../../../api/blockReference.ts'
import { type CallBackend, CallSimulation } from '../../../api/calls/callSimulation.ts'
import { requireSuccess } from '../../../api/calls/failure.ts'
import { callChargesFees } from '../../../api/calls/prepareCall.ts'
import { unexpectedValue } from '../../../api/errors.ts'
import type { MirrorBackend } from '../../../api/mirrorAccess.ts'
import { mapMaybe } from '../../../base/primitives/maybePromise.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { genericTransaction } from '../../codecs/callObject.ts'
import { blockOverrides, stateOverrides } from '../../codecs/overrides.ts'
import { data } from '../../codecs/scalars.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { callErrors } from '../support/callErrors.ts'
import { BLOCK_OVERRIDES, CALL, CALL_BLOCK, STATE_OVERRIDES } from '../support/parameterTexts.ts'

export const call: MethodDefinition<CallBackend & MirrorBackend> = defineMethod({
  name: 'eth_call',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Output of a call on top of a block, without a transaction.',
  params: [
    param('call', genericTransaction, CALL),
    optional('block', blockNumberOrTagOrHash, `${CALL_BLOCK} The profile \`besu\` requires it.`),
    optional('stateOverrides', stateOverrides, STATE_OVERRIDES),
    optional('blockOverrides', blockOverrides, BLOCK_OVERRIDES),
  ],
  result: result('output', data),
  errors: callErrors,
  handler: (backend: CallBackend & MirrorBackend, [transaction, block, state, blockOverride], context) => {
    if (block === undefined && backend.options.profile === 'besu') throw unexpectedValue('a block', 'nothing', 'block')
    backend.mirror?.noteCall?.(transaction, backend)
    const options = { block: block ?? LATEST, stateOverrides: state, blockOverrides: blockOverride }
    const run = new CallSimulation(backend, options, context)
    const chargesFees = callChargesFees(transaction, run.block)
    return mapMaybe(
      run.run(transaction, { chargesFees, isNoted: true }),
      (outcome) => requireSuccess(outcome).result.output,
    )
  },
})

import { LATEST } from '../../../api/blockReference.ts'
import type { CallBackend } from '../../../api/calls/callSimulation.ts'
import { requireHeader } from '../../../api/lookup.ts'
import { BlockSimulation } from '../../../api/simulate/blockSimulation.ts'
import type { SimulatedBlockView } from '../../../api/simulate/contract.ts'
import { placeBlocks } from '../../../api/simulate/sequence.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { simulatedBlocks, simulatePayload } from '../../codecs/simulate.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { callErrors } from '../support/callErrors.ts'
import { CALL_BLOCK } from '../support/parameterTexts.ts'

export const simulateV1: MethodDefinition<CallBackend> = defineMethod({
  name: 'eth_simulateV1',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Executes calls in simulated blocks on top of a block, with overrides of state and blocks.',
  params: [
    param(
      'payload',
      simulatePayload,
      '`blockStateCalls`: blocks with their `calls`, `stateOverrides` and `blockOverrides`. `validation`: check nonces and fees. `traceTransfers`: log transfers of ether. `returnFullTransactions`: whole transactions.',
    ),
    optional('block', blockNumberOrTagOrHash, CALL_BLOCK),
  ],
  result: result('blocks', simulatedBlocks),
  errors: [
    ...callErrors,
    'SIMULATION_NONCE_TOO_LOW',
    'SIMULATION_NONCE_TOO_HIGH',
    'SIMULATION_BASE_FEE_TOO_LOW',
    'SIMULATION_INTRINSIC_GAS',
    'SIMULATION_INSUFFICIENT_FUNDS',
    'SIMULATION_BLOCK_GAS_LIMIT',
    'SIMULATION_BLOCK_NUMBER',
    'SIMULATION_BLOCK_TIMESTAMP',
    'SIMULATION_SENDER_NOT_EOA',
    'SIMULATION_INIT_CODE_SIZE',
    'SIMULATION_TOO_LARGE',
    'SIMULATION_INVALID_TRANSACTION',
  ],
  handler: async (backend: CallBackend, [payload, block], context) => {
    const base = requireHeader(backend.chain, block ?? LATEST, backend.pending)
    const placed = placeBlocks(base.header, payload.blockStateCalls)
    const limits = backend.calls.limits(context, backend.options.callTimeoutMs)
    const simulation = new BlockSimulation(backend, payload, base, limits)
    const views: SimulatedBlockView[] = []
    for (const next of placed) views.push(await simulation.run(next))
    return views
  },
})

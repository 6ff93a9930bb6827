import { transactionSummary } from '../../../api/contracts/summary.ts'
import type { SummaryBackend } from '../../../api/contracts/summaryView.ts'
import type { DevChain } from '../../../dev/contract.ts'
import { summary as summaryCodec } from '../../codecs/contracts.ts'
import { hash32 } from '../../codecs/scalars.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { TRANSACTION_HASH } from '../support/parameterTexts.ts'

interface Backend extends SummaryBackend {
  readonly dev: Pick<DevChain, 'mining' | 'block'> | undefined
}

export const summary: MethodDefinition<Backend> = defineMethod({
  name: 'isonode_summary',
  group: 'ISONODE',
  summary:
    'A transaction explained: one sentence, the decoded call, error and logs, the functions that led to a failure (the failed ' +
    'one first), transfers, changes of the state and texts of `console.log`; for one in the pool, what it waits for. The ' +
    'transaction is executed again. `isCut`: more than 10,000 logs, 1,000 transfers, slots, accounts or texts are left out.',
  params: [param('hash', hash32, TRANSACTION_HASH)],
  result: result('summary', summaryCodec),
  errors: ['EXECUTION_ABORTED', 'STATE_PRUNED'],
  handler: (backend: Backend, [hash], context) => {
    const { dev } = backend
    const outlook = dev && { sealing: dev.mining, nextBaseFee: dev.block.baseFee }
    return transactionSummary(backend, hash, outlook, context)
  },
})

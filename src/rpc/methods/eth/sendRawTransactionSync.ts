import { type ReceiptWaitBackend, waitForReceipt } from '../../../api/feeds/receiptWait.ts'
import type { DevChain } from '../../../dev/contract.ts'
import type { TransactionSubmission } from '../../../txpool/submission.ts'
import { receipt } from '../../codecs/receipt.ts'
import { data, uint64 } from '../../codecs/scalars.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { OUTCOME_ERRORS, successOf } from '../support/minedOutcome.ts'
import { RAW_TRANSACTION, RECEIPT_WAIT } from '../support/parameterTexts.ts'
import { acceptedHash } from '../support/submissionErrors.ts'
import { SUBMISSION_ERRORS } from './sendRawTransaction.ts'

interface Backend extends ReceiptWaitBackend {
  readonly submission: TransactionSubmission
  readonly dev: DevChain | undefined
}

export const sendRawTransactionSync: MethodDefinition<Backend> = defineMethod({
  name: 'eth_sendRawTransactionSync',
  group: 'ETH',
  answeredBy: 'main',
  summary: 'As eth_sendRawTransaction, but waits until the transaction is mined and returns its receipt (EIP-7966).',
  params: [param('transaction', data, RAW_TRANSACTION), optional('timeout', uint64, RECEIPT_WAIT)],
  result: result('receipt', receipt),
  errors: [...SUBMISSION_ERRORS, ...OUTCOME_ERRORS, 'RECEIPT_WAIT_EXPIRED', 'TIMEOUT'],
  handler: async (backend: Backend, [raw, timeout], context) => {
    const hash = acceptedHash(await backend.submission.submitRaw(raw))
    const mined = await waitForReceipt(backend, hash, timeout === undefined ? undefined : Number(timeout), context)
    successOf(backend.dev, hash)
    return mined
  },
})

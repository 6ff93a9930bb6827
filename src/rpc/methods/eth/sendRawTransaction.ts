import type { TransactionSubmission } from '../../backend.ts'
import { data, hash32 } from '../../codecs/scalars.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'

/** What a transaction may be refused with on its way into the pool. @see eth-objects.md section 11 */
export const SUBMISSION_ERRORS: readonly string[] = [
  'TX_FEECAP_EXCEEDED',
  'GAS_PRICE_TOO_LOW',
  'WRONG_CHAIN_ID',
  'REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED',
  'REPLAY_PROTECTED_SIGNATURE_REQUIRED',
  'INVALID_TRANSACTION_SIGNATURE',
  'MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS',
  'INTRINSIC_GAS_EXCEEDS_LIMIT',
  'EXCEEDS_BLOCK_GAS_LIMIT',
  'CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE',
  'TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE',
  'NONCE_TOO_LOW',
  'TX_SENDER_NOT_AUTHORIZED',
  'TRANSACTION_ALREADY_KNOWN',
  'NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER',
  'TRANSACTION_REPLACEMENT_UNDERPRICED',
]

interface Backend {
  readonly submission: TransactionSubmission
}

export const sendRawTransaction: MethodDefinition<Backend> = defineMethod({
  name: 'eth_sendRawTransaction',
  group: 'ETH',
  summary: 'Gives a signed transaction to the node.',
  params: [param('transaction', data)],
  exactParams: true,
  result: result('hash', hash32),
  errors: SUBMISSION_ERRORS,
  handler: ({ submission }: Backend, [raw]) => submission.submitRaw(raw),
})

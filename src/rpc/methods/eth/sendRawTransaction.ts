import type { DevChain } from '../../../dev/contract.ts'
import type { AdmissionErrorCode } from '../../../txpool/admission.ts'
import type { TransactionSubmission } from '../../../txpool/submission.ts'
import { data, hash32 } from '../../codecs/scalars.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { OUTCOME_ERRORS, successOf } from '../support/minedOutcome.ts'
import { RAW_TRANSACTION } from '../support/parameterTexts.ts'
import { acceptedHash } from '../support/submissionErrors.ts'

/** The type ensures that every refusal code of the pool has a row. */
const ADMISSION_ERRORS = {
  UNSUPPORTED_TRANSACTION_TYPE: true,
  WRONG_CHAIN_ID: true,
  REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED: true,
  INVALID_TRANSACTION_SIGNATURE: true,
  NONCE_TOO_HIGH: true,
  MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS: true,
  TRANSACTION_FEE_OVERFLOW: true,
  INTRINSIC_GAS_EXCEEDS_LIMIT: true,
  TRANSACTION_GAS_LIMIT_TOO_HIGH: true,
  INIT_CODE_TOO_LARGE: true,
  INVALID_BLOB_TRANSACTION: true,
  EMPTY_AUTHORIZATION_LIST: true,
  TX_FEECAP_EXCEEDED: true,
  GAS_PRICE_TOO_LOW: true,
  NONCE_OVERFLOW: true,
  MISSING_BLOB_SIDECAR: true,
  INVALID_BLOB_SIDECAR: true,
  REPLAY_PROTECTED_SIGNATURE_REQUIRED: true,
  EXCEEDS_BLOCK_GAS_LIMIT: true,
  CHAIN_HEAD_WORLD_STATE_NOT_AVAILABLE: true,
  TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE: true,
  NONCE_TOO_LOW: true,
  TX_SENDER_NOT_AUTHORIZED: true,
  TRANSACTION_ALREADY_KNOWN: true,
  LOWER_NONCE_INVALID_TRANSACTION_EXISTS: true,
  NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER: true,
  TRANSACTION_REPLACEMENT_UNDERPRICED: true,
  TRANSACTION_POOL_FULL: true,
} satisfies Record<AdmissionErrorCode, true>

/** Error codes of refusals by decoding, validation and the pool. @see docs/reference/eth-objects.md section 11 */
export const SUBMISSION_ERRORS: readonly string[] = [
  ...Object.keys(ADMISSION_ERRORS),
  'UNDECODABLE_TRANSACTION',
  'READ_ONLY_NODE',
]

interface Backend {
  readonly submission: TransactionSubmission
  readonly dev: DevChain | undefined
}

export const sendRawTransaction: MethodDefinition<Backend> = defineMethod({
  name: 'eth_sendRawTransaction',
  group: 'ETH',
  answeredBy: 'main',
  summary: 'Submits a signed transaction.',
  params: [param('transaction', data, RAW_TRANSACTION)],
  exactParams: true,
  result: result('hash', hash32),
  errors: [...SUBMISSION_ERRORS, ...OUTCOME_ERRORS],
  handler: ({ submission, dev }: Backend, [raw]) =>
    submission.submitRaw(raw).then((verdict) => successOf(dev, acceptedHash(verdict))),
})

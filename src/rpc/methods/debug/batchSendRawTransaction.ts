import type { ApiOptions } from '../../../api/options.ts'
import type { RpcProfile } from '../../../api/profile.ts'
import type { SubmissionRefusal, TransactionSubmission } from '../../../txpool/submission.ts'
import { data, ignored, json } from '../../codecs/scalars.ts'
import { BYTES } from '../../codecs/schemas.ts'
import { INTERNAL_ERROR, toRpcError } from '../../errors.ts'
import { defineMethod, type MethodDefinition, optional, result } from '../../method.ts'
import { RAW_TRANSACTION } from '../support/parameterTexts.ts'
import { refusalCode, refusalError } from '../support/submissionErrors.ts'

interface Backend {
  readonly submission: TransactionSubmission
  readonly options: ApiOptions
}

interface BatchEntry {
  readonly index: number
  readonly success: boolean
  readonly errorMessage?: string
}

/** Reasons whose names differ between Besu and the error table. */
const BESU_NAMES: Readonly<Record<string, string>> = {
  TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE: 'UPFRONT_COST_EXCEEDS_BALANCE',
  INTRINSIC_GAS_EXCEEDS_LIMIT: 'INTRINSIC_GAS_EXCEEDS_GAS_LIMIT',
  INVALID_TRANSACTION_SIGNATURE: 'INVALID_SIGNATURE',
  INIT_CODE_TOO_LARGE: 'INITCODE_TOO_LARGE',
  TRANSACTION_GAS_LIMIT_TOO_HIGH: 'EXCEEDS_PER_TRANSACTION_GAS_LIMIT',
  DATA_GAS_TOO_HIGH: 'TOTAL_DATA_GAS_TOO_HIGH',
  UNSUPPORTED_TRANSACTION_TYPE: 'INVALID_TRANSACTION_FORMAT',
}

const BATCH_ENTRIES = {
  type: 'array',
  items: {
    title: 'BatchEntry',
    type: 'object',
    properties: { index: { type: 'integer' }, success: { type: 'boolean' }, errorMessage: { type: 'string' } },
    required: ['index', 'success'],
  },
}

export const batchSendRawTransaction: MethodDefinition<Backend> = defineMethod({
  name: 'debug_batchSendRawTransaction',
  group: 'DEBUG',
  answeredBy: 'main',
  summary: 'Submits signed transactions in order, one per parameter; continues after a refused one.',
  params: [optional('transaction', { ...ignored, schema: BYTES }, RAW_TRANSACTION)],
  repeatsParam: true,
  errors: ['READ_ONLY_NODE'],
  result: result('outcomes', json<readonly BatchEntry[]>(BATCH_ENTRIES)),
  handler: async ({ submission, options }: Backend, transactions: readonly unknown[], { signal }) => {
    const outcomes: BatchEntry[] = []
    for (const [index, raw] of transactions.entries()) {
      if (signal?.aborted === true) break
      const errorMessage = await submitOne(submission, raw, options.profile)
      outcomes.push(errorMessage === undefined ? { index, success: true } : { index, success: false, errorMessage })
    }
    return outcomes
  },
})

/** @returns the reason of the refusal */
async function submitOne(
  submission: TransactionSubmission,
  raw: unknown,
  profile: RpcProfile,
): Promise<string | undefined> {
  let bytes: Uint8Array
  try {
    bytes = data.parse(raw)
  } catch {
    return 'Invalid raw transaction hex'
  }
  const verdict = await submission.submitRaw(bytes)
  if (verdict.kind === 'accepted') return undefined
  return decodingError(verdict) ?? rejection(verdict, profile)
}

/** @returns undefined when the transaction could be decoded */
function decodingError(refusal: SubmissionRefusal): string | undefined {
  const code = refusalCode(refusal)
  if (code === 'INVALID_PARAMS') return 'Invalid RLP in raw transaction hex'
  if (refusal.kind !== 'undecodable' || code !== 'UNDECODABLE_TRANSACTION') return undefined
  const { v } = refusal.error
  return v === undefined ? 'Invalid RLP in raw transaction hex' : `An unsupported encoded \`v\` value of ${v} was found`
}

/** Besu returns the name of the reason; go-ethereum's clients match its message. */
function rejection(refusal: SubmissionRefusal, profile: RpcProfile): string {
  const code = refusalCode(refusal)
  if (profile === 'besu') return BESU_NAMES[code] ?? code
  return (toRpcError(refusalError(refusal), profile) ?? INTERNAL_ERROR).message
}

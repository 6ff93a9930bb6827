import { isNodeError } from '../../../primitives/errors.ts'
import type { RpcOptions, TransactionSubmission } from '../../backend.ts'
import { data, ignored, json } from '../../codecs/scalars.ts'
import { BYTES } from '../../codecs/schemas.ts'
import { INTERNAL_ERROR, toRpcError } from '../../errors.ts'
import { defineMethod, type MethodDefinition, optional, result } from '../../method.ts'
import type { RpcProfile } from '../../profile.ts'

interface Backend {
  readonly submission: TransactionSubmission
  readonly options: RpcOptions
}

interface BatchEntry {
  readonly index: number
  readonly success: boolean
  readonly errorMessage?: string
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
  summary: 'Gives signed transactions to the node, each a parameter, in their order; a refused one does not stop it.',
  params: [optional('transaction', { ...ignored, schema: BYTES })],
  repeatsParam: true,
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

/** @returns why it was refused */
async function submitOne(
  submission: TransactionSubmission,
  raw: unknown,
  profile: RpcProfile,
): Promise<string | undefined> {
  try {
    await submission.submitRaw(data.parse(raw))
    return undefined
  } catch (error) {
    if (!isNodeError(error)) throw error
    const { code, message } = toRpcError(error, profile) ?? INTERNAL_ERROR
    return code === -32602 ? 'Invalid raw transaction hex' : message
  }
}

/**
 * The parameter of wallet_sendCalls.
 * @see EIP-5792
 * @module
 */
import { invalidParams, unexpectedValue } from '../../../api/errors.ts'
import { MAX_BATCH_CALLS, MAX_BATCH_ID_LENGTH } from '../../../base/limits/limits.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { described } from '../../../base/primitives/printable.ts'
import { boolean } from '../../codecs/scalars.ts'
import { asObject, isObject, type JsonObject, member, parameterCodec } from '../../codecs/support.ts'
import type { Codec } from '../../method.ts'
import { account, number256 } from './codecs.ts'
import { type TransactionRequest, transactionRequest } from './transactionRequest.ts'

export interface Batch {
  readonly id: string | undefined
  readonly chainId: bigint
  readonly mustBeAtomic: boolean
  readonly from: Uint8Array | undefined
  readonly calls: readonly TransactionRequest[]
  /** Capabilities of the batch and its calls without which it must not be executed. */
  readonly needed: readonly string[]
}

/** Of EIP-5792. */
export const VERSION = '2.0.0'

const text: Codec<string> = parameterCodec({ type: 'string' }, (value) => {
  if (typeof value === 'string') return value
  throw unexpectedValue('a text', described(value))
})

export const batchId: Codec<string> = parameterCodec({ type: 'string', maxLength: MAX_BATCH_ID_LENGTH }, (value) => {
  const id = text.parse(value)
  if (id.length > 0 && id.length <= MAX_BATCH_ID_LENGTH) return id
  throw unexpectedValue(`a text of 1 to ${MAX_BATCH_ID_LENGTH} characters`, `${id.length} characters`)
})

export const batch: Codec<Batch> = parameterCodec(
  {
    title: 'CallBatch',
    type: 'object',
    properties: {
      version: { type: 'string' },
      id: batchId.schema,
      chainId: number256.schema,
      from: account.schema,
      atomicRequired: { type: 'boolean' },
      calls: { type: 'array', items: { type: 'object' } },
      capabilities: { type: 'object' },
    },
    required: ['version', 'chainId', 'atomicRequired', 'calls'],
  },
  (value, profile) => {
    const fields = asObject(value, 'batch')
    const version = required(fields, 'version', text)
    if (version !== VERSION)
      throw invalidParams('version: not supported', { expected: VERSION, got: described(version) })
    const { calls } = fields
    if (!Array.isArray(calls) || calls.length === 0)
      throw unexpectedValue('an array of calls', described(calls), 'calls')
    if (calls.length > MAX_BATCH_CALLS) {
      throw new NodeError(
        { code: 'CALL_BATCH_TOO_LARGE' },
        `a batch has at most ${MAX_BATCH_CALLS} calls, not ${calls.length}`,
      )
    }
    const { from } = fields
    const requests = calls.map((call: unknown, i) => {
      const { to, data, value: amount } = asObject(call, `calls[${i}]`)
      return transactionRequest.parse({ from, to, data, value: amount }, profile)
    })
    return {
      id: member(fields, 'id', batchId),
      chainId: required(fields, 'chainId', number256),
      mustBeAtomic: required(fields, 'atomicRequired', boolean),
      from: requests[0]?.from,
      calls: requests,
      needed: [fields, ...(calls as JsonObject[])].flatMap(neededCapabilities),
    }
  },
)

function required<T>(fields: JsonObject, name: string, codec: Codec<T>): T {
  const value = member(fields, name, codec)
  if (value === undefined) throw unexpectedValue('a value', 'nothing', name)
  return value
}

function neededCapabilities({ capabilities }: JsonObject): readonly string[] {
  if (!isObject(capabilities)) return []
  const isNeeded = ([, value]: [string, unknown]): boolean => !(isObject(value) && value['optional'] === true)
  return Object.entries(capabilities)
    .filter(isNeeded)
    .map(([name]) => name)
}

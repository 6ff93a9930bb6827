/**
 * Streamed answers of trace_*.
 * @module
 */
import { json } from '../../codecs/scalars.ts'
import type { Codec, JsonSchema } from '../../method.ts'
import type { StreamedResult } from '../../streamedResult.ts'

const ENTRY: JsonSchema = {
  title: 'FlatTrace',
  type: 'object',
  properties: {
    action: { type: 'object' },
    blockHash: { type: 'string' },
    blockNumber: { type: 'integer' },
    result: { type: ['object', 'null'] },
    error: { type: 'string' },
    revertReason: { type: 'string' },
    subtraces: { type: 'integer' },
    traceAddress: { type: 'array', items: { type: 'integer' } },
    transactionHash: { type: ['string', 'null'] },
    transactionPosition: { type: ['integer', 'null'] },
    type: { type: 'string', enum: ['call', 'create', 'suicide', 'reward'] },
  },
  required: ['action', 'subtraces', 'traceAddress', 'type'],
}

const TRANSACTION_TRACE: JsonSchema = {
  title: 'TransactionTrace',
  type: 'object',
  properties: {
    output: { type: 'string' },
    revertReason: { type: 'string' },
    stateDiff: { type: ['object', 'null'] },
    trace: { type: 'array', items: ENTRY },
    transactionHash: { type: 'string' },
    vmTrace: { type: ['object', 'null'] },
  },
  required: ['output', 'stateDiff', 'trace', 'vmTrace'],
}

const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
const orNull = (schema: JsonSchema): JsonSchema => ({ oneOf: [{ type: 'null' }, schema] })

export const flatTraces: Codec<StreamedResult | readonly never[]> = json(listOf(ENTRY))
export const flatTracesOrNull: Codec<StreamedResult | readonly never[] | null> = json(orNull(listOf(ENTRY)))
export const flatTraceOrNull: Codec<StreamedResult | null> = json(orNull(ENTRY))
export const transactionTrace: Codec<StreamedResult> = json(TRANSACTION_TRACE)
export const transactionTraceOrNull: Codec<StreamedResult | null> = json(orNull(TRANSACTION_TRACE))
export const transactionTraces: Codec<StreamedResult> = json(listOf(TRANSACTION_TRACE))
export const transactionTracesOrNull: Codec<StreamedResult | readonly never[] | null> = json(
  orNull(listOf(TRANSACTION_TRACE)),
)

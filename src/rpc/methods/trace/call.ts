import type { CallBackend } from '../../../api/calls/callSimulation.ts'
import type { CallObject } from '../../../api/calls/contract.ts'
import { invalidParams, unexpectedValue } from '../../../api/errors.ts'
import { isNodeError } from '../../../base/primitives/errors.ts'
import { described } from '../../../base/primitives/printable.ts'
import { decodePooledTransaction } from '../../../types/blobSidecar.ts'
import type { Transaction } from '../../../types/transaction.ts'
import { transactionSender } from '../../../types/transactionCodec.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { genericTransaction } from '../../codecs/callObject.ts'
import { data } from '../../codecs/scalars.ts'
import { arrayOf, parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { CALL_BLOCK, TRACE_TYPES, TRACED_CALL } from '../support/parameterTexts.ts'
import { transactionTrace, transactionTraces } from './results.ts'
import { type TracedCall, tracedCallErrors, traceMany, traceOne } from './tracedCalls.ts'
import { traceTypes } from './traceTypes.ts'

export const traceCall: MethodDefinition<CallBackend> = defineMethod({
  name: 'trace_call',
  group: 'TRACE',
  summary: 'Executes a call on top of a block as a transaction that pays fees: its output and the requested traces.',
  params: [
    param('call', genericTransaction, TRACED_CALL),
    param('traceTypes', traceTypes, TRACE_TYPES),
    optional('block', blockNumberOrTagOrHash, CALL_BLOCK),
  ],
  result: result('trace', transactionTrace),
  errors: tracedCallErrors,
  isHeavy: true,
  handler: (backend: CallBackend, [call, types, block], context) => traceOne(backend, block, { call, types }, context),
})

const tracedCall: Codec<TracedCall> = parameterCodec(
  { type: 'array', prefixItems: [genericTransaction.schema, traceTypes.schema], minItems: 2, maxItems: 2 },
  (value, profile) => {
    if (!Array.isArray(value) || value.length !== 2) {
      throw unexpectedValue('a pair of call and trace types', described(value))
    }
    return { call: genericTransaction.parse(value[0], profile), types: traceTypes.parse(value[1]) }
  },
)

export const traceCallMany: MethodDefinition<CallBackend> = defineMethod({
  name: 'trace_callMany',
  group: 'TRACE',
  summary:
    'Executes calls on top of a block, each on the state after the preceding one: outputs and the requested traces.',
  params: [
    param(
      'calls',
      arrayOf(tracedCall),
      'Pairs of a call and its list of trace types. Each call runs on the state after the one before it.',
    ),
    optional('block', blockNumberOrTagOrHash, CALL_BLOCK),
  ],
  result: result('traces', transactionTraces),
  errors: tracedCallErrors,
  isHeavy: true,
  handler: (backend: CallBackend, [calls, block], context) => traceMany(backend, block, calls, context),
})

export const traceRawTransaction: MethodDefinition<CallBackend> = defineMethod({
  name: 'trace_rawTransaction',
  group: 'TRACE',
  summary:
    'Executes a signed transaction on top of the head without submitting it. Its nonce and chain id are not checked.',
  params: [
    param('transaction', data, 'Signed transaction: RLP, or type and payload of EIP-2718.'),
    param('traceTypes', traceTypes, TRACE_TYPES),
  ],
  exactParams: true,
  result: result('trace', transactionTrace),
  errors: tracedCallErrors,
  isHeavy: true,
  handler: (backend: CallBackend, [raw, types], context) =>
    traceOne(backend, undefined, { call: callOf(decoded(raw)), types }, context),
})

function decoded(raw: Uint8Array): Transaction {
  try {
    return decodePooledTransaction(raw).transaction
  } catch (error) {
    if (!isNodeError(error)) throw error
    throw invalidParams(error.message)
  }
}

function callOf(transaction: Transaction): CallObject {
  const from = transactionSender(transaction)
  if (from === undefined) throw invalidParams('the transaction has no valid signature')
  const { type, to, value, data: input, gasLimit, nonce, chainId } = transaction
  const paysOnePrice = type === 0 || type === 1
  return {
    from,
    to,
    value,
    data: input,
    gas: gasLimit,
    nonce,
    chainId,
    gasPrice: paysOnePrice ? transaction.gasPrice : undefined,
    maxFeePerGas: paysOnePrice ? undefined : transaction.maxFeePerGas,
    maxPriorityFeePerGas: paysOnePrice ? undefined : transaction.maxPriorityFeePerGas,
    maxFeePerBlobGas: type === 3 ? transaction.maxFeePerBlobGas : undefined,
    strict: undefined,
    accessList: type === 0 ? undefined : transaction.accessList,
    blobVersionedHashes: type === 3 ? transaction.blobVersionedHashes : undefined,
    authorizationList: type === 4 ? transaction.authorizationList : undefined,
  }
}

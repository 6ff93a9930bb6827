import { transactionHash } from '../../../types/transactionCodec.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { fillIn, type MakerBackend } from '../dev/makeTransaction.ts'
import { MAKING_ERRORS, signedTransaction } from '../dev/sendTransaction.ts'
import { transactionRequest } from '../dev/transactionRequest.ts'
import { TRANSACTION_REQUEST } from '../support/parameterTexts.ts'

const ZERO_ADDRESS = new Uint8Array(20)

export const fillTransaction: MethodDefinition<MakerBackend> = defineMethod({
  name: 'eth_fillTransaction',
  group: 'ETH',
  answeredBy: 'main',
  summary:
    'The transaction of a request with nonce, gas and fees filled in and an empty signature, as JSON and encoded; ' +
    'nothing is signed or submitted. Without a sender: the first account of the node, or else the zero address.',
  params: [param('transaction', transactionRequest, TRANSACTION_REQUEST)],
  result: result('transaction', signedTransaction),
  errors: MAKING_ERRORS,
  handler: async (backend: MakerBackend, [request], context) => {
    const from = request.from ?? backend.dev?.accounts.addresses[0] ?? ZERO_ADDRESS
    const transaction = await fillIn(backend, request, from, context)
    return { transaction, hash: transactionHash(transaction), from }
  },
})

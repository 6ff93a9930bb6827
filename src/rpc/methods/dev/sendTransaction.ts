import { LATEST } from '../../../api/blockReference.ts'
import { type ReceiptWaitBackend, waitForReceipt } from '../../../api/feeds/receiptWait.ts'
import type { WaitingTransaction } from '../../../api/viewTypes.ts'
import type { DevChain } from '../../../dev/contract.ts'
import type { TransactionSubmission } from '../../../txpool/submission.ts'
import type { Authorization, Transaction } from '../../../types/transaction.ts'
import { encodeTransaction, signingHash, transactionHash } from '../../../types/transactionCodec.ts'
import { receipt } from '../../codecs/receipt.ts'
import { data, hash32 } from '../../codecs/scalars.ts'
import { TRANSACTION_INFO } from '../../codecs/schemas.ts'
import { answerCodec } from '../../codecs/support.ts'
import { serializeWaitingTransaction } from '../../codecs/transaction.ts'
import {
  type Codec,
  defineMethod,
  type MethodDefinition,
  optional,
  param,
  type RequestContext,
  result,
} from '../../method.ts'
import { SUBMISSION_ERRORS } from '../eth/sendRawTransaction.ts'
import { callErrors } from '../support/callErrors.ts'
import { OUTCOME_ERRORS, successOf } from '../support/minedOutcome.ts'
import { RECEIPT_WAIT, TRANSACTION_REQUEST } from '../support/parameterTexts.ts'
import { acceptedHash } from '../support/submissionErrors.ts'
import { number64 } from './codecs.ts'
import {
  fillIn,
  type MakerBackend,
  minedNonce,
  mostGas,
  nextNonce,
  requiredGas,
  senderMark,
  withSignature,
} from './makeTransaction.ts'
import { devChain } from './operation.ts'
import { signWith, unknownAccount, unusableAccount } from './signing.ts'
import { type TransactionRequest, transactionRequest } from './transactionRequest.ts'

export interface SendBackend extends MakerBackend {
  readonly submission: TransactionSubmission
}

type SyncBackend = SendBackend & ReceiptWaitBackend

export const MAKING_ERRORS: readonly string[] = [...callErrors, 'UNKNOWN_ACCOUNT', 'ACCOUNT_LOCKED', 'WRONG_CHAIN_ID']
export const SENDING_ERRORS: readonly string[] = [
  ...new Set([...MAKING_ERRORS, ...SUBMISSION_ERRORS, ...OUTCOME_ERRORS]),
]

/** Without `from`, the first account is the sender. */
export function senderOf({ accounts }: DevChain, { from }: Pick<TransactionRequest, 'from'>): Uint8Array {
  const sender = from ?? accounts.addresses[0]
  if (sender === undefined) throw unknownAccount()
  return sender
}

async function makeSigned(
  backend: MakerBackend,
  request: TransactionRequest,
  from: Uint8Array,
  context: RequestContext,
): Promise<Transaction> {
  const unsigned = await fillIn(backend, request, from, context)
  return withSignature(unsigned, signWith(backend, from, signingHash(unsigned)))
}

/** Submits without a signature: the pool trusts the given sender. */
function sendMarked(
  backend: SendBackend,
  request: TransactionRequest,
  from: Uint8Array,
  context: RequestContext,
): Promise<Uint8Array> {
  return devChain(backend).accounts.inTurn(from, async () => {
    const unsigned = await fillIn(backend, request, from, context)
    return acceptedHash(await backend.submission.submit(withSignature(unsigned, senderMark(from)), from))
  })
}

/** Signs with the account's key, or sends without a signature when the account is impersonated. */
export async function send(
  backend: SendBackend,
  request: TransactionRequest,
  context: RequestContext,
): Promise<Uint8Array> {
  const dev = devChain(backend)
  const from = senderOf(dev, request)
  if (dev.accounts.hasKey(from)) {
    return dev.accounts.inTurn(from, async () =>
      acceptedHash(await backend.submission.submit(await makeSigned(backend, request, from, context))),
    )
  }
  if (!dev.accounts.isImpersonated(from)) throw unusableAccount(dev.accounts, from)
  return sendMarked(backend, request, from, context)
}

/**
 * Sends a transaction that delegates its sender, whose key the node has, to another contract (EIP-7702).
 * @param delegation the authorization of the sender for this nonce, which is one more than the transaction's
 */
export function sendDelegating(
  backend: SendBackend,
  request: TransactionRequest,
  from: Uint8Array,
  delegation: (nonce: bigint) => Authorization,
  context: RequestContext,
): Promise<Uint8Array> {
  return devChain(backend).accounts.inTurn(from, async () => {
    // The estimate is made on the head's state, before the sender's transactions in the pool.
    const estimated = { ...request, authorizationList: [delegation(minedNonce(backend, from) + 1n)] }
    const gas = request.gas ?? (await requiredGas(backend, estimated, from, context, LATEST))
    const nonce = nextNonce(backend, from)
    const complete = { ...request, gas, nonce, authorizationList: [delegation(nonce + 1n)] }
    return acceptedHash(await backend.submission.submit(await makeSigned(backend, complete, from, context)))
  })
}

const sendTransaction: MethodDefinition<SendBackend> = defineMethod({
  name: 'eth_sendTransaction',
  group: 'ETH',
  answeredBy: 'main',
  summary:
    'Creates, signs and submits a transaction of an account whose key the node has, or that is impersonated. ' +
    'Defaults: the next nonce, gas as in eth_estimateGas, current fees, and the first account as the sender. ' +
    'With the most gas that a transaction can have, which Hardhat sends in place of an estimate, a transaction that fails is mined and answered with its error.',
  params: [param('transaction', transactionRequest, TRANSACTION_REQUEST)],
  result: result('hash', hash32),
  errors: SENDING_ERRORS,
  handler: async (backend: SendBackend, [request], context) => {
    const isReported = backend.dev?.failures.isReported === true || takesAllGas(backend, request)
    return successOf(backend.dev, await send(backend, request, context), isReported)
  },
})

/**
 * Whether a request has the most gas that a transaction can have. hardhat-ethers sends it in place of an estimate and
 * expects the error that the estimate of a failing transaction would have had.
 */
function takesAllGas(backend: SendBackend, { gas }: TransactionRequest): boolean {
  return gas !== undefined && gas >= mostGas(backend)
}

const sendTransactionSync: MethodDefinition<SyncBackend> = defineMethod({
  name: 'eth_sendTransactionSync',
  group: 'ETH',
  answeredBy: 'main',
  summary: 'As eth_sendTransaction, but waits until the transaction is mined and returns its receipt.',
  params: [param('transaction', transactionRequest, TRANSACTION_REQUEST), optional('timeout', number64, RECEIPT_WAIT)],
  result: result('receipt', receipt),
  errors: [...SENDING_ERRORS, 'RECEIPT_WAIT_EXPIRED', 'TIMEOUT'],
  handler: async (backend: SyncBackend, [request, timeout], context) => {
    const hash = await send(backend, request, context)
    const mined = await waitForReceipt(backend, hash, timeout === undefined ? undefined : Number(timeout), context)
    successOf(backend.dev, hash)
    return mined
  },
})

const sendUnsignedTransaction: MethodDefinition<SendBackend> = defineMethod({
  name: 'eth_sendUnsignedTransaction',
  group: 'ETH',
  answeredBy: 'main',
  summary: 'As eth_sendTransaction, for any account and without a signature.',
  params: [param('transaction', transactionRequest, TRANSACTION_REQUEST)],
  result: result('hash', hash32),
  errors: SENDING_ERRORS,
  handler: async (backend: SendBackend, [request], context) =>
    successOf(backend.dev, await sendMarked(backend, request, senderOf(devChain(backend), request), context)),
})

/** go-ethereum's form: the transaction has no block, and its sender follows from the signature. */
export const signedTransaction: Codec<WaitingTransaction> = answerCodec(
  { title: 'SignedTransaction', type: 'object', properties: { raw: data.schema, tx: TRANSACTION_INFO } },
  (view) => {
    const { blockHash, blockNumber, transactionIndex, from, ...tx } = serializeWaitingTransaction(view)
    return { raw: data.serialize(encodeTransaction(view.transaction)), tx }
  },
)

const signTransaction: MethodDefinition<MakerBackend> = defineMethod({
  name: 'eth_signTransaction',
  group: 'ETH',
  answeredBy: 'main',
  summary: 'Creates and signs a transaction as eth_sendTransaction does, without submitting it.',
  params: [param('transaction', transactionRequest, TRANSACTION_REQUEST)],
  result: result('signed', signedTransaction),
  errors: MAKING_ERRORS,
  handler: async (backend: MakerBackend, [request], context) => {
    const dev = devChain(backend)
    const from = senderOf(dev, request)
    if (!dev.accounts.hasKey(from)) throw unknownAccount()
    const transaction = await makeSigned(backend, request, from, context)
    return { transaction, hash: transactionHash(transaction), from }
  },
})

export const transactionMethods: readonly MethodDefinition<SyncBackend>[] = [
  sendTransaction,
  sendTransactionSync,
  sendUnsignedTransaction,
  signTransaction,
]

/**
 * Batches of calls that a page sends to its wallet: one transaction per call, in order; for an account that can make them
 * atomically, one transaction.
 * @see EIP-5792
 * @module
 */
import { receiptOf } from '../../../api/views.ts'
import type { ReceiptView } from '../../../api/viewTypes.ts'
import { bytesToHex, quantity } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { described } from '../../../base/primitives/printable.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { chainIdAfter } from '../../../chain/nextBlock.ts'
import type { CallBatch } from '../../../dev/callBatches.ts'
import { answerCodec, arrayOf } from '../../codecs/support.ts'
import {
  type Codec,
  defineMethod,
  type MethodDefinition,
  optional,
  param,
  type RequestContext,
  result,
} from '../../method.ts'
import { type Atomicity, areBatchable, atomicityOf, sendAtomically } from './atomicCalls.ts'
import { type Batch, batch, batchId, VERSION } from './callBatch.ts'
import { account, nothing, number256 } from './codecs.ts'
import { devChain } from './operation.ts'
import { SENDING_ERRORS, type SendBackend, send, senderOf } from './sendTransaction.ts'
import { unusableAccount } from './signing.ts'
import type { TransactionRequest } from './transactionRequest.ts'

type WalletBackend = SendBackend & { readonly chain: ChainReader }

const sendCalls: MethodDefinition<WalletBackend> = defineMethod({
  name: 'wallet_sendCalls',
  group: 'DEV',
  summary:
    'Sends calls of one account (EIP-5792): as one transaction, which succeeds or reverts as a whole, if the account delegates to a contract with the interface of ERC-7821, or if the batch must be atomic and the chain has `batch-executor`; otherwise as transactions in order.',
  params: [
    param('batch', batch, 'Object with `version`, `chainId`, `atomicRequired` and `calls` (`to`, `data`, `value`).'),
  ],
  result: result(
    'batch',
    answerCodec({ type: 'object', properties: { id: batchId.schema } }, (id: string) => ({ id })),
  ),
  errors: [
    ...SENDING_ERRORS,
    'ATOMICITY_NOT_SUPPORTED',
    'CALL_BATCH_TOO_LARGE',
    'DUPLICATE_BATCH',
    'UNSUPPORTED_CAPABILITY',
    'UNSUPPORTED_CHAIN',
  ],
  handler: async (backend: WalletBackend, [given], context) => {
    const { id, chainId, needed } = given
    if (chainId !== chainIdOf(backend)) {
      throw new NodeError({ code: 'UNSUPPORTED_CHAIN' }, `Unsupported chain id ${quantity(chainId)}`)
    }
    if (needed[0] !== undefined) {
      throw new NodeError({ code: 'UNSUPPORTED_CAPABILITY' }, `Unsupported capability ${described(needed[0])}`)
    }
    const sending = await sendingOf(backend, given, context)
    const { batches } = devChain(backend)
    const { isAtomic } = sending
    const transactions = isAtomic ? 1 : given.calls.length
    if (id === undefined) {
      const hashes = await sending.send()
      const ownId = bytesToHex(hashes[0] as Uint8Array)
      batches.put({ id: ownId, transactions, isAtomic, isSent: true, hashes })
      return ownId
    }
    if (batches.get(id) !== undefined) throw new NodeError({ code: 'DUPLICATE_BATCH' }, 'Duplicate ID')
    // The id is taken while the calls are sent.
    batches.put({ id, transactions, isAtomic, isSent: false, hashes: [] })
    try {
      batches.put({ id, transactions, isAtomic, isSent: true, hashes: await sending.send() })
    } catch (error) {
      batches.remove(id)
      throw error
    }
    return id
  },
})

interface Sending {
  readonly isAtomic: boolean
  /** @returns hashes of the transactions */
  send(): Promise<readonly Uint8Array[]>
}

/** @throws {NodeError} ATOMICITY_NOT_SUPPORTED */
async function sendingOf(backend: WalletBackend, given: Batch, context: RequestContext): Promise<Sending> {
  const { calls, mustBeAtomic } = given
  const from = senderOf(devChain(backend), { from: given.from })
  const atomicity = await atomicityOf(backend, from, context)
  if (atomicity === 'unsupported' && mustBeAtomic) throw notAtomic()
  const isAtomic = mustBeAtomic || (atomicity === 'supported' && areBatchable(calls))
  if (!isAtomic || atomicity === 'unsupported') {
    return { isAtomic: false, send: () => sendInOrder(backend, calls, context) }
  }
  return { isAtomic: true, send: async () => [await sendAtomically(backend, from, calls, atomicity, context)] }
}

function notAtomic(): NodeError {
  const remedy =
    'the account must delegate to a contract with the interface of ERC-7821, or the chain must be new and have --predeploys=batch-executor'
  return new NodeError({ code: 'ATOMICITY_NOT_SUPPORTED' }, `Atomicity is not supported: ${remedy}`)
}

/** Ends before a call that cannot be sent. @throws the error of the first call */
async function sendInOrder(
  backend: WalletBackend,
  calls: readonly TransactionRequest[],
  context: RequestContext,
): Promise<readonly Uint8Array[]> {
  const hashes: Uint8Array[] = []
  for (const call of calls) {
    try {
      hashes.push(await send(backend, call, context))
    } catch (error) {
      if (hashes.length === 0) throw error
      return hashes
    }
  }
  return hashes
}

/** Numbers of EIP-5792. */
const STATUS = { pending: 100, confirmed: 200, reverted: 500, partlyReverted: 600 } as const

interface BatchStatus {
  readonly batch: CallBatch
  readonly chainId: bigint
  readonly receipts: readonly ReceiptView[]
}

function statusOf({ batch: { transactions, isSent, hashes }, receipts }: BatchStatus): number {
  if (!isSent || receipts.length < hashes.length) return STATUS.pending
  const successes = receipts.filter(({ receipt }) => receipt.status !== false).length
  if (successes === transactions) return STATUS.confirmed
  return successes === 0 && hashes.length === transactions ? STATUS.reverted : STATUS.partlyReverted
}

const callsStatus: Codec<BatchStatus> = answerCodec(
  {
    title: 'CallsStatus',
    type: 'object',
    properties: {
      version: { type: 'string' },
      id: batchId.schema,
      chainId: number256.schema,
      status: { type: 'integer' },
      atomic: { type: 'boolean' },
      receipts: { type: 'array', items: { type: 'object' } },
    },
  },
  (status) => ({
    version: VERSION,
    id: status.batch.id,
    chainId: quantity(status.chainId),
    status: statusOf(status),
    atomic: status.batch.isAtomic,
    receipts: status.receipts.map(callReceipt),
  }),
)

function callReceipt({ receipt, blockHash, blockNumber, hash }: ReceiptView): object {
  return {
    logs: receipt.logs.map(({ address, data, topics }) => ({
      address: bytesToHex(address),
      data: bytesToHex(data),
      topics: topics.map((topic) => bytesToHex(topic)),
    })),
    status: receipt.status === false ? '0x0' : '0x1',
    blockHash: bytesToHex(blockHash),
    blockNumber: quantity(blockNumber),
    gasUsed: quantity(receipt.gasUsed),
    transactionHash: bytesToHex(hash),
  }
}

const getCallsStatus: MethodDefinition<WalletBackend> = defineMethod({
  name: 'wallet_getCallsStatus',
  group: 'DEV',
  summary:
    'Status of a batch of wallet_sendCalls: 100 pending, 200 confirmed, 500 reverted, 600 reverted in part (EIP-5792).',
  params: [param('id', batchId, 'Id of the batch.')],
  result: result('status', callsStatus),
  errors: ['UNKNOWN_BATCH'],
  handler: (backend: WalletBackend, [id]) => {
    const sent = knownBatch(backend, id)
    const receipts = sent.hashes.map((hash) => receiptOf(backend.chain, hash))
    return { batch: sent, chainId: chainIdOf(backend), receipts: receipts.filter((receipt) => receipt !== undefined) }
  },
})

const showCallsStatus: MethodDefinition<WalletBackend> = defineMethod({
  name: 'wallet_showCallsStatus',
  group: 'DEV',
  summary: 'Accepts the id of a batch; a node has no window to show it in (EIP-5792).',
  params: [param('id', batchId, 'Id of the batch.')],
  result: result('nothing', nothing),
  errors: ['UNKNOWN_BATCH'],
  handler: (backend: WalletBackend, [id]) => void knownBatch(backend, id),
})

interface Capabilities {
  readonly chainIds: readonly bigint[]
  readonly atomicity: Atomicity
}

const getCapabilities: MethodDefinition<WalletBackend> = defineMethod({
  name: 'wallet_getCapabilities',
  group: 'DEV',
  summary:
    'Capabilities of the wallet by chain id (EIP-5792). `atomic` is supported for an account that delegates to a batch executor, and ready for one that can be delegated to `batch-executor`.',
  params: [
    param('account', account, 'Account that sends.'),
    optional('chainIds', arrayOf(number256), 'Chain ids. Absent: all.'),
  ],
  result: result(
    'capabilities',
    answerCodec({ type: 'object' }, ({ chainIds, atomicity }: Capabilities) =>
      Object.fromEntries(chainIds.map((id) => [quantity(id), { atomic: { status: atomicity } }])),
    ),
  ),
  errors: ['UNKNOWN_ACCOUNT', 'ACCOUNT_LOCKED'],
  handler: async (backend: WalletBackend, [from, wanted], context) => {
    const { accounts } = devChain(backend)
    if (!accounts.hasKey(from) && !accounts.isImpersonated(from)) throw unusableAccount(accounts, from)
    const chainId = chainIdOf(backend)
    const chainIds = wanted === undefined || wanted.includes(chainId) ? [chainId] : []
    return { chainIds, atomicity: await atomicityOf(backend, from, context) }
  },
})

function chainIdOf({ chain }: WalletBackend): bigint {
  return chainIdAfter(chain.config, chain.head)
}

function knownBatch(backend: WalletBackend, id: string): CallBatch {
  const sent = devChain(backend).batches.get(id)
  if (sent === undefined) throw new NodeError({ code: 'UNKNOWN_BATCH' }, 'Unknown bundle id')
  return sent
}

export const walletCallMethods: readonly MethodDefinition<WalletBackend>[] = [
  sendCalls,
  getCallsStatus,
  showCallsStatus,
  getCapabilities,
]

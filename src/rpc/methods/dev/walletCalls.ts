/**
 * Batches of calls that a page sends to its wallet: one transaction per call, in order, so a batch is not atomic.
 * @see EIP-5792
 * @module
 */
import { invalidParams, unexpectedValue } from '../../../api/errors.ts'
import { receiptOf } from '../../../api/views.ts'
import type { ReceiptView } from '../../../api/viewTypes.ts'
import { MAX_BATCH_CALLS, MAX_BATCH_ID_LENGTH } from '../../../base/limits/limits.ts'
import { bytesToHex, quantity } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { described } from '../../../base/primitives/printable.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { chainIdAfter } from '../../../chain/nextBlock.ts'
import type { CallBatch } from '../../../dev/callBatches.ts'
import { boolean } from '../../codecs/scalars.ts'
import {
  answerCodec,
  arrayOf,
  asObject,
  isObject,
  type JsonObject,
  member,
  parameterCodec,
} from '../../codecs/support.ts'
import {
  type Codec,
  defineMethod,
  type MethodDefinition,
  optional,
  param,
  type RequestContext,
  result,
} from '../../method.ts'
import { account, nothing, number256 } from './codecs.ts'
import { devChain } from './operation.ts'
import { SENDING_ERRORS, type SendBackend, send } from './sendTransaction.ts'
import { unusableAccount } from './signing.ts'
import { type TransactionRequest, transactionRequest } from './transactionRequest.ts'

type WalletBackend = SendBackend & { readonly chain: ChainReader }

interface Batch {
  readonly id: string | undefined
  readonly chainId: bigint
  readonly isAtomic: boolean
  readonly calls: readonly TransactionRequest[]
  /** Capabilities of the batch and its calls without which it must not be executed. */
  readonly needed: readonly string[]
}

const VERSION = '2.0.0'

const text: Codec<string> = parameterCodec({ type: 'string' }, (value) => {
  if (typeof value === 'string') return value
  throw unexpectedValue('a text', described(value))
})

const batchId: Codec<string> = parameterCodec({ type: 'string', maxLength: MAX_BATCH_ID_LENGTH }, (value) => {
  const id = text.parse(value)
  if (id.length > 0 && id.length <= MAX_BATCH_ID_LENGTH) return id
  throw unexpectedValue(`a text of 1 to ${MAX_BATCH_ID_LENGTH} characters`, `${id.length} characters`)
})

const batch: Codec<Batch> = parameterCodec(
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
      isAtomic: required(fields, 'atomicRequired', boolean),
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

const sendCalls: MethodDefinition<WalletBackend> = defineMethod({
  name: 'wallet_sendCalls',
  group: 'DEV',
  summary: 'Sends calls as transactions of one account, in order; a batch is not atomic (EIP-5792).',
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
  handler: async (backend: WalletBackend, [{ id, chainId, isAtomic, calls, needed }], context) => {
    const { batches } = devChain(backend)
    if (chainId !== chainIdOf(backend)) {
      throw new NodeError({ code: 'UNSUPPORTED_CHAIN' }, `Unsupported chain id ${quantity(chainId)}`)
    }
    if (isAtomic) throw new NodeError({ code: 'ATOMICITY_NOT_SUPPORTED' }, 'Atomicity is not supported')
    if (needed[0] !== undefined) {
      throw new NodeError({ code: 'UNSUPPORTED_CAPABILITY' }, `Unsupported capability ${described(needed[0])}`)
    }
    if (id === undefined) {
      const hashes = await sendInOrder(backend, calls, context)
      const ownId = bytesToHex(hashes[0] as Uint8Array)
      batches.put({ id: ownId, calls: calls.length, isSent: true, hashes })
      return ownId
    }
    if (batches.get(id) !== undefined) throw new NodeError({ code: 'DUPLICATE_BATCH' }, 'Duplicate ID')
    // The id is taken while the calls are sent.
    batches.put({ id, calls: calls.length, isSent: false, hashes: [] })
    try {
      batches.put({ id, calls: calls.length, isSent: true, hashes: await sendInOrder(backend, calls, context) })
    } catch (error) {
      batches.remove(id)
      throw error
    }
    return id
  },
})

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

function statusOf({ batch: { calls, isSent, hashes }, receipts }: BatchStatus): number {
  if (!isSent || receipts.length < hashes.length) return STATUS.pending
  const successes = receipts.filter(({ receipt }) => receipt.status !== false).length
  if (successes === calls) return STATUS.confirmed
  return successes === 0 && hashes.length === calls ? STATUS.reverted : STATUS.partlyReverted
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
    atomic: false,
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

const getCapabilities: MethodDefinition<WalletBackend> = defineMethod({
  name: 'wallet_getCapabilities',
  group: 'DEV',
  summary: 'Capabilities of the wallet by chain id: batches are not atomic (EIP-5792).',
  params: [
    param('account', account, 'Account that sends.'),
    optional('chainIds', arrayOf(number256), 'Chain ids. Absent: all.'),
  ],
  result: result(
    'capabilities',
    answerCodec({ type: 'object' }, (chainIds: readonly bigint[]) =>
      Object.fromEntries(chainIds.map((id) => [quantity(id), { atomic: { status: 'unsupported' } }])),
    ),
  ),
  errors: ['UNKNOWN_ACCOUNT', 'ACCOUNT_LOCKED'],
  handler: (backend: WalletBackend, [from, chainIds]) => {
    const { accounts } = devChain(backend)
    if (!accounts.hasKey(from) && !accounts.isImpersonated(from)) throw unusableAccount(accounts, from)
    const chainId = chainIdOf(backend)
    return chainIds === undefined || chainIds.includes(chainId) ? [chainId] : []
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

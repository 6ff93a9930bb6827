import type { LogView, ReceiptView } from '../../api/viewTypes.ts'
import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { blobGas, effectiveGasPrice, maxFeePerGas, maxPriorityFeePerGas } from '../../chain/fees.ts'
import { encodeReceipt } from '../../types/receiptCodec.ts'
import type { Transaction } from '../../types/transaction.ts'
import { encodeTransaction } from '../../types/transactionCodec.ts'
import type { GraphqlRequest } from '../graphqlRequest.ts'
import type { BlockNode, LogNode, TransactionNode } from '../nodes.ts'
import type { AtBlock, Resolver, Resolvers } from '../resolver.ts'
import { accountAt, headNode, optionalAccountAt } from './lookups.ts'

function transactionOf(node: TransactionNode): Transaction {
  return node.kind === 'mined' ? node.mined.transaction : node.pooled.transaction
}

/** undefined while the transaction waits. */
function receiptOf(node: TransactionNode): ReceiptView | undefined {
  return node.kind === 'mined' ? node.block.receipts?.[node.mined.index] : undefined
}

/** The block whose state the accounts of the transaction are read from. */
function blockOf(node: TransactionNode, request: GraphqlRequest): BlockNode {
  return node.kind === 'mined' ? node.block : headNode(request)
}

const ofTransaction =
  (read: (transaction: Transaction) => unknown): Resolver<TransactionNode, never> =>
  (node) =>
    read(transactionOf(node))

const ofReceipt =
  (read: (receipt: ReceiptView) => unknown): Resolver<TransactionNode, never> =>
  (node) => {
    const receipt = receiptOf(node)
    return receipt && read(receipt)
  }

const from: Resolver<TransactionNode, AtBlock> = (node, { block }, request) => {
  const sender = node.kind === 'mined' ? node.mined.from : node.pooled.sender
  return accountAt(request, sender, block, () => blockOf(node, request))
}

const to: Resolver<TransactionNode, AtBlock> = (node, args, request) =>
  optionalAccountAt(request, transactionOf(node).to, args, () => blockOf(node, request))

const createdContract: Resolver<TransactionNode, AtBlock> = (node, args, request) =>
  optionalAccountAt(request, receiptOf(node)?.receipt.contractAddress, args, () => blockOf(node, request))

/** Price that the sender pays; for a waiting transaction, its maximum price. */
function gasPrice(node: TransactionNode): bigint {
  return node.kind === 'mined'
    ? effectiveGasPrice(node.mined.transaction, node.mined.baseFeePerGas)
    : maxFeePerGas(node.pooled.transaction)
}

/** Computed with the base fee of the block; for a waiting transaction, of the head. */
function effectiveTip(node: TransactionNode, _: unknown, { chain }: GraphqlRequest): bigint {
  const baseFee = node.kind === 'mined' ? node.mined.baseFeePerGas : chain.head.header.baseFeePerGas
  return effectiveGasPrice(transactionOf(node), baseFee) - (baseFee ?? 0n)
}

function logs(node: TransactionNode): LogNode[] | undefined {
  const view = receiptOf(node)
  if (node.kind !== 'mined' || view === undefined) return undefined
  const { block } = node
  const { blockNumber, blockHash, hash: transactionHash, index: transactionIndex, firstLogIndex } = view
  return view.receipt.logs.map((log, at) => {
    const logIndex = firstLogIndex + at
    const logView: LogView = {
      log,
      blockNumber,
      blockHash,
      transactionHash,
      transactionIndex,
      logIndex,
      removed: false,
    }
    return { block, view: logView }
  })
}

const result: Resolvers<TransactionNode> = {
  status: ofReceipt(({ receipt: { status } }) => (status === undefined ? undefined : Number(status))),
  gasUsed: ofReceipt(({ receipt }) => receipt.gasUsed),
  cumulativeGasUsed: ofReceipt(({ receipt }) => receipt.cumulativeGasUsed),
  createdContract,
  logs,
  rawReceipt: (node) => {
    const view = receiptOf(node)
    return view === undefined ? EMPTY_BYTES : encodeReceipt(view.receipt)
  },
}

const prices: Resolvers<TransactionNode> = {
  gasPrice,
  maxFeePerGas: ofTransaction((transaction) => (transaction.type < 2 ? undefined : maxFeePerGas(transaction))),
  maxPriorityFeePerGas: ofTransaction((transaction) =>
    transaction.type < 2 ? undefined : maxPriorityFeePerGas(transaction),
  ),
  effectiveTip,
  effectiveGasPrice: (node) => (node.kind === 'mined' ? gasPrice(node) : undefined),
  maxFeePerBlobGas: ofTransaction((transaction) => (transaction.type === 3 ? transaction.maxFeePerBlobGas : undefined)),
  blobGasUsed: (node) =>
    node.kind === 'mined' && node.mined.transaction.type === 3 ? blobGas(node.mined.transaction) : undefined,
  blobGasPrice: (node) => (transactionOf(node).type === 3 ? receiptOf(node)?.blobBaseFee : undefined),
}

const signature: Resolvers<TransactionNode> = {
  r: ofTransaction(({ r }) => r),
  s: ofTransaction(({ s }) => s),
  v: ofTransaction((transaction) => (transaction.type === 0 ? transaction.v : transaction.yParity)),
  yParity: ofTransaction((transaction) => (transaction.type === 0 ? undefined : transaction.yParity)),
}

export const transactionResolvers: Resolvers<TransactionNode> = {
  ...result,
  ...prices,
  ...signature,
  hash: (node) => (node.kind === 'mined' ? node.mined.hash : node.pooled.hash),
  nonce: ofTransaction(({ nonce }) => nonce),
  index: (node) => (node.kind === 'mined' ? node.mined.index : undefined),
  from,
  to,
  value: ofTransaction(({ value }) => value),
  gas: ofTransaction(({ gasLimit }) => gasLimit),
  inputData: ofTransaction(({ data }) => data),
  block: (node) => (node.kind === 'mined' ? node.block : undefined),
  type: ofTransaction(({ type }) => type),
  accessList: ofTransaction((transaction) => (transaction.type === 0 ? undefined : transaction.accessList)),
  blobVersionedHashes: ofTransaction((transaction) =>
    transaction.type === 3 ? transaction.blobVersionedHashes : undefined,
  ),
  raw: (node) => (node.kind === 'mined' ? encodeTransaction(node.mined.transaction) : node.pooled.encoding),
}

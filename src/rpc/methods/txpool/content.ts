/**
 * The pool in go-ethereum's form: `pending` transactions can enter the next blocks, `queued` ones wait for an earlier
 * nonce.
 * @module
 */

import { quantity } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import type { StateSource } from '../../../state/contract.ts'
import type { PooledTransaction, PoolReader } from '../../../txpool/contract.ts'
import { checksumAddress } from '../../../types/address.ts'
import { address, json } from '../../codecs/scalars.ts'
import { objectSchema, TRANSACTION_INFO, UINT } from '../../codecs/schemas.ts'
import { serializeWaitingTransaction } from '../../codecs/transaction.ts'
import { defineMethod, type JsonSchema, type MethodDefinition, param, result } from '../../method.ts'
import { ACCOUNT } from '../support/parameterTexts.ts'

interface Backend {
  readonly chain: ChainReader
  readonly states: StateSource
  readonly pool: PoolReader
}

interface PoolSections<T> {
  readonly pending: T
  readonly queued: T
}

type ByNonce = Record<string, unknown>
type BySender = Record<string, ByNonce>

const ERRORS = ['WORLD_STATE_UNAVAILABLE']

const mapOf = (values: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: values })
const partsOf = (title: string, part: JsonSchema): JsonSchema => objectSchema(title, { pending: part, queued: part })

/** Splits a sender's transactions: those that follow the account's nonce without a gap, and the rest. */
function splitter({
  chain,
  states,
  pool,
}: Backend): (sender: Uint8Array) => PoolSections<readonly PooledTransaction[]> {
  const state = states.at(chain.head)
  if (state === undefined)
    throw new NodeError({ code: 'WORLD_STATE_UNAVAILABLE' }, 'state of the head is not available')
  return (sender) => {
    const all = pool.bySender(sender)
    let next = state.getAccount(sender)?.nonce ?? 0n
    let count = 0
    while (all[count]?.transaction.nonce === next) {
      count++
      next++
    }
    return { pending: all.slice(0, count), queued: all.slice(count) }
  }
}

function byNonce(transactions: readonly PooledTransaction[], show: (pooled: PooledTransaction) => unknown): ByNonce {
  return Object.fromEntries(transactions.map((pooled) => [pooled.transaction.nonce.toString(), show(pooled)]))
}

function bySender(backend: Backend, show: (pooled: PooledTransaction) => unknown): PoolSections<BySender> {
  const split = splitter(backend)
  const sections = { pending: {} as BySender, queued: {} as BySender }
  for (const sender of backend.pool.senders()) {
    const { pending, queued } = split(sender)
    const name = checksumAddress(sender)
    if (pending.length > 0) sections.pending[name] = byNonce(pending, show)
    if (queued.length > 0) sections.queued[name] = byNonce(queued, show)
  }
  return sections
}

function transactionJson({ transaction, hash, sender }: PooledTransaction): unknown {
  return serializeWaitingTransaction({ transaction, hash, from: sender })
}

function summary({ transaction }: PooledTransaction): string {
  const { to, value, gasLimit } = transaction
  const price = 'gasPrice' in transaction ? transaction.gasPrice : transaction.maxFeePerGas
  return `${to === undefined ? 'contract creation' : checksumAddress(to)}: ${value} wei + ${gasLimit} gas × ${price} wei`
}

export const content: MethodDefinition<Backend> = defineMethod({
  name: 'txpool_content',
  group: 'TXPOOL',
  summary: 'Transactions of the pool by sender and nonce.',
  params: [],
  result: result('content', json<PoolSections<BySender>>(partsOf('PoolContent', mapOf(mapOf(TRANSACTION_INFO))))),
  errors: ERRORS,
  handler: (backend: Backend) => bySender(backend, transactionJson),
})

export const contentFrom: MethodDefinition<Backend> = defineMethod({
  name: 'txpool_contentFrom',
  group: 'TXPOOL',
  summary: 'Transactions of one sender by nonce.',
  params: [param('address', address, ACCOUNT)],
  result: result('content', json<PoolSections<ByNonce>>(partsOf('SenderContent', mapOf(TRANSACTION_INFO)))),
  errors: ERRORS,
  handler: (backend: Backend, [sender]) => {
    const { pending, queued } = splitter(backend)(sender)
    return { pending: byNonce(pending, transactionJson), queued: byNonce(queued, transactionJson) }
  },
})

export const inspect: MethodDefinition<Backend> = defineMethod({
  name: 'txpool_inspect',
  group: 'TXPOOL',
  summary: 'Transactions of the pool by sender and nonce, each as a line of text.',
  params: [],
  result: result('content', json<PoolSections<BySender>>(partsOf('PoolSummary', mapOf(mapOf({ type: 'string' }))))),
  errors: ERRORS,
  handler: (backend: Backend) => bySender(backend, summary),
})

export const status: MethodDefinition<Backend> = defineMethod({
  name: 'txpool_status',
  group: 'TXPOOL',
  summary: 'Number of transactions that are executable, and of those that wait for an earlier nonce.',
  params: [],
  result: result('status', json<PoolSections<string>>(partsOf('PoolStatus', UINT))),
  errors: ERRORS,
  handler: (backend: Backend) => {
    const split = splitter(backend)
    let pending = 0
    for (const sender of backend.pool.senders()) pending += split(sender).pending.length
    return { pending: quantity(pending), queued: quantity(backend.pool.size - pending) }
  },
})

import { unexpectedValue } from '../../../api/errors.ts'
import type { YieldToHost } from '../../../base/ports/yieldToHost.ts'
import { bytesToHex } from '../../../base/primitives/bytes.ts'
import type { PooledTransaction, PoolReader } from '../../../txpool/contract.ts'
import { poolConditions } from '../../codecs/poolFilter.ts'
import { integer, json } from '../../codecs/scalars.ts'
import { BOOLEAN, HASH, listOf, objectSchema } from '../../codecs/schemas.ts'
import { answerCodec, arrayOf } from '../../codecs/support.ts'
import { type PendingTransaction, transactionInfo } from '../../codecs/transaction.ts'
import { type Codec, defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { pendingView } from '../eth/pendingView.ts'

interface Backend {
  readonly pool: PoolReader
}

interface Statistics {
  readonly maxSize: number
  readonly localCount: number
  readonly remoteCount: number
}

const COUNT = { type: 'integer' }
const STATISTICS = objectSchema('PoolStatistics', { maxSize: COUNT, localCount: COUNT, remoteCount: COUNT })

const pooledTransactions: Codec<Iterable<PooledTransaction>> = answerCodec(
  listOf(
    objectSchema('PooledTransaction', {
      hash: HASH,
      isReceivedFromLocalSource: BOOLEAN,
      addedToPoolAt: { type: 'string', format: 'date-time' },
    }),
  ),
  (transactions) =>
    Array.from(transactions, ({ hash, isLocal, addedAtMs }) => ({
      hash: bytesToHex(hash),
      isReceivedFromLocalSource: isLocal,
      addedToPoolAt: new Date(addedAtMs).toISOString(),
    })),
)

export const nodeTransactions: MethodDefinition<Backend> = defineMethod({
  name: 'txpool_nodeTransactions',
  aliases: ['txpool_besuTransactions'],
  group: 'TXPOOL',
  summary: "Hash, origin and time of admission of the pool's transactions.",
  params: [],
  result: result('transactions', pooledTransactions),
  handler: ({ pool }: Backend) => pool.transactions(),
})

export const nodeStatistics: MethodDefinition<Backend> = defineMethod({
  name: 'txpool_nodeStatistics',
  aliases: ['txpool_besuStatistics'],
  group: 'TXPOOL',
  summary: 'Capacity of the pool, and number of its local and remote transactions.',
  params: [],
  result: result('statistics', json<Statistics>(STATISTICS)),
  handler: ({ pool }: Backend) => ({
    maxSize: pool.maxSize,
    localCount: pool.localCount,
    remoteCount: pool.size - pool.localCount,
  }),
})

/** Public keys are recovered for the answer: yields after this number of transactions. */
const VIEWS_PER_SLICE = 32

interface YieldingBackend extends Backend {
  readonly yieldToHost: YieldToHost
}

export const nodePendingTransactions: MethodDefinition<YieldingBackend> = defineMethod({
  name: 'txpool_nodePendingTransactions',
  aliases: ['txpool_besuPendingTransactions'],
  group: 'TXPOOL',
  summary: 'Transactions of the pool that meet all conditions, up to a limit.',
  params: [
    param('limit', integer, 'Maximum number of transactions.'),
    optional(
      'fields',
      poolConditions,
      'Conditions by field (`from`, `to`, `gas`, `gasPrice`, `value`, `nonce`), each with one of `eq`, `gt`, `lt`, for example `{gas: {gt: "0x5208"}}`; `to: {action: "contract_creation"}` finds creations. Absent: all transactions.',
    ),
  ],
  result: result('transactions', arrayOf(transactionInfo)),
  handler: ({ pool, yieldToHost }: YieldingBackend, [limit, conditions = []]) => {
    if (limit < 0) throw unexpectedValue('a non-negative integer', String(limit), 'limit')
    const matches: PooledTransaction[] = []
    for (const pooled of pool.transactions()) {
      if (matches.length >= limit) break
      if (conditions.every((holds) => holds(pooled))) matches.push(pooled)
    }
    return matches.length <= VIEWS_PER_SLICE ? matches.map(pendingView) : viewsInSlices(matches, yieldToHost)
  },
})

async function viewsInSlices(
  found: readonly PooledTransaction[],
  yieldToHost: YieldToHost,
): Promise<PendingTransaction[]> {
  const views: PendingTransaction[] = []
  for (const pooled of found) {
    if (views.length % VIEWS_PER_SLICE === 0 && views.length > 0) await yieldToHost()
    views.push(pendingView(pooled))
  }
  return views
}

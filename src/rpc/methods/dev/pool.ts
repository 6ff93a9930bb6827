import type { PooledTransaction, PoolReader } from '../../../txpool/contract.ts'
import { boolean, hash32 } from '../../codecs/scalars.ts'
import { listOf } from '../../codecs/schemas.ts'
import { answerCodec, nullable } from '../../codecs/support.ts'
import { serializeWaitingTransaction } from '../../codecs/transaction.ts'
import { type Codec, defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { TRANSACTION_HASH } from '../support/parameterTexts.ts'
import { account, nothing } from './codecs.ts'
import { type DevBackend, devChain, operation } from './operation.ts'

const waitingList: Codec<readonly PooledTransaction[]> = answerCodec(listOf({ type: 'object' }), (pooled) =>
  pooled.map(({ transaction, hash, sender }) => serializeWaitingTransaction({ transaction, hash, from: sender })),
)

interface PoolBackend extends DevBackend {
  readonly pool: PoolReader
}

const anvilDrop: MethodDefinition<DevBackend> = defineMethod({
  name: 'anvil_dropTransaction',
  group: 'DEV',
  summary: 'Removes a transaction from the pool. Returns its hash; null when it was not in the pool.',
  params: [param('hash', hash32, TRANSACTION_HASH)],
  result: result('hash', nullable(hash32)),
  handler: (backend: DevBackend, [hash]) => (devChain(backend).dropTransaction(hash) ? hash : undefined),
})

const hardhatDrop: MethodDefinition<DevBackend> = defineMethod({
  name: 'hardhat_dropTransaction',
  aliases: ['ganache_dropTransaction'],
  group: 'DEV',
  summary: 'Removes a transaction from the pool. Returns whether it was in the pool.',
  params: [param('hash', hash32, TRANSACTION_HASH)],
  result: result('dropped', boolean),
  handler: (backend: DevBackend, [hash]) => devChain(backend).dropTransaction(hash),
})

const dropSender: MethodDefinition<PoolBackend> = defineMethod({
  name: 'anvil_removePoolTransactions',
  group: 'DEV',
  summary: 'Removes all transactions of an account from the pool.',
  params: [param('address', account, 'Sender of the transactions, 20 bytes.')],
  result: result('done', nothing),
  handler: (backend: PoolBackend, [sender]) => {
    const dev = devChain(backend)
    for (const { hash } of [...backend.pool.bySender(sender)]) dev.dropTransaction(hash)
  },
})

const pendingTransactions: MethodDefinition<PoolBackend> = defineMethod({
  name: 'eth_pendingTransactions',
  group: 'DEV',
  summary: 'All transactions in the pool.',
  params: [],
  result: result('transactions', waitingList),
  handler: ({ pool }: PoolBackend) => [...pool.transactions()],
})

export const poolMethods: readonly MethodDefinition<PoolBackend>[] = [
  anvilDrop,
  hardhatDrop,
  dropSender,
  pendingTransactions,
  ...operation({
    answersNull: ['anvil_dropAllTransactions', 'hardhat_dropAllTransactions'],
    summary: 'Removes all transactions from the pool.',
    params: [],
    run: (dev) => dev.dropAllTransactions(),
  }),
]

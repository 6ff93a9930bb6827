import type { StateQuery } from '../../../api/lookup.ts'
import type { PoolReader } from '../../../txpool/contract.ts'
import { address, uint64 } from '../../codecs/scalars.ts'
import { nullable } from '../../codecs/support.ts'
import { transactionInfo } from '../../codecs/transaction.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { minedBySender } from '../support/minedBySender.ts'
import { pendingView } from './pendingView.ts'

interface Backend extends StateQuery {
  readonly pool: PoolReader
}

export const getTransactionBySenderAndNonce: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getTransactionBySenderAndNonce',
  group: 'ETH',
  answeredBy: 'main if absent',
  summary: 'The transaction of an account with a nonce, waiting in the pool or mined; null when unknown.',
  params: [param('sender', address, 'Sender, 20 bytes.'), param('nonce', uint64, 'Nonce of the transaction.')],
  result: result('transaction', nullable(transactionInfo)),
  errors: ['WORLD_STATE_UNAVAILABLE'],
  handler: (backend: Backend, [sender, nonce]) => {
    const waiting = backend.pool.bySender(sender).find(({ transaction }) => transaction.nonce === nonce)
    return waiting === undefined ? minedBySender(backend, sender, nonce) : pendingView(waiting)
  },
})

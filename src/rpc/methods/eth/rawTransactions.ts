import { findHeader } from '../../../api/lookup.ts'
import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import type { PoolReader } from '../../../txpool/contract.ts'
import { encodeTransaction } from '../../../types/transactionCodec.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { data, hash32, index } from '../../codecs/scalars.ts'
import { nullable } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { BLOCK, BLOCK_HASH, TRANSACTION_HASH, TRANSACTION_INDEX } from '../support/parameterTexts.ts'

interface Backend {
  readonly chain: ChainReader
}

interface PoolBackend extends Backend {
  readonly pool: PoolReader
}

function encodedAt(chain: ChainReader, header: ChainHeader | undefined, position: number): Uint8Array | undefined {
  const transaction = header && chain.body(header.hash)?.transactions[position]
  return transaction && encodeTransaction(transaction)
}

export const getRawTransactionByHash: MethodDefinition<PoolBackend> = defineMethod({
  name: 'eth_getRawTransactionByHash',
  group: 'ETH',
  answeredBy: 'main if absent',
  summary: 'Encoded transaction (EIP-2718), waiting in the pool or mined; null when unknown.',
  params: [param('hash', hash32, TRANSACTION_HASH)],
  result: result('transaction', nullable(data)),
  handler: ({ chain, pool }: PoolBackend, [hash]) => {
    const waiting = pool.byHash(hash)
    if (waiting !== undefined) return waiting.encoding
    const location = chain.transactionLocation(hash)
    return location && encodedAt(chain, chain.headerByHash(location.blockHash), location.index)
  },
})

export const getRawTransactionByBlockHashAndIndex: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getRawTransactionByBlockHashAndIndex',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Encoded transaction (EIP-2718) of a block; null when unknown.',
  params: [param('hash', hash32, BLOCK_HASH), param('index', index, TRANSACTION_INDEX)],
  result: result('transaction', nullable(data)),
  handler: ({ chain }: Backend, [hash, position]) => encodedAt(chain, chain.headerByHash(hash), position),
})

export const getRawTransactionByBlockNumberAndIndex: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getRawTransactionByBlockNumberAndIndex',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Encoded transaction (EIP-2718) of a canonical block; null when unknown.',
  params: [param('block', blockNumberOrTag, BLOCK), param('index', index, TRANSACTION_INDEX)],
  result: result('transaction', nullable(data)),
  errors: ['UNKNOWN_BLOCK'],
  handler: ({ chain }: Backend, [reference, position]) => encodedAt(chain, findHeader(chain, reference), position),
})

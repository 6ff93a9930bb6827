import type { BlockNumberOrTag } from '../../../api/blockReference.ts'
import { findHeader, pendingOf } from '../../../api/lookup.ts'
import { blockView, pendingBlockView } from '../../../api/views.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import type { PendingSource } from '../../../sealing/contract.ts'
import type { BlockBody } from '../../../types/block.ts'
import { block } from '../../codecs/block.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { boolean, hash32, index, uint } from '../../codecs/scalars.ts'
import { nullable } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { BLOCK_HASH, BLOCK_OR_PENDING, FULL_TRANSACTIONS, OMMER_INDEX } from '../support/parameterTexts.ts'
import { ommerView } from './ommerView.ts'

interface Backend {
  readonly chain: ChainReader
  readonly pending?: PendingSource | undefined
}

function namedBody(
  chain: ChainReader,
  reference: BlockNumberOrTag,
  pending: PendingSource | undefined,
): BlockBody | undefined {
  const pendingBlock = pendingOf(reference, pending)
  if (pendingBlock !== undefined) return pendingBlock.body
  const header = findHeader(chain, reference)
  return header && chain.body(header.hash)
}

export const getBlockByHash: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getBlockByHash',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'A block by hash, with transaction hashes or whole transactions; null when unknown.',
  params: [param('hash', hash32, BLOCK_HASH), param('hydratedTransactions', boolean, FULL_TRANSACTIONS)],
  result: result('block', nullable(block)),
  handler: ({ chain }: Backend, [hash, full]) => {
    const header = chain.headerByHash(hash)
    return header && blockView(chain, header, full)
  },
})

export const getBlockByNumber: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getBlockByNumber',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'A canonical block by number or tag, with transaction hashes or whole transactions; null when unknown.',
  params: [
    param('block', blockNumberOrTag, BLOCK_OR_PENDING),
    param('hydratedTransactions', boolean, FULL_TRANSACTIONS),
  ],
  result: result('block', nullable(block)),
  errors: ['UNKNOWN_BLOCK'],
  handler: ({ chain, pending }: Backend, [reference, full]) => {
    const pendingBlock = pendingOf(reference, pending)
    if (pendingBlock !== undefined) return pendingBlockView(pendingBlock, full)
    const header = findHeader(chain, reference)
    return header && blockView(chain, header, full)
  },
})

export const getBlockTransactionCountByHash: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getBlockTransactionCountByHash',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Number of transactions of a block; null when unknown.',
  params: [param('hash', hash32, BLOCK_HASH)],
  result: result('count', nullable(uint)),
  handler: ({ chain }: Backend, [hash]) => chain.body(hash)?.transactions.length,
})

export const getBlockTransactionCountByNumber: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getBlockTransactionCountByNumber',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Number of transactions of a canonical block; null when unknown.',
  params: [param('block', blockNumberOrTag, BLOCK_OR_PENDING)],
  result: result('count', nullable(uint)),
  errors: ['UNKNOWN_BLOCK'],
  handler: ({ chain, pending }: Backend, [reference]) => namedBody(chain, reference, pending)?.transactions.length,
})

export const getUncleCountByBlockHash: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getUncleCountByBlockHash',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Number of ommers of a block; null when unknown.',
  params: [param('hash', hash32, BLOCK_HASH)],
  result: result('count', nullable(uint)),
  handler: ({ chain }: Backend, [hash]) => chain.body(hash)?.ommers.length,
})

export const getUncleCountByBlockNumber: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getUncleCountByBlockNumber',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Number of ommers of a canonical block; null when unknown.',
  params: [param('block', blockNumberOrTag, BLOCK_OR_PENDING)],
  result: result('count', nullable(uint)),
  errors: ['UNKNOWN_BLOCK'],
  handler: ({ chain, pending }: Backend, [reference]) => namedBody(chain, reference, pending)?.ommers.length,
})

export const getUncleByBlockHashAndIndex: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getUncleByBlockHashAndIndex',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'An ommer of a block; null when unknown.',
  params: [param('hash', hash32, BLOCK_HASH), param('index', index, OMMER_INDEX)],
  result: result('ommer', nullable(block)),
  handler: ({ chain }: Backend, [hash, position]) => ommerView(chain.body(hash)?.ommers[position]),
})

export const getUncleByBlockNumberAndIndex: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getUncleByBlockNumberAndIndex',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'An ommer of a canonical block; null when unknown.',
  params: [param('block', blockNumberOrTag, BLOCK_OR_PENDING), param('index', index, OMMER_INDEX)],
  result: result('ommer', nullable(block)),
  errors: ['UNKNOWN_BLOCK'],
  handler: ({ chain, pending }: Backend, [reference, position]) =>
    ommerView(namedBody(chain, reference, pending)?.ommers[position]),
})

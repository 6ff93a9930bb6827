import { findHeader } from '../../../api/lookup.ts'
import { blockView } from '../../../api/views.ts'
import type { BlockView } from '../../../api/viewTypes.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { serializeBlock } from '../../codecs/block.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { hash32 } from '../../codecs/scalars.ts'
import { answerCodec, nullable } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { BLOCK, BLOCK_HASH } from '../support/parameterTexts.ts'

interface Backend {
  readonly chain: ChainReader
}

/** A block without the members that depend on its body. */
export const headerObject: Codec<BlockView> = answerCodec({ title: 'Header', type: 'object' }, (view) => {
  const { size, transactions, uncles, withdrawals, totalDifficulty, ...header } = serializeBlock(view)
  return header
})

export const getHeaderByHash: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getHeaderByHash',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'The header of a block; null when unknown.',
  params: [param('hash', hash32, BLOCK_HASH)],
  result: result('header', nullable(headerObject)),
  handler: ({ chain }: Backend, [hash]) => {
    const header = chain.headerByHash(hash)
    return header && blockView(chain, header, false)
  },
})

export const getHeaderByNumber: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getHeaderByNumber',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'The header of a canonical block; null when unknown.',
  params: [param('block', blockNumberOrTag, BLOCK)],
  result: result('header', nullable(headerObject)),
  errors: ['UNKNOWN_BLOCK'],
  handler: ({ chain }: Backend, [reference]) => {
    const header = findHeader(chain, reference)
    return header && blockView(chain, header, false)
  },
})

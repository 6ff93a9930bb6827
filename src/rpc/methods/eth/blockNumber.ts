import type { ChainReader } from '../../../chain/contract.ts'
import { uint } from '../../codecs/scalars.ts'
import { defineMethod, type MethodDefinition, result } from '../../method.ts'

interface Backend {
  readonly chain: ChainReader
}

export const blockNumber: MethodDefinition<Backend> = defineMethod({
  name: 'eth_blockNumber',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Number of the head block.',
  params: [],
  result: result('number', uint),
  handler: ({ chain }: Backend) => chain.head.header.number,
})

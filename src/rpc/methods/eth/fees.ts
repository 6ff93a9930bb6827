import { suggestedGasPrice, suggestedPriorityFee } from '../../../api/gasPrices.ts'
import type { ApiOptions } from '../../../api/options.ts'
import { blobBaseFeeOf } from '../../../api/views.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { nextBaseFeeOf } from '../../../chain/nextBlock.ts'
import type { MiningInfo } from '../../../sealing/contract.ts'
import { uint } from '../../codecs/scalars.ts'
import { nullable } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, result } from '../../method.ts'

interface ChainBackend {
  readonly chain: ChainReader
}

interface OptionsBackend extends ChainBackend {
  readonly options: ApiOptions
}

interface PriceBackend extends OptionsBackend {
  readonly mining: MiningInfo
}

export const gasPrice: MethodDefinition<PriceBackend> = defineMethod({
  name: 'eth_gasPrice',
  group: 'ETH',
  answeredBy: 'main',
  summary: 'Suggested price of a legacy transaction, wei per unit of gas.',
  params: [],
  result: result('price', uint),
  handler: ({ chain, options, mining }: PriceBackend) => suggestedGasPrice(chain, options, mining.minGasPrice),
})

export const maxPriorityFeePerGas: MethodDefinition<OptionsBackend> = defineMethod({
  name: 'eth_maxPriorityFeePerGas',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Suggested priority fee, wei per unit of gas.',
  params: [],
  result: result('fee', uint),
  handler: ({ chain, options }: OptionsBackend) => suggestedPriorityFee(chain, options),
})

export const baseFee: MethodDefinition<ChainBackend> = defineMethod({
  name: 'eth_baseFee',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Base fee of the next block, wei per unit of gas; null before London.',
  params: [],
  result: result('fee', nullable(uint)),
  handler: ({ chain }: ChainBackend) => nextBaseFeeOf(chain.config, chain.head.header),
})

export const blobBaseFee: MethodDefinition<ChainBackend> = defineMethod({
  name: 'eth_blobBaseFee',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Blob base fee at the head, wei per unit of blob gas; null before Cancun.',
  params: [],
  result: result('fee', nullable(uint)),
  handler: ({ chain }: ChainBackend) => blobBaseFeeOf(chain, chain.head),
})

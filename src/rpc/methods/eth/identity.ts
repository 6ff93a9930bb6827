/** The methods that wallets call first. */
import type { ChainReader } from '../../../chain/contract.ts'
import { chainIdAfter } from '../../../chain/nextBlock.ts'
import type { DevChain } from '../../../dev/contract.ts'
import { address, uint } from '../../codecs/scalars.ts'
import { arrayOf } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, result } from '../../method.ts'

interface ChainBackend {
  readonly chain: ChainReader
}

interface DevBackend {
  readonly dev: DevChain | undefined
}

export const accounts: MethodDefinition<DevBackend> = defineMethod({
  name: 'eth_accounts',
  group: 'ETH',
  answeredBy: 'main',
  summary: 'Accounts that the node can send for: those of the dev chain and impersonated ones; none on other chains.',
  params: [],
  result: result('accounts', arrayOf(address)),
  handler: ({ dev }: DevBackend) => dev?.accounts.usable ?? [],
})

export const chainId: MethodDefinition<ChainBackend> = defineMethod({
  name: 'eth_chainId',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Chain id for signing transactions (EIP-155).',
  params: [],
  result: result('chainId', uint),
  handler: ({ chain }: ChainBackend) => chainIdAfter(chain.config, chain.head),
})

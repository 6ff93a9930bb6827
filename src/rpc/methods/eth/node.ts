import type { NodeInfo } from '../../../api/nodeInfo.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { chainIdAfter } from '../../../chain/nextBlock.ts'
import type { DevChain } from '../../../dev/contract.ts'
import type { MiningInfo } from '../../../sealing/contract.ts'
import { address, boolean, uint } from '../../codecs/scalars.ts'
import { arrayOf, nullable } from '../../codecs/support.ts'
import { syncingStatus } from '../../codecs/sync.ts'
import { defineMethod, type MethodDefinition, result } from '../../method.ts'

interface ChainBackend {
  readonly chain: ChainReader
}

interface NodeBackend {
  readonly node: NodeInfo
}

interface MiningBackend {
  readonly mining: MiningInfo
}

interface DevBackend {
  readonly dev: DevChain | undefined
}

export const accounts: MethodDefinition<DevBackend> = defineMethod({
  name: 'eth_accounts',
  group: 'ETH',
  summary: 'Accounts that the node can send for: those of the dev chain and impersonated ones; none on other chains.',
  params: [],
  result: result('accounts', arrayOf(address)),
  handler: ({ dev }: DevBackend) => dev?.accounts.usable ?? [],
})

export const chainId: MethodDefinition<ChainBackend> = defineMethod({
  name: 'eth_chainId',
  group: 'ETH',
  summary: 'Chain id for signing transactions (EIP-155).',
  params: [],
  result: result('chainId', uint),
  handler: ({ chain }: ChainBackend) => chainIdAfter(chain.config, chain.head),
})

export const coinbase: MethodDefinition<MiningBackend> = defineMethod({
  name: 'eth_coinbase',
  group: 'ETH',
  summary: 'Beneficiary of mined blocks.',
  params: [],
  result: result('coinbase', address),
  errors: ['COINBASE_NOT_SPECIFIED'],
  handler: ({ mining }: MiningBackend) => {
    if (mining.coinbase === undefined) {
      throw new NodeError({ code: 'COINBASE_NOT_SPECIFIED' }, 'etherbase must be explicitly specified')
    }
    return mining.coinbase
  },
})

export const hashrate: MethodDefinition<MiningBackend> = defineMethod({
  name: 'eth_hashrate',
  group: 'ETH',
  summary: 'Hash rate per second of this node or of the miners that report to it.',
  params: [],
  result: result('hashrate', uint),
  handler: ({ mining }: MiningBackend) => mining.hashrate,
})

export const mining: MethodDefinition<MiningBackend> = defineMethod({
  name: 'eth_mining',
  group: 'ETH',
  summary: 'Whether the node produces blocks.',
  params: [],
  result: result('mining', boolean),
  handler: (backend: MiningBackend) => backend.mining.mining,
})

export const protocolVersion: MethodDefinition<NodeBackend> = defineMethod({
  name: 'eth_protocolVersion',
  group: 'ETH',
  summary: 'Highest version of the eth wire protocol.',
  params: [],
  result: result('version', nullable(uint)),
  handler: ({ node }: NodeBackend) => node.protocolVersion,
})

export const syncing: MethodDefinition<NodeBackend> = defineMethod({
  name: 'eth_syncing',
  group: 'ETH',
  summary: 'Progress of the synchronisation; false when there is none.',
  params: [],
  result: result('status', syncingStatus),
  handler: ({ node }: NodeBackend) => node.syncStatus,
})

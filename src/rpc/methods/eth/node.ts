import type { NodeInfo } from '../../../api/nodeInfo.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { MiningInfo } from '../../../sealing/contract.ts'
import { address, boolean, uint } from '../../codecs/scalars.ts'
import { nullable } from '../../codecs/support.ts'
import { syncingStatus } from '../../codecs/sync.ts'
import { defineMethod, type MethodDefinition, result } from '../../method.ts'

interface NodeBackend {
  readonly node: NodeInfo
}

interface MiningBackend {
  readonly mining: MiningInfo
}

export const coinbase: MethodDefinition<MiningBackend> = defineMethod({
  name: 'eth_coinbase',
  group: 'ETH',
  answeredBy: 'main',
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
  answeredBy: 'main',
  summary: 'Hash rate per second of this node or of the miners that report to it.',
  params: [],
  result: result('hashrate', uint),
  handler: ({ mining }: MiningBackend) => mining.hashrate,
})

export const mining: MethodDefinition<MiningBackend> = defineMethod({
  name: 'eth_mining',
  group: 'ETH',
  answeredBy: 'main',
  summary: 'Whether the node produces blocks.',
  params: [],
  result: result('mining', boolean),
  handler: (backend: MiningBackend) => backend.mining.mining,
})

export const protocolVersion: MethodDefinition<NodeBackend> = defineMethod({
  name: 'eth_protocolVersion',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Highest version of the eth wire protocol.',
  params: [],
  result: result('version', nullable(uint)),
  handler: ({ node }: NodeBackend) => node.protocolVersion,
})

export const syncing: MethodDefinition<NodeBackend> = defineMethod({
  name: 'eth_syncing',
  group: 'ETH',
  answeredBy: 'main',
  summary: 'Progress of the synchronisation; false when there is none.',
  params: [],
  result: result('status', syncingStatus),
  handler: ({ node }: NodeBackend) => node.syncStatus,
})

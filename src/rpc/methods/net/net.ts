import type { NetworkInfo, NodeInfo, ServiceAddress, ServiceName } from '../../../api/nodeInfo.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { chainIdAfter } from '../../../chain/nextBlock.ts'
import { enodeText } from '../../../net/p2p/enode.ts'
import { boolean, string, uint } from '../../codecs/scalars.ts'
import { answerCodec } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, result } from '../../method.ts'

interface Backend {
  readonly node: NodeInfo
}

interface VersionBackend extends Backend {
  readonly chain: Pick<ChainReader, 'config' | 'head'>
}

function enabledNetwork({ network }: NodeInfo): NetworkInfo {
  if (!network.enabled) throw new NodeError({ code: 'P2P_DISABLED' }, 'peer-to-peer networking is disabled')
  return network
}

export const version: MethodDefinition<Backend> = defineMethod({
  name: 'net_version',
  group: 'NET',
  summary: 'Network id, as decimal text.',
  params: [],
  result: result('networkId', string),
  handler: ({ node: { networkId }, chain: { config, head } }: VersionBackend) =>
    (networkId === config.chainId ? chainIdAfter(config, head) : networkId).toString(),
})

export const listening: MethodDefinition<Backend> = defineMethod({
  name: 'net_listening',
  group: 'NET',
  summary: 'Whether the node listens for peers.',
  params: [],
  result: result('listening', boolean),
  handler: ({ node }: Backend) => node.network.listening,
})

export const peerCount: MethodDefinition<Backend> = defineMethod({
  name: 'net_peerCount',
  group: 'NET',
  summary: 'Number of connected peers.',
  params: [],
  result: result('count', uint),
  errors: ['P2P_DISABLED'],
  handler: ({ node }: Backend) => enabledNetwork(node).peerCount,
})

export const enode: MethodDefinition<Backend> = defineMethod({
  name: 'net_enode',
  group: 'NET',
  summary: 'Enode URL of the node.',
  params: [],
  result: result('enode', string),
  errors: ['P2P_DISABLED', 'P2P_NETWORK_NOT_RUNNING'],
  handler: ({ node }: Backend) => {
    const { local } = enabledNetwork(node)
    if (local === undefined) throw new NodeError({ code: 'P2P_NETWORK_NOT_RUNNING' }, 'the network is not running')
    return enodeText(local)
  },
})

const SERVICES: readonly ServiceName[] = ['jsonrpc', 'ws', 'p2p', 'metrics']

const serviceMap = answerCodec<NodeInfo['services']>(
  {
    title: 'Services',
    type: 'object',
    additionalProperties: { type: 'object', properties: { host: { type: 'string' }, port: { type: 'string' } } },
  },
  (services) => {
    const json: Record<string, unknown> = {}
    for (const name of SERVICES) {
      const service: ServiceAddress | undefined = services[name]
      if (service !== undefined) json[name] = { host: service.host, port: String(service.port) }
    }
    return json
  },
)

export const services: MethodDefinition<Backend> = defineMethod({
  name: 'net_services',
  group: 'NET',
  summary: 'Listening services with host and port.',
  params: [],
  result: result('services', serviceMap),
  handler: ({ node }: Backend) => node.services,
})

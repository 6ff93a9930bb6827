import { genesisOptions } from '../../../api/genesisOptions.ts'
import type { NodeInfo } from '../../../api/nodeInfo.ts'
import { bytesToHex, bytesToHexUnprefixed } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { hostPort } from '../../../base/primitives/hostPort.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { type Enode, enodeText } from '../../../net/p2p/enode.ts'
import { bigJson } from '../../bigJson.ts'
import { answerCodec } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, result } from '../../method.ts'
import { TextResult } from '../../textResult.ts'

interface Backend {
  readonly node: NodeInfo
  readonly chain: ChainReader
}

const info = answerCodec<never>(
  { title: 'NodeInfo', type: 'object', description: 'Address, ports, name, and chain of this node.' },
  (value) => value,
)

export const nodeInfo: MethodDefinition<Backend> = defineMethod({
  name: 'admin_nodeInfo',
  group: 'ADMIN',
  summary: 'Address of this node for its peers, and its chain.',
  params: [],
  result: result('info', info),
  errors: ['P2P_DISABLED', 'P2P_NETWORK_NOT_RUNNING'],
  handler: ({ node, chain }: Backend) => {
    const { network } = node
    if (!network.enabled) throw new NodeError({ code: 'P2P_DISABLED' }, 'peer-to-peer networking is disabled')
    const { local } = network
    if (local === undefined) {
      throw new NodeError({ code: 'P2P_NETWORK_NOT_RUNNING' }, 'the network is not running')
    }
    return new TextResult(bigJson({ ...address(local), ...chainOf(node, chain) }))
  },
})

function address(local: Enode) {
  const { id, host, port, discoveryPort } = local
  return {
    enode: enodeText(local),
    ...(port === 0 ? {} : { listenAddr: hostPort(local) }),
    ip: host,
    id: bytesToHexUnprefixed(id),
    ports: { ...(discoveryPort === 0 ? {} : { discovery: discoveryPort }), listener: port },
  }
}

function chainOf({ clientVersion, networkId }: NodeInfo, { config, genesis, head }: ChainReader) {
  return {
    name: clientVersion,
    protocols: {
      eth: {
        config: genesisOptions(config.options.source),
        difficulty: head.totalDifficulty,
        genesis: bytesToHex(genesis.hash),
        head: bytesToHex(head.hash),
        network: networkId,
      },
    },
  }
}

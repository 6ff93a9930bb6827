import { invalidParams } from '../../../api/errors.ts'
import type { NodeInfo } from '../../../api/nodeInfo.ts'
import type { ConnectedPeer, PeerControl } from '../../../api/peers.ts'
import { type Enode, enodeText, parseEnode } from '../../../p2p/enode.ts'
import { bytesToHex, quantity } from '../../../primitives/bytes.ts'
import { NodeError } from '../../../primitives/errors.ts'
import { boolean } from '../../codecs/scalars.ts'
import { answerCodec, arrayOf, parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, param, result } from '../../method.ts'

interface Backend {
  readonly node: NodeInfo
  readonly peers: PeerControl
}

/** Numbers and booleans are texts that are no URL, as in Besu. */
const enode: Codec<Enode> = parameterCodec(
  { title: 'Enode', type: 'string', description: 'enode://<node id>@<IP address>:<port>[?discport=<port>]' },
  (value) => {
    if (typeof value === 'object') throw invalidParams('a string is expected')
    return parseEnode(String(value))
  },
)

const ERRORS: readonly string[] = ['P2P_DISABLED', 'INVALID_ENODE_URL', 'ENODE_ID_INVALID']

function requireNetwork({ network }: NodeInfo): void {
  if (!network.enabled) throw new NodeError({ code: 'P2P_DISABLED' }, 'peer-to-peer networking is disabled')
}

export const addPeer: MethodDefinition<Backend> = defineMethod({
  name: 'admin_addPeer',
  group: 'ADMIN',
  summary: 'Adds a peer to the list of those to stay connected to; false if it is in the list or is this node.',
  params: [param('enode', enode)],
  exactParams: true,
  result: result('isAdded', boolean),
  errors: [...ERRORS, 'TOO_MANY_PEERS'],
  handler: ({ node, peers }: Backend, [peer]) => {
    if (peer.port === 0) throw new NodeError({ code: 'INVALID_ENODE_URL' }, 'parse error: the peer does not listen')
    requireNetwork(node)
    return peers.add(peer)
  },
})

export const removePeer: MethodDefinition<Backend> = defineMethod({
  name: 'admin_removePeer',
  group: 'ADMIN',
  summary: 'Removes a peer from the list and disconnects it; false if it was not in the list.',
  params: [param('enode', enode)],
  exactParams: true,
  result: result('isRemoved', boolean),
  errors: ERRORS,
  handler: ({ node, peers }: Backend, [peer]) => {
    requireNetwork(node)
    return peers.remove(peer)
  },
})

const connectedPeer: Codec<ConnectedPeer> = answerCodec(
  { title: 'Peer', type: 'object', description: 'Address, capabilities and head of a connected peer.' },
  (peer) => ({
    version: quantity(peer.version),
    name: peer.name,
    caps: peer.capabilities,
    network: { localAddress: peer.localAddress, remoteAddress: peer.remoteAddress },
    port: quantity(peer.port),
    id: bytesToHex(peer.enode.id),
    protocols: {
      eth: {
        ...(peer.totalDifficulty === undefined ? {} : { difficulty: quantity(peer.totalDifficulty) }),
        head: peer.headHash === undefined ? '0x' : bytesToHex(peer.headHash),
        version: peer.ethVersion,
      },
    },
    enode: enodeText(peer.enode),
  }),
)

export const peers: MethodDefinition<Backend> = defineMethod({
  name: 'admin_peers',
  group: 'ADMIN',
  summary: 'Connected peers; empty without a network.',
  params: [],
  result: result('peers', arrayOf(connectedPeer)),
  handler: (backend: Backend) => backend.peers.connected,
})

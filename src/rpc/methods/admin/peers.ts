import { unexpectedValue } from '../../../api/errors.ts'
import type { NodeInfo } from '../../../api/nodeInfo.ts'
import type { ConnectedPeer, NamedPeerControl, PeerControl } from '../../../api/peers.ts'
import { bytesToHex, quantity } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { described } from '../../../base/primitives/printable.ts'
import { type Enode, enodeText, parseEnode } from '../../../net/p2p/enode.ts'
import { hostNames, replaceHostNames } from '../../../net/p2p/hostNames.ts'
import { boolean } from '../../codecs/scalars.ts'
import { answerCodec, arrayOf, parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { ENODE } from '../support/parameterTexts.ts'

interface Backend {
  readonly node: NodeInfo
  readonly peers: PeerControl
}

/** A URL with a host name, whose other parts are valid. */
interface NamedEnode {
  readonly url: string
  readonly port: number
}

/** Numbers and booleans become texts that are not URLs, as in Besu. Host names are allowed with --Xdns-enabled. */
const enode: Codec<Enode | NamedEnode> = parameterCodec(
  { title: 'Enode', type: 'string', description: 'enode://<node id>@<IP address>:<port>[?discport=<port>]' },
  (value) => {
    if (typeof value === 'object') throw unexpectedValue('a string', described(value))
    const url = String(value)
    if (hostNames(url).length === 0) return parseEnode(url)
    return { url, port: parseEnode(replaceHostNames(url, () => ANY_ADDRESS)).port }
  },
)

const ANY_ADDRESS = '127.0.0.1'

/** @throws {NodeError} INVALID_ENODE_URL */
function requireNames({ named }: PeerControl): NamedPeerControl {
  if (named !== undefined) return named
  const message = 'parse error: not an enode URL with an IP address and a port; --Xdns-enabled allows host names'
  throw new NodeError({ code: 'INVALID_ENODE_URL' }, message)
}

const ERRORS: readonly string[] = ['P2P_DISABLED', 'INVALID_ENODE_URL', 'ENODE_ID_INVALID']

function requireNetwork({ network }: NodeInfo): void {
  if (!network.enabled) throw new NodeError({ code: 'P2P_DISABLED' }, 'peer-to-peer networking is disabled')
}

export const addPeer: MethodDefinition<Backend> = defineMethod({
  name: 'admin_addPeer',
  group: 'ADMIN',
  summary: 'Adds a peer to the list of those to stay connected to; false if it is in the list or is this node.',
  params: [param('enode', enode, ENODE)],
  exactParams: true,
  result: result('isAdded', boolean),
  errors: [...ERRORS, 'TOO_MANY_PEERS'],
  handler: ({ node, peers }: Backend, [peer]) => {
    if (peer.port === 0) throw new NodeError({ code: 'INVALID_ENODE_URL' }, 'parse error: the peer does not listen')
    const names = 'url' in peer ? requireNames(peers) : undefined
    requireNetwork(node)
    return 'url' in peer ? (names as NamedPeerControl).add(peer.url) : peers.add(peer)
  },
})

export const removePeer: MethodDefinition<Backend> = defineMethod({
  name: 'admin_removePeer',
  group: 'ADMIN',
  summary: 'Removes a peer from the list and disconnects it; false if it was not in the list.',
  params: [param('enode', enode, ENODE)],
  exactParams: true,
  result: result('isRemoved', boolean),
  errors: ERRORS,
  handler: ({ node, peers }: Backend, [peer]) => {
    const names = 'url' in peer ? requireNames(peers) : undefined
    requireNetwork(node)
    return 'url' in peer ? (names as NamedPeerControl).remove(peer.url) : peers.remove(peer)
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

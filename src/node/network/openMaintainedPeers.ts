import type { PeerConnections } from '../../api/peers.ts'
import type { NodeHost } from '../host.ts'
import { MaintainedPeers } from './maintainedPeers.ts'
import type { NamedPeers } from './namedPeers.ts'

/** The peers to stay connected to, by address and, on a host that resolves names, by name. */
export async function openMaintainedPeers(
  { signer, staticNodes, hostNames: names, timers, logger }: NodeHost,
  connections: PeerConnections | undefined,
): Promise<{ readonly peers: MaintainedPeers; readonly namedPeers: NamedPeers | undefined }> {
  const peers = new MaintainedPeers(signer, connections, staticNodes)
  if (names === undefined) return { peers, namedPeers: undefined }
  const { NamedPeers } = await import('./namedPeers.ts')
  const namedPeers = new NamedPeers({ names, peers, timers, logger: logger.child('peers') })
  peers.named = namedPeers
  return { peers, namedPeers }
}

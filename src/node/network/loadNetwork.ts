import type { BftWire } from '../../net/protocols/bftWire.ts'
import type { NodeHost } from '../host.ts'
import type { NodeSettings } from '../settings/nodeSettings.ts'
import type { NetworkDeps, NodeNetwork } from './nodeNetwork.ts'

/** The code of the network, with the sockets and the key of the node. */
export interface LoadedNetwork {
  createBftWire(): BftWire
  open(input: NetworkDeps): NodeNetwork
}

/**
 * Loads the network on request, because pages have none, and its code is large.
 * @returns undefined on the dev chain, when the network is off, and on hosts without sockets
 */
export async function loadNetwork(
  { tcp, signer }: Pick<NodeHost, 'tcp' | 'signer'>,
  { hasPeers }: Pick<NodeSettings, 'hasPeers'>,
): Promise<LoadedNetwork | undefined> {
  if (!hasPeers || tcp === undefined || signer === undefined) return undefined
  const { createBftWire, openNetwork } = await import('./nodeNetwork.ts')
  return { createBftWire, open: (input) => openNetwork(input, { tcp, signer }) }
}

import { ipScope, parseIp } from '../../../base/primitives/ipAddress.ts'

/**
 * Whether a sender may name an address. A remote host must not direct packets to addresses that only this host or its
 * local network reaches, and such addresses are useless to a remote host.
 * @param host of the named node
 * @param senderHost of the node that names it, or that is told of it
 */
export function isRelayable(host: string, senderHost: string): boolean {
  const [address, sender] = [parseIp(host), parseIp(senderHost)]
  if (address === undefined || sender === undefined) return false
  const [scope, senderScope] = [ipScope(address), ipScope(sender)]
  if (scope === 'unusable') return false
  if (scope === 'loopback') return senderScope === 'loopback'
  return scope === 'global' || senderScope !== 'global'
}

import { bytesToHexUnprefixed } from '../base/primitives/bytes.ts'
import { ipText, parseIp } from '../base/primitives/ipAddress.ts'
import type { PeerEndpoint } from './contract.ts'

/** Text that is equal for equal node ids and IP addresses. An IPv4 address may be written as an IPv6 one. */
export function hostKey({ id, host }: Pick<PeerEndpoint, 'id' | 'host'>): string {
  const ip = parseIp(host)
  return `${bytesToHexUnprefixed(id)}@${ip === undefined ? host : ipText(ip)}`
}

/** Text that is equal for equal ends of connections. */
export function endpointKey(peer: PeerEndpoint): string {
  return `${hostKey(peer)}:${peer.port}`
}

import { bytesToHexUnprefixed } from '../primitives/bytes.ts'
import { ipText, parseIp } from '../primitives/ipAddress.ts'
import type { PeerEndpoint } from './contract.ts'

/** Text that is equal for equal ends of connections. An IPv4 address may be written as an IPv6 one. */
export function endpointKey({ id, host, port }: PeerEndpoint): string {
  const ip = parseIp(host)
  return `${bytesToHexUnprefixed(id)}@${ip === undefined ? host : ipText(ip)}:${port}`
}

/**
 * Requests from the node's own page.
 * @module
 */
import { splitHostPort } from '../base/primitives/hostPort.ts'
import { parseIp } from '../base/primitives/ipAddress.ts'

export interface OwnServer {
  /** Whether it is served over TLS. */
  readonly isSecure: boolean
  /** Whether only the server's own host names are accepted. */
  readonly isHostChecked: boolean
}

/**
 * Whether a page has the origin that the Host header of its request names. A proxy in front of the node may add TLS.
 *
 * Where any host is accepted, a page of another site could have its name resolve to the node (DNS rebinding). Only
 * addresses and `localhost`, which no other site can have, count there.
 */
export function isOwnOrigin(origin: string, host: string, { isSecure, isHostChecked }: OwnServer): boolean {
  const place = host.toLowerCase()
  if (origin !== `https://${place}` && (isSecure || origin !== `http://${place}`)) return false
  const name = splitHostPort(host)?.host
  if (name === undefined) return false
  return isHostChecked || name === 'localhost' || parseIp(name) !== undefined
}

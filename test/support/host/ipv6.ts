import { networkInterfaces } from 'node:os'

/** Whether programs can listen on `::1`. Some containers have no IPv6. */
export function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'))
}

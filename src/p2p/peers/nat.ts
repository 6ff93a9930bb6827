/**
 * The address under which other networks reach this node.
 * @see p2p.md section 11
 * @module
 */
import { parseIp } from '../../primitives/ipAddress.ts'

export type NatMethod = 'UPNP' | 'UPNPP2PONLY' | 'DOCKER' | 'KUBERNETES' | 'AUTO' | 'NONE'

/** The environment of the process. */
export interface NatFacts {
  readonly isDocker: boolean
  readonly isKubernetes: boolean
  /** Address of the host of a container, from the variable HOST_IP. */
  readonly hostIp: string | undefined
}

export interface NatOptions {
  readonly method: NatMethod
  /** --p2p-host */
  readonly host: string
  /** The operator has chosen the host, rather than the default. */
  readonly isHostGiven: boolean
  readonly facts: NatFacts
}

export interface AdvertisedAddress {
  readonly host: string
  /** For the log; undefined when there is nothing to do. */
  readonly warning?: string
}

/** No method maps ports: the operator does, or the container runtime. */
export function advertisedAddress({ method, host, isHostGiven, facts }: NatOptions): AdvertisedAddress {
  const option = `--nat-method=${method}`
  switch (method) {
    case 'NONE':
      return { host }
    case 'UPNP':
    case 'UPNPP2PONLY':
      return {
        host,
        warning: `${option} is not supported: map the p2p port (TCP and UDP) in the router and set --p2p-host to its external address`,
      }
    case 'KUBERNETES':
      return { host, ...unlessGiven(`${option} is not supported: set --p2p-host to the address of the service`) }
    case 'DOCKER':
      return inDocker(`${option}: `)
    case 'AUTO':
      if (facts.isKubernetes) {
        return { host, ...unlessGiven('in a Kubernetes pod: set --p2p-host to the address of the service') }
      }
      return facts.isDocker ? inDocker('in a Docker container: ') : { host }
  }

  function inDocker(prefix: string): AdvertisedAddress {
    const { hostIp } = facts
    if (hostIp !== undefined && parseIp(hostIp) !== undefined) return { host: hostIp }
    const reason =
      hostIp === undefined ? 'the address of the host is unknown' : `HOST_IP, '${hostIp}', is not an IP address`
    return { host, ...unlessGiven(`${prefix}${reason}: set HOST_IP or --p2p-host`) }
  }

  function unlessGiven(warning: string): { readonly warning?: string } {
    return isHostGiven ? {} : { warning }
  }
}

/**
 * The address under which other networks reach this node.
 * @see docs/reference/p2p.md section 11
 * @module
 */
import { parseIp } from '../../../base/primitives/ipAddress.ts'

export type NatMethod = 'UPNP' | 'UPNPP2PONLY' | 'DOCKER' | 'KUBERNETES' | 'AUTO' | 'NONE'

/** Facts about the machine that runs the node. */
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
  /** The operator asked for a method that does not find the address. */
  readonly warning?: string
  /** The operator chose no method, but others probably cannot reach the address. */
  readonly notice?: string
}

const SERVICE_ADVICE = 'set --p2p-host to the address of the service'

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
      return unlessGiven({ host, warning: `${option} is not supported: ${SERVICE_ADVICE}` })
    case 'DOCKER':
      return dockerHost() ?? unlessGiven({ host, warning: `${option}: ${unknownHost()}` })
    case 'AUTO':
      if (facts.isKubernetes)
        return unlessGiven({ host, notice: `this looks like a Kubernetes pod: ${SERVICE_ADVICE}` })
      if (!facts.isDocker) return { host }
      return dockerHost() ?? unlessGiven({ host, notice: `this looks like a Docker container: ${unknownHost()}` })
  }

  function dockerHost(): AdvertisedAddress | undefined {
    const { hostIp } = facts
    return hostIp !== undefined && parseIp(hostIp) !== undefined ? { host: hostIp } : undefined
  }

  function unknownHost(): string {
    const { hostIp } = facts
    const reason =
      hostIp === undefined ? 'the address of the host is unknown' : `HOST_IP, '${hostIp}', is not an IP address`
    return `${reason}: set HOST_IP or --p2p-host`
  }

  function unlessGiven(address: AdvertisedAddress): AdvertisedAddress {
    return isHostGiven ? { host } : address
  }
}

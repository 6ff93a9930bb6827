/**
 * Whether the process runs in a container.
 * @module
 */
import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { advertisedAddress, type NatFacts } from '../../../src/net/p2p/peers/nat.ts'
import type { NodeSettings } from '../../../src/node/settings/nodeSettings.ts'
import type { NatSettings } from '../settings.ts'

export interface ContainerSigns {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Created by Docker in each container. */
  readonly markerFile: string
  /** Control groups of the first process. */
  readonly cgroupFile: string
}

const SYSTEM: Omit<ContainerSigns, 'environment'> = { markerFile: '/.dockerenv', cgroupFile: '/proc/1/cgroup' }

export function readNatFacts({ environment, markerFile, cgroupFile }: ContainerSigns): NatFacts {
  return {
    isDocker: existsSync(markerFile) || /\/docker[/-]/.test(textOf(cgroupFile)),
    isKubernetes: environment['KUBERNETES_SERVICE_HOST'] !== undefined,
    hostIp: environment['HOST_IP'] || undefined,
  }
}

/** Applies the NAT method to a node with peers. */
export function withAdvertisedHost(settings: NodeSettings, nat: NatSettings): NodeSettings {
  if (!settings.hasPeers) return settings
  const facts = readNatFacts({ ...SYSTEM, environment: process.env })
  const address = advertisedAddress({ ...nat, facts })
  return { ...settings, p2pHost: address.host, p2pHostAdvice: address }
}

/** @returns empty if the file is absent or cannot be read */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

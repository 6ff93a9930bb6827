/**
 * Whether the process runs in a container.
 * @module
 */
import { existsSync, readFileSync } from 'node:fs'
import type { NatFacts } from '../../src/p2p/peers/nat.ts'

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

export function systemNatFacts(): NatFacts {
  return readNatFacts({ ...SYSTEM, environment: process.env })
}

/** @returns empty when the file is absent or may not be read */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

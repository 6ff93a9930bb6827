import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readNatFacts } from '../../../../../adapters/server/net/natFacts.ts'
import { advertisedAddress, type NatFacts, type NatMethod } from '../../../../../src/net/p2p/peers/nat.ts'

const NOWHERE: NatFacts = { isDocker: false, isKubernetes: false, hostIp: undefined }
const DOCKER: NatFacts = { ...NOWHERE, isDocker: true }

const advertise = (method: NatMethod, facts: NatFacts, isHostGiven = false) =>
  advertisedAddress({ method, host: '127.0.0.1', isHostGiven, facts })

describe('the advertised address', () => {
  it('is that of --p2p-host outside of containers', () => {
    for (const method of ['NONE', 'AUTO'] as const) expect(advertise(method, NOWHERE)).toEqual({ host: '127.0.0.1' })
    expect(advertise('NONE', { ...DOCKER, hostIp: '1.2.3.4' })).toEqual({ host: '127.0.0.1' })
  })

  it('is that of the host of a Docker container, if it is known', () => {
    for (const method of ['AUTO', 'DOCKER'] as const) {
      expect(advertise(method, { ...DOCKER, hostIp: '192.168.3.4' })).toEqual({ host: '192.168.3.4' })
      const key = method === 'AUTO' ? 'notice' : 'warning'
      expect(advertise(method, DOCKER)[key]).toMatch(/the address of the host is unknown: set HOST_IP or --p2p-host$/)
      expect(advertise(method, { ...DOCKER, hostIp: 'me' })[key]).toContain("HOST_IP, 'me', is not an IP address")
      expect(advertise(method, DOCKER, true)).toEqual({ host: '127.0.0.1' })
    }
  })

  it('comes with a warning where a method is not supported', () => {
    for (const method of ['UPNP', 'UPNPP2PONLY'] as const) {
      const { host, warning } = advertise(method, NOWHERE, true)
      expect([host, warning]).toEqual(['127.0.0.1', expect.stringContaining(`--nat-method=${method} is not supported`)])
    }
    expect(advertise('KUBERNETES', NOWHERE).warning).toContain('set --p2p-host to the address of the service')
    expect(advertise('AUTO', { ...NOWHERE, isKubernetes: true }).notice).toContain('Kubernetes')
    expect(advertise('AUTO', { ...NOWHERE, isKubernetes: true }, true)).toEqual({ host: '127.0.0.1' })
  })
})

describe('containers', () => {
  it('are detected by their files and variables', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'nat-'))
    try {
      const [markerFile, cgroupFile] = [path.join(folder, 'marker'), path.join(folder, 'cgroup')]
      const read = (environment = {}) => readNatFacts({ environment, markerFile, cgroupFile })
      expect(read()).toEqual(NOWHERE)
      expect(read({ KUBERNETES_SERVICE_HOST: '10.0.0.1', HOST_IP: '' })).toEqual({ ...NOWHERE, isKubernetes: true })
      writeFileSync(cgroupFile, '12:cpu:/docker/0123456789ab\n')
      expect(read({ HOST_IP: '5.6.7.8' })).toEqual({ ...DOCKER, hostIp: '5.6.7.8' })
      writeFileSync(cgroupFile, '0::/init.scope\n')
      expect(read()).toEqual(NOWHERE)
      writeFileSync(markerFile, '')
      expect(read()).toEqual(DOCKER)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

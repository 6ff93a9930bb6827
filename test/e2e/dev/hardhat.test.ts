/** A Hardhat project that is not adapted to this node: its tests and deploy script, with the dev chain as localhost. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixtureProject, type HardhatProject, hardhatPackages } from '../../support/host/hardhat.ts'
import { needsTool } from '../../support/host/needs.ts'
import { DEV_HOSTS, type DevNode, startDevNode } from '../../support/nodes/devNode.ts'

const PROJECT_TIMEOUT_MS = 240_000

/** anvil lacks setPrevRandao, and mines reverting transactions where the matchers expect an error. */
const hosts = DEV_HOSTS.filter((host) => host !== 'anvil')

describe.each(hosts)('Hardhat on %s', needsTool('Hardhat', hardhatPackages(2)), (host) => {
  let node: DevNode
  let project: HardhatProject

  beforeAll(async () => {
    node = await startDevNode(host)
    project = fixtureProject(2)
  })
  afterAll(async () => {
    expect(await node.stop()).toBe(0)
  })

  it('runs its deploy script and its tests', { timeout: PROJECT_TIMEOUT_MS }, async () => {
    const deployed = await project.hardhat(node.http, ['run', 'scripts/deploy.cjs', '--network', 'localhost'])
    expect(deployed).toMatch(/deployed 0x[0-9a-fA-F]{40} supply 1000$/m)
    expect(existsSync(path.join(project.folder, 'artifacts/contracts/Token.sol/Token.json'))).toBe(true)
    const tested = await project.hardhat(node.http, ['test', '--no-compile', '--network', 'localhost'])
    expect(tested).toMatch(/\d+ passing/)
    expect(tested).not.toContain('failing')
  })
})

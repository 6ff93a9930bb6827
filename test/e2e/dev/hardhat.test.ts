/** A Hardhat project that is not adapted to this node: its tests and deploy script, with the dev chain as localhost. */
import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsTool } from '../../support/host/needs.ts'
import { installedTools, runTool } from '../../support/host/tools.ts'
import { DEV_HOSTS, type DevNode, startDevNode } from '../../support/nodes/devNode.ts'
import { temporaryDirectory } from '../../support/nodes/program.ts'

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures')
const PROJECT_TIMEOUT_MS = 90_000

const packages = installedTools('hardhat/node_modules')

/** anvil lacks setPrevRandao, and mines reverting transactions where the matchers expect an error. */
const hosts = DEV_HOSTS.filter((host) => host !== 'anvil')

describe.each(hosts)('Hardhat on %s', needsTool('Hardhat', packages), (host) => {
  let node: DevNode
  let project: string
  const hardhat = (...args: readonly string[]): Promise<string> =>
    runTool(process.execPath, [path.join(project, 'node_modules/hardhat/internal/cli/cli.js'), ...args], {
      cwd: project,
      env: { RPC_URL: node.http, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' },
    })

  beforeAll(async () => {
    node = await startDevNode(host)
    project = temporaryDirectory()
    cpSync(path.join(FIXTURES, 'hardhat'), project, { recursive: true })
    cpSync(path.join(FIXTURES, 'contracts'), path.join(project, 'contracts'), { recursive: true })
    writeFileSync(path.join(project, 'package.json'), '{}')
    symlinkSync(packages as string, path.join(project, 'node_modules'))
  })
  afterAll(async () => {
    expect(await node.stop()).toBe(0)
  })

  it('runs its deploy script and its tests', { timeout: PROJECT_TIMEOUT_MS }, async () => {
    const deployed = await hardhat('run', 'scripts/deploy.cjs', '--network', 'localhost')
    expect(deployed).toMatch(/deployed 0x[0-9a-fA-F]{40} supply 1000$/m)
    expect(existsSync(path.join(project, 'artifacts/contracts/Token.sol/Token.json'))).toBe(true)
    const tested = await hardhat('test', '--no-compile', '--network', 'localhost')
    expect(tested).toMatch(/\d+ passing/)
    expect(tested).not.toContain('failing')
  })
})

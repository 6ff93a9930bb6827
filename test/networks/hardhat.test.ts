/**
 * Hardhat 2 and 3 with the dev chain as a network: the sample projects that Hardhat itself ships, a project of this
 * repository, Ignition, and errors of transactions that revert. Each test has a chain that nobody used before.
 */
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  fixtureProject,
  type HardhatProject,
  type HardhatVersion,
  hardhatPackages,
  hardhatProject,
} from '../support/host/hardhat.ts'
import { needsTool } from '../support/host/needs.ts'
import { type RunningNode, startNode } from '../support/nodes/program.ts'

const TIMEOUT_MS = 300_000
/** For commands that call no node. */
const NO_NODE = 'http://127.0.0.1:1'
const JOURNAL = { timeout: 60_000, interval: 20 }
const DEPLOYER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

let node: RunningNode

async function freshNode(...options: readonly string[]): Promise<string> {
  node = await startNode(['--ephemeral', ...options])
  return node.url
}

afterEach(async () => {
  await node.stop()
})

/** A project that Hardhat's package contains. */
const sample = (version: HardhatVersion, folder: string): HardhatProject =>
  hardhatProject(version, [path.join(hardhatPackages(version) as string, 'hardhat', folder)])

function edit(project: HardhatProject, file: string, change: (text: string) => string): void {
  const name = path.join(project.folder, file)
  writeFileSync(name, change(readFileSync(name, 'utf8')))
}

/** @param deploy the command that deploys the module of two transactions */
function deploysOnce(project: () => HardhatProject, deploy: readonly string[]): void {
  it('deploys with Ignition, and finds nothing to do in the second run', async () => {
    const { hardhat } = project()
    const url = await freshNode()
    const deployed = await hardhat(url, deploy)
    expect(deployed).toContain('[ TokenModule ] successfully deployed')
    const address = /TokenModule#Token - (0x[0-9a-fA-F]{40})/.exec(deployed)?.[1]
    expect(await node.rpc('eth_getCode', [address])).toMatch(/^0x60/)
    expect(await hardhat(url, deploy)).toContain('Nothing new to deploy')
    expect(await node.rpc('eth_getTransactionCount', [DEPLOYER])).toBe('0x2')
    expect(await hardhat(url, ['ignition', 'status', 'chain-31337'])).toContain(address)
  })
}

function resumes(project: () => HardhatProject, deploy: readonly string[]): void {
  it('resumes a deployment of Ignition that was killed while its transaction waited', async () => {
    const { folder, hardhat, start } = project()
    const url = await freshNode('--no-mining')
    const command = [...deploy, '--deployment-id', 'killed']
    const interrupted = start(url, command)
    const ended = once(interrupted, 'close')
    const journal = path.join(folder, 'ignition/deployments/killed/journal.jsonl')
    await vi.waitFor(() => expect(readFileSync(journal, 'utf8')).toContain('"TRANSACTION_SEND"'), JOURNAL)
    interrupted.kill('SIGKILL')
    await ended
    await node.rpc('evm_mine')
    await node.rpc('evm_setAutomine', [true])
    const resumed = await hardhat(url, command)
    expect(resumed).toContain('Resuming existing deployment')
    expect(resumed).toContain('[ TokenModule ] successfully deployed')
    expect(await node.rpc('eth_getTransactionCount', [DEPLOYER])).toBe('0x2')
  })
}

describe('Hardhat 3', { timeout: TIMEOUT_MS, ...needsTool('Hardhat 3', hardhatPackages(3)) }, () => {
  const onNode = ['--no-compile', '--network', 'isonode']
  // The default of Ignition's profile would compile all contracts again, each by itself.
  const onNodeAsBuilt = ['--network', 'isonode', '--build-profile', 'default']
  const deploy = ['ignition', 'deploy', 'ignition/modules/Token.js', ...onNodeAsBuilt]
  let project: HardhatProject

  beforeAll(async () => {
    project = fixtureProject(3)
    await project.hardhat(NO_NODE, ['build'])
  })

  it.each(['01-node-test-runner-viem', '02-mocha-ethers'])('passes the tests of its template %s', async (template) => {
    const project = sample(3, `templates/${template}`)
    // A test in Solidity, which runs inside Hardhat and needs a package of Foundry.
    rmSync(path.join(project.folder, 'contracts/Counter.t.sol'))
    edit(project, 'hardhat.config.ts', (text) =>
      text
        // The compiler of npm: nothing is downloaded.
        .replaceAll(/version: "[\d.]+"/g, `version: "0.8.37", path: "${project.folder}/node_modules/solc/soljson.js"`)
        .replace('networks: {', 'networks: { isonode: { type: "http", url: process.env.RPC_URL! },'),
    )
    const tested = await project.hardhat(await freshNode(), ['test', '--network', 'isonode'])
    expect(tested).toContain('2 passing')
    expect(tested).not.toContain('failing')
  })

  it('passes a project with matchers, assertions, network helpers, a script and the console', async () => {
    const { hardhat } = project
    const url = await freshNode()
    const tested = await hardhat(url, ['test', ...onNode])
    expect(tested).toContain('15 passing (11 mocha, 4 nodejs)')
    expect(tested).not.toContain('failing')
    const deployed = await hardhat(url, ['run', ...onNode, 'scripts/deploy.js'])
    expect(deployed).toMatch(/deployed 0x[0-9a-fA-F]{40} supply 1000$/m)
    const input = '(await (await network.create()).ethers.provider.getNetwork()).chainId\n.exit\n'
    expect(await hardhat(url, ['console', ...onNode], { input })).toContain('31337n')
  })

  it.each(['mocha', 'nodejs'])(
    '%s has the errors of transactions with a gas limit under --fail-on-revert',
    async (runner) => {
      const url = await freshNode('--fail-on-revert')
      const tested = await project.hardhat(url, ['test', runner, ...onNode, `test/failing/${runner}.js`])
      expect(tested).toContain('1 passing')
    },
  )

  deploysOnce(() => project, deploy)
  resumes(() => project, deploy)

  it('deploys with the strategy create2 of Ignition, which first deploys its factory', async () => {
    const command = ['ignition', 'deploy', 'ignition/modules/Alone.js', ...onNodeAsBuilt, '--strategy', 'create2']
    expect(await project.hardhat(await freshNode(), command)).toContain('[ AloneModule ] successfully deployed')
  })
})

describe('Hardhat 2', { timeout: TIMEOUT_MS, ...needsTool('Hardhat 2', hardhatPackages(2)) }, () => {
  const deploy = ['ignition', 'deploy', 'ignition/modules/Token.cjs', '--network', 'localhost']
  let project: HardhatProject

  beforeAll(async () => {
    project = fixtureProject(2)
    await project.hardhat(NO_NODE, ['compile'])
  })

  it('passes the tests of its sample project, Lock', async () => {
    const lock = sample(2, 'sample-projects/javascript')
    rmSync(path.join(lock.folder, 'hardhat.config.js'))
    writeFileSync(
      path.join(lock.folder, 'hardhat.config.cjs'),
      readFileSync(path.join(project.folder, 'hardhat.config.cjs')),
    )
    // The toolbox only passes these helpers on, beside many packages that the sample does not use.
    edit(lock, 'test/Lock.js', (text) => text.replace('hardhat-toolbox/network-helpers', 'hardhat-network-helpers'))
    const tested = await lock.hardhat(await freshNode(), ['test', '--network', 'localhost'])
    expect(tested).toContain('9 passing')
    expect(tested).not.toContain('failing')
  })

  it('has the errors of transactions with a gas limit under --fail-on-revert', async () => {
    const url = await freshNode('--fail-on-revert')
    const tested = await project.hardhat(url, ['test', '--no-compile', '--network', 'localhost', 'failing/Token.cjs'])
    expect(tested).toContain('1 passing')
  })

  deploysOnce(() => project, deploy)
  resumes(() => project, deploy)
})

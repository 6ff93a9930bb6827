/**
 * Programs of other clients and test runners, written as their users write them. Each client has a new dev chain; each runner
 * starts its node itself.
 */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { compileContract } from '../support/evm/solidity.ts'
import { bunBinary, denoBinary } from '../support/host/binaries.mjs'
import { needsTool } from '../support/host/needs.ts'
import { installedTools, runTool } from '../support/host/tools.ts'
import { startDevNode } from '../support/nodes/devNode.ts'
import { temporaryDirectory } from '../support/nodes/program.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const FIXTURES = path.join(ROOT, 'test/fixtures/clients')
const LIMIT_MS = 240_000

let contracts = ''
beforeAll(() => {
  contracts = path.join(temporaryDirectory(), 'contracts.json')
  const compiled = ['Token', 'Timelock'].map((name) => [name, compileContract(name)])
  writeFileSync(contracts, JSON.stringify(Object.fromEntries(compiled)))
})

/** Runs a program with the addresses of a new dev chain, the contracts and the library. */
async function runOnNewChain(program: string, ...args: readonly string[]): Promise<void> {
  const node = await startDevNode('node')
  const given = [node.http, node.ws, contracts, path.join(ROOT, 'dist/mod.js')]
  expect(await runTool(program, [...args, ...given])).toMatch(/all flows passed$/)
  expect(await node.stop()).toBe(0)
}

/** @returns the copy of a fixture in a folder with these packages */
function projectOf(fixture: string, packages: Readonly<Record<string, string>> | string, name = fixture): string {
  const folder = temporaryDirectory()
  const modules = path.join(folder, 'node_modules')
  if (typeof packages === 'string') symlinkSync(packages, modules)
  else {
    mkdirSync(modules)
    for (const [linked, target] of Object.entries(packages)) symlinkSync(target, path.join(modules, linked))
  }
  const file = path.join(folder, path.basename(name))
  cpSync(path.join(FIXTURES, fixture), file)
  return file
}

describe('a client', { timeout: LIMIT_MS }, () => {
  const ethers5 = installedTools('ethers5/node_modules')
  it('ethers 5', needsTool('ethers 5', ethers5), () =>
    runOnNewChain(process.execPath, projectOf('ethers5.cjs', ethers5 as string)),
  )

  const wagmi = installedTools('wagmi/node_modules')
  it('wagmi', needsTool('wagmi', wagmi), () => runOnNewChain(process.execPath, projectOf('wagmi.mjs', wagmi as string)))

  const python = installedTools('web3py/bin/python')
  it('web3.py', needsTool('web3.py', python), () => runOnNewChain(python as string, path.join(FIXTURES, 'web3py.py')))

  it(
    "go-ethereum's ethclient and gethclient",
    needsTool('go-ethereum', installedTools('goClient/client')),
    async () => {
      const program = path.join(temporaryDirectory(), 'client')
      await runTool('go', ['build', '-o', program, '.'], { cwd: path.join(FIXTURES, 'go') })
      await runOnNewChain(program)
    },
  )
})

describe('a test with a node inside', { timeout: LIMIT_MS }, () => {
  const packages = { isonode: ROOT, viem: path.join(ROOT, 'node_modules/viem') }
  const denoOptions = ['--no-lock', '--no-check', '--node-modules-dir=manual']
  it.each<[runner: string, fixture: string, name: string, program: () => string, args: readonly string[]]>([
    ['node:test', 'node.mjs', 'node.test.mjs', () => process.execPath, ['--test', '--test-reporter=spec']],
    ['Deno', 'deno.ts', 'deno.test.ts', denoBinary, ['test', '-A', ...denoOptions]],
    ['Bun', 'bun.ts', 'bun.test.ts', bunBinary, ['test']],
  ])('of %s', async (_, fixture, name, program, args) => {
    const file = projectOf(path.join('runners', fixture), packages, name)
    writeFileSync(path.join(path.dirname(file), 'package.json'), '{ "type": "module" }')
    const printed = await runTool(program(), [...args, file], { cwd: path.dirname(file) })
    expect(printed).toContain('the balance is right')
  })
})

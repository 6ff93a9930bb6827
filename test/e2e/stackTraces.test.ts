/** Stack traces of the built program, from folders as Hardhat and Foundry write them, and what clients make of them. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type BaseContractMethod, Contract, JsonRpcProvider } from 'ethers'
import { type BaseError, ContractFunctionRevertedError, createPublicClient, type Hex, http } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CompiledProject, ProjectContract } from '../support/evm/solidity.ts'
import { eventually } from '../support/host/eventually.ts'
import { needsTool } from '../support/host/needs.ts'
import { foundryTool, installedTools, runTool } from '../support/host/tools.ts'
import {
  compileFailures,
  deployFailures,
  type FailingCall,
  failingSources,
  foundryFiles,
  hardhat2Files,
  markedLines,
  SENDER,
} from '../support/nodes/failures.ts'
import { type RunningNode, startNode, temporaryDirectory } from '../support/nodes/program.ts'

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures')
const OPTIONS = ['--ephemeral', '--rpc-ws-port=0']
const project = compileFailures()
const { fails, via } = markedLines(failingSources())
const abi = project.output.contracts['contracts/Failures.sol']?.['Failures']?.abi ?? []
const targetAbi = project.output.contracts['contracts/Failures.sol']?.['Target']?.abi ?? []

function write(folder: string, files: Iterable<readonly [string, string]>): string {
  for (const [file, text] of files) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
  return folder
}

/** The error as it is sent. */
async function errorOf(url: string, method: string, params: readonly unknown[]) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await response.json()) as { error: Record<string, unknown> & { stackTrace: string[] } }).error
}

describe('the program with --abi of a Hardhat project', () => {
  let node: RunningNode
  let calls: Map<string, FailingCall>
  let failures: Hex

  beforeAll(async () => {
    const folder = write(temporaryDirectory(), hardhat2Files(project))
    node = await startNode([...OPTIONS, `--abi=${folder}`])
    calls = await deployFailures((method, ...params) => node.rpc(method, params), project)
    failures = calls.get('requireError')?.to as Hex
  })
  afterAll(async () => {
    await node.stop()
  })

  it('prints the lines of a failed transaction, and sends them with the error of a call', async () => {
    const call = { from: SENDER, ...calls.get('internalCall') }
    const error = await errorOf(node.url, 'eth_call', [call, 'latest'])
    expect(error).toMatchObject({ code: 3, message: 'execution reverted', data: expect.stringMatching(/^0x\w{8}$/) })
    expect(error.stackTrace[0]).toContain(`at Failures._second (${fails.get('internalCall')}:`)
    await node.rpc('eth_sendTransaction', [{ ...call, gas: '0x100000' }])
    await eventually(() => {
      for (const place of via.get('internalCall') ?? []) expect(node.output()).toContain(`(${place}:`)
      expect(node.output()).toMatch(/failed {8}Empty\(\)\n {4}at Failures\._second \(contracts/)
    })
  })

  it('lets viem decode custom errors', async () => {
    const client = createPublicClient({ transport: http(node.url) })
    const read = (functionName: string, args: readonly unknown[], errors: typeof abi = abi) =>
      client.readContract({ address: failures, abi: errors, functionName, args }).catch((error: BaseError) => error)
    const custom = (await read('requireError', [1n])) as BaseError
    const reverted = custom.walk((cause) => cause instanceof ContractFunctionRevertedError)
    expect((reverted as ContractFunctionRevertedError).data).toMatchObject({
      errorName: 'Detailed',
      args: [1n, 'small'],
    })
    const nested = (await read('externalCustom', [], [...abi, ...targetAbi])) as BaseError
    const deeper = nested.walk((cause) => cause instanceof ContractFunctionRevertedError)
    expect((deeper as ContractFunctionRevertedError).data).toMatchObject({ errorName: 'Denied' })
    expect(await read('requireString', [1n])).toMatchObject({ shortMessage: expect.stringContaining('x is too small') })
    expect(await read('assertion', [2n])).toMatchObject({ shortMessage: expect.stringContaining('assert') })
    const estimate = await client
      .estimateContractGas({ address: failures, abi, functionName: 'requireError', args: [1n], account: SENDER })
      .catch((error: BaseError) => error as BaseError)
    const inEstimate = (estimate as BaseError).walk((cause) => cause instanceof ContractFunctionRevertedError)
    expect((inEstimate as ContractFunctionRevertedError).data).toMatchObject({ errorName: 'Detailed' })
  })

  it('lets ethers decode custom errors', async () => {
    const provider = new JsonRpcProvider(node.url, undefined, { cacheTimeout: -1 })
    const contract = new Contract(failures, abi as never, provider)
    const call = (name: string, ...args: unknown[]) =>
      (contract[name] as BaseContractMethod)(...args).catch((error: unknown) => error)
    expect(await call('requireError', 1n)).toMatchObject({
      code: 'CALL_EXCEPTION',
      revert: { name: 'Detailed', args: [1n, 'small'] },
    })
    expect(await call('requireString', 1n)).toMatchObject({ code: 'CALL_EXCEPTION', reason: 'x is too small' })
    expect(await call('revertSilent')).toMatchObject({ code: 'CALL_EXCEPTION' })
    const signer = await provider.getSigner(SENDER)
    const sent = await (contract.connect(signer) as Contract)['modifierAfter']?.(7n).catch((error: unknown) => error)
    expect(sent).toMatchObject({ code: 'CALL_EXCEPTION' })
    provider.destroy()
  })
})

it('clients decode errors of transactions that fail in their block, with --fail-on-revert', async () => {
  const folder = write(temporaryDirectory(), hardhat2Files(project))
  const node = await startNode([...OPTIONS, '--quiet', '--fail-on-revert', `--abi=${folder}`])
  const calls = await deployFailures((method, ...params) => node.rpc(method, params), project)
  const call = { from: SENDER, ...calls.get('requireError'), gas: '0x100000' }
  const error = await errorOf(node.url, 'eth_sendTransaction', [call])
  expect(error).toMatchObject({
    data: { txHash: expect.stringMatching(/^0x/), data: expect.stringMatching(/^0x/), stackTrace: error.stackTrace },
  })
  expect(error.stackTrace[0]).toContain(`${fails.get('requireError')}:`)
  const provider = new JsonRpcProvider(node.url, undefined, { cacheTimeout: -1 })
  const contract = new Contract(call.to as Hex, abi as never, await provider.getSigner(SENDER))
  const sent = await contract['requireError']?.send(1n, { gasLimit: 500_000 }).catch((reason: unknown) => reason)
  expect(sent).toMatchObject({ error: { data: { data: expect.stringMatching(/^0x/) } } })
  provider.destroy()
  expect((await node.stop()).stdout).not.toContain('eth_call')
})

it('sources of a Foundry project are read from disk, also when the folder is given by a relative path', async () => {
  const root = temporaryDirectory()
  write(root, Object.entries(failingSources()))
  write(path.join(root, 'out'), foundryFiles(project))
  const node = await startNode([...OPTIONS, `--abi=${path.relative(process.cwd(), path.join(root, 'out'))}`])
  const calls = await deployFailures((method, ...params) => node.rpc(method, params), project)
  const error = await errorOf(node.url, 'eth_call', [calls.get('inheritedFunction'), 'latest'])
  expect(error.stackTrace).toEqual([
    expect.stringContaining(`at Base.inherited (${fails.get('inheritedFunction')}:`),
    expect.stringMatching(/^at Failures\.inherited \(contracts\/Failures\.sol:/),
  ])
  await node.stop()
})

/** The contracts in the files of a tool. */
function contractsIn(folder: string): Pick<CompiledProject, 'output'> {
  const contracts: Record<string, ProjectContract> = {}
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/^[A-Z]\w*\.json$/.test(entry.name)) continue
    const { abi, bytecode } = JSON.parse(readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
    const object = String(bytecode?.object ?? bytecode).slice(2)
    const code = { object, sourceMap: '' }
    contracts[entry.name.replace('.json', '')] = { abi, metadata: '', evm: { bytecode: code, deployedBytecode: code } }
  }
  return { output: { contracts: { '': contracts }, sources: {} } }
}

/** @param folder of the contracts' sources */
async function expectLines(artifacts: string, sources: Readonly<Record<string, string>>): Promise<void> {
  const places = markedLines(sources).fails
  const node = await startNode([...OPTIONS, `--abi=${artifacts}`])
  const calls = await deployFailures((method, ...params) => node.rpc(method, params), contractsIn(artifacts))
  for (const name of ['twoContractsDeep', 'libraryExternal', 'constructorRequire', 'modifierAfter', 'newContract']) {
    const error = await errorOf(node.url, 'eth_call', [{ from: SENDER, ...calls.get(name) }, 'latest'])
    expect(error.stackTrace?.[0] ?? '', name).toContain(`(${places.get(name)}:`)
  }
  await node.stop()
}

const FORGE = foundryTool('forge')
it('the output of forge is understood', needsTool('Foundry', FORGE), async () => {
  const root = temporaryDirectory()
  cpSync(path.join(FIXTURES, 'foundry'), root, { recursive: true })
  write(root, Object.entries(failingSources('src/')))
  await runTool(FORGE as string, ['build', '--skip', 'test', '--skip', 'script'], {
    cwd: root,
    env: { SOLC_RESOLVE_FROM: import.meta.filename, FOUNDRY_DISABLE_NIGHTLY_WARNING: '1' },
  })
  await expectLines(path.join(root, 'out'), failingSources('src/'))
})

const HARDHAT = installedTools('hardhat/node_modules')
it('the output of Hardhat 2 is understood', needsTool('Hardhat', HARDHAT), async () => {
  const root = temporaryDirectory()
  cpSync(path.join(FIXTURES, 'hardhat/hardhat.config.cjs'), path.join(root, 'hardhat.config.cjs'))
  write(root, [...Object.entries(hardhatSources()), ['package.json', '{}']])
  symlinkSync(HARDHAT as string, path.join(root, 'node_modules'))
  await runTool(process.execPath, [path.join(root, 'node_modules/hardhat/internal/cli/cli.js'), 'compile'], {
    cwd: root,
    env: { HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', RPC_URL: 'http://127.0.0.1:1' },
  })
  await expectLines(path.join(root, 'artifacts'), failingSources())
})

/** Hardhat's own compiler is older: it has no `require` with a custom error. */
function hardhatSources(): Record<string, string> {
  const sources = Object.entries(failingSources())
  return Object.fromEntries(
    sources.map(([file, text]) => [
      file,
      text.replace(/require\((x > 5), (Detailed\(.*\))\);/, 'if (!($1)) revert $2;'),
    ]),
  )
}

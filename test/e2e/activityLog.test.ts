/** The dev chain's log as the program prints it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { MAX_ABI_FILES } from '../../src/base/limits/limits.ts'
import { compileContract } from '../support/evm/solidity.ts'
import { expectRefusal, fileWith } from '../support/host/commandChecks.ts'
import { eventually } from '../support/host/eventually.ts'
import { hardhatArtifact } from '../support/nodes/activity.ts'
import { rpc, runCommand, startCommand, startNode, temporaryDirectory } from '../support/nodes/program.ts'

const FROM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const OPTIONS = ['--ephemeral', '--rpc-ws-port=0']
const creation = { from: FROM, data: compileContract('Token').bytecode + '0'.repeat(64), gas: '0x200000' }

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryDirectory()
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
  return folder
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

describe('the log of the dev chain', () => {
  it('names the contracts in a folder, and the files that cannot be used', async () => {
    const abi = folderWith({ 'Token.sol/Token.json': hardhatArtifact('Token', 'Token.sol'), 'Cut.json': '{"abi":' })
    const node = await startNode([...OPTIONS, `--abi=${abi}`])
    await node.rpc('eth_sendTransaction', [creation])
    await eventually(() => expect(node.output()).toMatch(/created .*Token\n/))
    const { stdout } = await node.stop()
    expect(stdout).toContain(`${abi} has a file that cannot be used: Cut.json: it is not valid JSON\n`)
    expect(stdout).toMatch(/\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}eth_sendTransaction {2}[\d.]+ ms\n/)
    expect(stdout).not.toContain('\x1b')
  })

  it('reads the first of 10,000 files', async () => {
    const files = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`C${i}.json`, '{"abi":[]}']))
    const node = await startNode([...OPTIONS, `--abi=${folderWith(files)}`])
    await eventually(() => expect(node.output()).toContain(`the log names ${MAX_ABI_FILES} contracts of --abi`))
    await eventually(() => expect(node.output()).toMatch(/has more than 4096 files; the rest is ignored\n/))
    expect((await node.stop()).code).toBe(0)
  })

  it.each([
    ['no directory', () => '/nowhere/out', '/nowhere/out: there is no such directory'],
    ['a file', () => fileWith('{}'), 'it is not a directory'],
  ])('--abi with %s ends the start', async (_, folder, line) => {
    expectRefusal(await runCommand([...OPTIONS, `--abi=${folder()}`]), new RegExp(line))
  })

  it('is JSON in the JSON form, complete at the end', async () => {
    const node = await startNode([...OPTIONS, '--logging-format=json'])
    await node.rpc('eth_sendTransaction', [creation])
    await node.rpc('eth_nonsense').catch(() => {})
    const { stdout } = await node.stop()
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const fieldsOf = (message: string) =>
      records.filter((record) => record.message === message).map(({ fields }) => fields)
    expect(fieldsOf('transaction')).toMatchObject([{ from: FROM, status: 'success', blockNumber: 1, logs: 1 }])
    expect(fieldsOf('call')).toContainEqual(
      expect.objectContaining({ method: 'eth_nonsense', error: expect.objectContaining({ code: -32601 }) }),
    )
  })

  it('--silent prints nothing', async () => {
    const port = await freePort()
    const { child, ended } = startCommand([...OPTIONS, '--silent', `--rpc-http-port=${port}`])
    const url = `http://127.0.0.1:${port}`
    await eventually(() => rpc(url, 'eth_chainId'))
    await rpc(url, 'eth_sendTransaction', [creation])
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ stdout: '', stderr: '' })
  })

  it('--quiet prints the banner only', async () => {
    const node = await startNode([...OPTIONS, '--quiet'])
    await node.rpc('eth_sendTransaction', [creation])
    const { stdout } = await node.stop()
    expect(stdout).toContain('isonode v')
    expect(stdout).not.toMatch(/eth_sendTransaction|transaction {2}0x/)
  })
})

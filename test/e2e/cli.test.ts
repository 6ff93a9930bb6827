/** The command line from a user's perspective: working commands, and one clear line for every fault. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { compareSync } from 'bcryptjs'
import { computeAddress, SigningKey } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectQuiet, expectRefusal, fileWith, home, newPath } from '../support/host/commandChecks.ts'
import { type RunningNode, runCommand, startNode } from '../support/nodes/program.ts'

const KEY = '0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63'

describe('help, version and small commands', () => {
  it('--help shows options and commands, --version the version', async () => {
    const [help, version] = await Promise.all([runCommand(['--help']), runCommand(['--version'])])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const text of ['--port=N', 'blocks import', '--help=GROUP']) {
      expect(help.stdout).toContain(text)
    }
    expect(version).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^isonode\/v\d+\.\d+\.\d+\/node-v/),
      stderr: '',
    })
    expectQuiet(help)
  })

  it('public-key export and export-address print key and address', async () => {
    const option = `--node-private-key-file=${fileWith(KEY)}`
    const to = newPath()
    const [key, address, written] = await Promise.all([
      runCommand([option, 'public-key', 'export']),
      runCommand([option, 'public-key', 'export-address']),
      runCommand([option, 'public-key', 'export-address', `--to=${to}`]),
    ])
    expect(key.stdout.trim()).toBe(`0x${SigningKey.computePublicKey(KEY).slice(4)}`)
    expect(address.stdout.trim()).toBe(computeAddress(KEY).toLowerCase())
    expect(written.code).toBe(0)
    expect(readFileSync(to, 'utf8').trim()).toBe(address.stdout.trim())
    expect(key.stdout + address.stdout + written.stdout).not.toContain(KEY.slice(2))
  })

  it('password hash prints a bcrypt hash, validate-config checks a file', async () => {
    const [hash, good, bad] = await Promise.all([
      runCommand(['password', 'hash', '--password=secret']),
      runCommand(['validate-config', `--config-file=${fileWith('rpc-http-port=1234\n')}`]),
      runCommand(['validate-config', `--config-file=${fileWith('nonsense=1\n')}`]),
    ])
    expect(compareSync('secret', hash.stdout.trim())).toBe(true)
    expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining('valid on basic inspection') })
    expectRefusal(bad, /^Unknown option in TOML configuration file: nonsense$/)
  })
})

describe('faults of options and files are reported in one line', () => {
  const cases: readonly (readonly [what: string, args: () => string[], line: string | RegExp])[] = [
    ['an unknown option', () => ['--nonsense'], "Unknown option: '--nonsense'"],
    ['a value of the wrong type', () => ['--rpc-http-port=abc'], "'--rpc-http-port': 'abc' is not an integer"],
    ['an unknown command', () => ['blocks', 'explode'], "Unmatched argument: 'explode'"],
    [
      'a missing genesis file',
      () => ['--genesis-file=/nowhere/g.json'],
      'Unable to load genesis file. /nowhere/g.json',
    ],
    ['a broken genesis file', () => [`--genesis-file=${fileWith('{ "config": ')}`], 'Unable to load genesis file.'],
    [
      'an incomplete genesis file',
      () => [`--genesis-file=${fileWith('{"config":{"chainId":1},"alloc":{}}')}`, `--data-path=${newPath()}`],
      "Invalid genesis block configuration, missing value for one of '[difficulty]'",
    ],
    [
      'a missing key file',
      () => ['--ephemeral', '--node-private-key-file=/nowhere/key'],
      'cannot use the node key in /nowhere/key',
    ],
    ['a data path that is a file', () => [`--data-path=${fileWith('x')}`], 'cannot use /'],
    ['an invalid host', () => ['--ephemeral', '--rpc-http-host=256.1.1.1'], 'cannot listen on 256.1.1.1'],
    [
      'a missing blocks file',
      () => ['--ephemeral', 'blocks', 'import', '--from=/nowhere/b'],
      '/nowhere/b: no such file',
    ],
    ['a directory of blocks', () => ['--ephemeral', 'blocks', 'import', `--from=${home()}`], 'it is a directory'],
    ['an empty chain to export', () => ['--ephemeral', 'blocks', 'export', `--to=${newPath()}`], 'Chain is empty.'],
  ]

  it.each(cases)('%s', async (_what, args, line) => {
    const ended = await runCommand(args())
    expectRefusal(ended, line)
    expect(ended.stderr).not.toMatch(/\bat .*:\d+:\d+/)
    expectQuiet(ended)
  })

  it('an invalid key file is named, but its content is not shown', async () => {
    const directory = newPath()
    mkdirSync(directory)
    writeFileSync(path.join(directory, 'key'), 'not-a-secret-key')
    const ended = await runCommand([`--data-path=${directory}`])
    expectRefusal(ended, /cannot use the node key in .*key: not a private key/)
    expect(ended.stderr).not.toContain('not-a-secret-key')
  })

  it('a port in use', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    expectRefusal(await runCommand(['--ephemeral', `--rpc-http-port=${port}`]), new RegExp(`${port}.*in use`))
    await new Promise((resolve) => server.close(resolve))
  })
})

describe('a data directory', () => {
  const directory = newPath()
  let node: RunningNode
  beforeAll(async () => {
    node = await startNode([`--data-path=${directory}`])
  })

  it('is locked while a node runs on it', async () => {
    const second = await runCommand([`--data-path=${directory}`, '--rpc-http-port=0'])
    expectRefusal(second, new RegExp(`is in use by process ${node.pid} `))
  })

  it('is free after kill -9, and the chain is unchanged', async () => {
    const before = await node.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false])
    const client = await node.rpc('web3_clientVersion')
    await node.kill()
    node = await startNode([`--data-path=${directory}`])
    expect((await node.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false])).hash).toBe(before.hash)
    expect(await node.rpc('web3_clientVersion')).toBe(client)
  })

  it('is kept across a restart; stopping the node prints nothing', async () => {
    const ended = await node.stop()
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expectQuiet(ended)
    node = await startNode([`--data-path=${directory}`])
    expect(await node.rpc('eth_blockNumber')).toBe('0x0')
  })
})

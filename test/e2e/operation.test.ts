/** A node under a service manager or in a container: what it writes, how it reacts to signals, what it says of itself. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import path from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { trustedSetupText } from '../support/evm/trustedSetup.ts'
import { expectQuiet, expectRefusal, fileWith, newPath } from '../support/host/commandChecks.ts'
import { eventually } from '../support/host/eventually.ts'
import { hasIpv6 } from '../support/host/ipv6.ts'
import { needsHost } from '../support/host/needs.ts'
import { RUNTIMES, type RunningNode, rpc, runCommand, startCommand, startNode } from '../support/nodes/program.ts'

const ACCOUNT = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const SENDER = ACCOUNT.address
const ALLOC = { [SENDER]: { balance: '0x56bc75e2d63100000' } }
const GENESIS = {
  config: { chainId: 1337, homesteadBlock: 0, eip150Block: 0, eip155Block: 0, eip158Block: 0, byzantiumBlock: 0 },
  difficulty: '0x1',
  gasLimit: '0x1000000',
  alloc: ALLOC,
}

interface JsonRecord {
  readonly time: string
  readonly level: string
  readonly category: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Checks that every line is a complete record. */
function records(text: string): JsonRecord[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const record = JSON.parse(line) as JsonRecord
      expect(Object.keys(record)).toEqual(['time', 'level', 'category', 'message', 'fields'])
      expect(record.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(record.level).toMatch(/^(?:INFO|WARN|ERROR|DEBUG)$/)
      return record
    })
}

function get(
  url: string,
  file: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(new URL(file, url), { headers }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode as number, body }))
    })
    sent.on('error', reject).end()
  })
}

async function waitForText(node: RunningNode, text: string): Promise<void> {
  await eventually(() => expect(node.output()).toContain(text))
}

const transfer = { from: SENDER, to: SENDER, value: '0x1' }

describe('a node on a chain that nothing extends', () => {
  it('says so in the banner and in /readiness, warns once about transactions, and still accepts them', async () => {
    const chain = [`--genesis-file=${fileWith(JSON.stringify(GENESIS))}`, `--data-path=${newPath()}`]
    const node = await startNode([...chain, '--p2p-enabled=false'])
    await waitForText(node, 'only from `blocks import`: nothing extends this chain (no block producer, no peers)')
    const readiness = await get(node.url, '/readiness')
    expect(readiness).toEqual({ status: 503, body: expect.stringContaining('"reason":"nothing extends this chain') })
    expect((await get(node.url, '/readiness?minPeers=0')).status).toBe(200)
    expect((await get(node.url, '/liveness')).status).toBe(200)
    expect(await node.rpc('eth_syncing')).toBe(false)
    for (const nonce of [0, 1]) {
      const raw = await ACCOUNT.signTransaction({
        type: 'legacy',
        chainId: 1337,
        nonce,
        gas: 21_000n,
        gasPrice: 10n ** 9n,
        to: SENDER,
      })
      expect(await node.rpc('eth_sendRawTransaction', [raw])).toMatch(/^0x[0-9a-f]{64}$/)
    }
    await waitForText(node, 'transactions wait in the pool')
    expect(node.output().match(/transactions wait in the pool/g)).toHaveLength(1)
    const { code } = await node.stop()
    expect(code).toBe(0)
  })
})

describe.each(RUNTIMES)('--logging-format=json on %s', (runtime) => {
  it('writes nothing but JSON: banner, blocks, warnings, errors, the stop', async () => {
    const node = await startNode(['--ephemeral', '--logging-format=json', '--Xdns-enabled'], { runtime })
    await node.rpc('eth_sendTransaction', [transfer])
    await get(node.url, '/', { host: 'node.lan' })
    await waitForText(node, '"message":"transaction"')
    const ended = await node.stop()
    expect(ended.code).toBe(0)
    const out = records(ended.stdout)
    expect(out.map(({ message }) => message)).toEqual(expect.arrayContaining(['the node is running', 'stopped']))
    const transaction = out.find(({ message }) => message === 'transaction')
    expect(transaction).toMatchObject({ level: 'INFO', fields: { blockNumber: 1 } })
    const warnings = records(ended.stderr)
    expect(warnings.map(({ level }) => level)).toEqual(warnings.map(() => 'WARN'))
    expect(warnings.find(({ category }) => category === 'http')).toMatchObject({
      message: 'refused a request because of its host',
      fields: { host: 'node.lan', allowedBy: '--host-allowlist=localhost,127.0.0.1,::1,node.lan' },
    })
  })

  it('writes faults of the command line and of commands as JSON', async () => {
    const json = '--logging-format=json'
    const config = fileWith('logging-format="json"\n')
    const faults = await Promise.all([
      runCommand([json, '--nonsense'], { runtime }),
      runCommand(['--nonsense'], { runtime, env: { ISONODE_LOGGING_FORMAT: 'JSON' } }),
      runCommand(['--nonsense', `--config-file=${config}`], { runtime }),
      runCommand([json, '--ephemeral', '--genesis-file=/nowhere'], { runtime }),
      runCommand([json, '--ephemeral', 'blocks', 'import', '--from=/nowhere'], { runtime }),
    ])
    for (const { code, stdout, stderr } of faults) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(records(stderr)).toEqual([expect.objectContaining({ level: 'ERROR' })])
    }
  })
})

describe('a node on ::1', needsHost(hasIpv6(), 'there is no IPv6'), () => {
  it('prints URLs that work', async () => {
    const node = await startNode([
      '--ephemeral',
      '--rpc-http-host=::1',
      '--graphql-http-enabled',
      '--graphql-http-host=::1',
      '--graphql-http-port=0',
    ])
    expect(node.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect(await node.rpc('eth_chainId')).toBe('0x7a69')
    expect((await get(node.url, '/')).body).toContain(`curl ${node.url} `)
    const explorer = /explorer +(\S+)/.exec(node.output())?.[1]
    expect(explorer).toBe(`${node.url}/`)
    const page = await fetch(explorer as string, { headers: { accept: 'text/html' } })
    expect(page.headers.get('content-security-policy')).toContain(
      `connect-src 'self' ${node.url.replace('http', 'ws')}`,
    )
    const graphql = /GraphQL +(\S+)/.exec(node.output())?.[1]
    expect(graphql).toMatch(/^http:\/\/\[::1\]:\d+\/graphql$/)
    expect((await get(graphql as string, '?query=%7BchainID%7D')).status).toBe(200)
  })
})

it('the log has what the explorer does, and not what it reads', async () => {
  const node = await startNode(['--ephemeral'])
  const headers = { origin: node.url, 'sec-fetch-site': 'same-origin' }
  for (const method of ['eth_gasPrice', 'evm_mine']) {
    await fetch(node.url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }) })
  }
  await eventually(() => expect(node.output()).toContain('evm_mine'))
  expect(node.output()).not.toContain('eth_gasPrice')
})

it('a network has an explorer only if it is asked for', async () => {
  const network = ['--network=mordor', '--ephemeral', '--p2p-enabled=false']
  const plain = await startNode(network)
  const shown = await startNode([...network, '--ui'])
  const typeOf = async (url: string) =>
    (await fetch(url, { headers: { accept: 'text/html' } })).headers.get('content-type')
  expect([await typeOf(plain.url), await typeOf(shown.url)]).toEqual([null, 'text/html; charset=utf-8'])
  expect([/explorer/.test(plain.output()), /explorer/.test(shown.output())]).toEqual([false, true])
  const call = (url: string) =>
    fetch(url, { method: 'POST', headers: { origin: url }, body: '{"jsonrpc":"2.0","id":1,"method":"admin_peers"}' })
  expect((await call(plain.url)).status).toBe(403)
  // The page may call, but no method is opened by it.
  expect(await (await call(shown.url)).json()).toHaveProperty('error')
})

describe('refused hosts and origins', () => {
  it('are logged once each with the option that allows them, which the answer names too', async () => {
    const node = await startNode(['--ephemeral'])
    const origin = 'https://remix.ethereum.org'
    for (let i = 0; i < 3; i++) {
      const host = await get(node.url, '/', { host: 'my-laptop:8545' })
      expect(host).toEqual({
        status: 403,
        body: expect.stringContaining('--host-allowlist=localhost,127.0.0.1,::1,my-laptop'),
      })
      const page = await get(node.url, '/', { origin })
      expect(page).toEqual({ status: 403, body: expect.stringContaining('--rpc-http-cors-origins=') })
    }
    const { stderr } = await node.stop()
    expectQuiet({ code: 0, signal: null, stdout: '', stderr })
    const lines = stderr.trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(
      /Z WARN {2}\[http\] refused a request because of its host host=my-laptop:8545 allowedBy="--host-/,
    )
    const [, patterns = ''] = /allowedBy="--rpc-http-cors-origins='(.*)'"$/.exec(lines[1] ?? '') ?? []
    const allowing = await startNode(['--ephemeral', `--rpc-http-cors-origins=${patterns}`])
    expect((await get(allowing.url, '/', { origin })).status).toBe(200)
    await allowing.stop()
  })
})

describe('a browser that opens the port', () => {
  it('reads what it is and how to call it', async () => {
    const node = await startNode(['--ephemeral'])
    const { status, body } = await get(node.url, '/')
    expect(status).toBe(200)
    expect(body).toContain(`curl ${node.url} -H 'Content-Type: application/json' -d '{`)
    await node.stop()
  })
})

describe.each(RUNTIMES)('signals on %s', (runtime) => {
  it('SIGHUP reads the log level again from the configuration file', async () => {
    const file = fileWith('logging="warn"\n')
    const node = await startNode(['--ephemeral', `--config-file=${file}`], { runtime })
    writeFileSync(file, 'logging="debug"\n')
    process.kill(node.pid, 'SIGHUP')
    await waitForText(node, 'INFO  the log level has changed level=DEBUG before=WARN')
    writeFileSync(file, 'logging="loud"\n')
    process.kill(node.pid, 'SIGHUP')
    await waitForText(node, 'WARN  the log level is unchanged: the options cannot be read reason="Invalid value')
    expect(await node.rpc('eth_chainId')).toMatch(/^0x/)
    expect((await node.stop()).code).toBe(0)
  })

  it('SIGHUP without a configuration file switches to DEBUG and back', async () => {
    const node = await startNode(['--ephemeral'], { runtime })
    process.kill(node.pid, 'SIGHUP')
    await waitForText(node, 'the log level has changed level=DEBUG before=INFO')
    process.kill(node.pid, 'SIGHUP')
    await waitForText(node, 'the log level has changed level=INFO before=DEBUG')
    expect((await node.stop()).code).toBe(0)
  })

  it('the last line names the head and where it is stored', async () => {
    const directory = newPath()
    const node = await startNode([`--data-path=${directory}`], { runtime })
    await node.rpc('evm_mine')
    const { code, stdout } = await node.stop()
    expect(code).toBe(0)
    expect(stdout).toMatch(/Z INFO {2}block 1 {2}0 transactions/)
    expect(stdout).toContain('INFO  stopping after SIGTERM; ')
    const last = stdout.trimEnd().split('\n').at(-1)
    expect(last).toMatch(/Z INFO {2}stopped; the chain ends at block 1 0x[0-9a-f]{64}, it is stored in /)
    expect(last?.endsWith(path.resolve(directory))).toBe(true)
  })
})

describe('the last line of a chain in memory', () => {
  it('names the file of its dump, if any', async () => {
    const file = newPath()
    const [lost, dumped] = await Promise.all([
      startNode(['--ephemeral']),
      startNode(['--ephemeral', `--dump-state=${file}`]),
    ])
    expect((await lost.stop()).stdout).toMatch(/, it was in memory and is not stored\n$/)
    expect((await dumped.stop()).stdout.trimEnd().endsWith(`, it is stored in ${file}`)).toBe(true)
  })
})

describe.each(RUNTIMES)('a second signal on %s', (runtime) => {
  it('ends a node immediately that waits for a request', async () => {
    const node = await startNode(['--ephemeral', '--rpc-call-timeout-ms=60000', '--rpc-call-gas-cap=0'], { runtime })
    const endless = node.rpc('eth_call', [{ data: '0x5b600056', gas: '0x7fffffffffffffff' }, 'latest'])
    const failed = expect(endless).rejects.toThrow()
    await eventually(() => node.rpc('eth_chainId'))
    process.kill(node.pid, 'SIGINT')
    await waitForText(node, 'stopping after SIGINT; a second signal ends the process immediately')
    expect((await node.stop()).code).toBe(143)
    await failed
  })
})

describe('API groups without a method', () => {
  it('are named in a warning, and listed as enabled', async () => {
    const node = await startNode(['--ephemeral', '--rpc-http-api=ETH,CLIQUE,IBFT'])
    expect(await node.rpc('rpc_modules')).toEqual({ eth: '1.0', clique: '1.0', ibft: '1.0' })
    await eventually(() => expect(node.output()).toMatch(/APIs +CLIQUE,ETH,IBFT\n/))
    expect((await node.stop()).stderr).toContain('WARN  API groups without a method on this chain groups=CLIQUE,IBFT')
  })
})

describe('output', () => {
  it('may lose its reader: the node goes on', async () => {
    const { child, ended } = startCommand(['--ephemeral', '--rpc-http-port=0', '--rpc-ws-port=0'])
    const url = await new Promise<string>((resolve) => {
      child.stdout?.on('data', (chunk: string) => {
        const match = /http:\/\/\S+:\d+/.exec(chunk)
        if (match !== null) resolve(match[0])
      })
    })
    child.stdout?.destroy()
    child.stderr?.destroy()
    for (let i = 0; i < 3; i++) {
      expect(await rpc(url, 'eth_sendTransaction', [transfer])).toMatch(/^0x/)
      await get(url, '/', { host: `host${i}` })
    }
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  })

  it('has colours where the environment or the option asks for them', async () => {
    const colored = async (env: Record<string, string>, ...args: string[]): Promise<boolean> => {
      const { stderr } = await runCommand(['--ephemeral', 'blocks', 'import', ...args], { env })
      return stderr.includes('\x1b[')
    }
    expect(await colored({})).toBe(false)
    expect(await colored({ FORCE_COLOR: '1' })).toBe(true)
    expect(await colored({ FORCE_COLOR: '0' })).toBe(false)
    expect(await colored({}, '--color-enabled')).toBe(true)
    expect(await colored({ FORCE_COLOR: '1' }, '--color-enabled=false')).toBe(false)
    expect(await colored({ FORCE_COLOR: '1' }, '--logging-format=json')).toBe(false)
  })
})

describe('options of Besu for scripts and files', () => {
  it('writes its process id to --pid-path and removes the file at the end', async () => {
    const file = path.join(newPath(), 'run', 'node.pid')
    const node = await startNode(['--ephemeral', `--pid-path=${file}`])
    const id = Number(readFileSync(file, 'utf8'))
    expect(() => process.kill(id, 0)).not.toThrow()
    expect(readdirSync(path.dirname(file))).toEqual(['node.pid'])
    await node.stop()
    expect(existsSync(file)).toBe(false)
  })

  it('leaves the file of --pid-path to the process that wrote it last', async () => {
    const file = newPath()
    const node = await startNode(['--ephemeral', `--pid-path=${file}`])
    writeFileSync(file, '1\n')
    await node.stop()
    expect(readFileSync(file, 'utf8')).toBe('1\n')
  })

  it('refuses a --pid-path that cannot be written, in one line', async () => {
    const ended = await runCommand(['--ephemeral', '--rpc-http-port=0', `--pid-path=${fileWith('')}/node.pid`])
    expectRefusal(ended, /^cannot write the file of --pid-path: /)
  })

  it('stores nothing on disk with --key-value-storage=memory', async () => {
    const node = await startNode(['--key-value-storage=memory'])
    await node.stop()
    await eventually(() => expect(node.output()).toContain('it was in memory and is not stored'))
  })

  it('accepts the setup of the ceremony as --kzg-trusted-setup, and no other', async () => {
    const node = await startNode(['--ephemeral', `--kzg-trusted-setup=${fileWith(trustedSetupText())}`])
    await node.stop()
    const other = fileWith(trustedSetupText((g2) => g2.reverse()))
    expectRefusal(await runCommand(['--ephemeral', `--kzg-trusted-setup=${other}`]), /point 0 of G2 is not that/)
    expectRefusal(await runCommand(['--ephemeral', '--kzg-trusted-setup=absent']), /=absent: there is no such file/)
  })
})

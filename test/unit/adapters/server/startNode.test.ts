import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { BrowserProvider, parseEther } from 'ethers'
import { createPublicClient, createTestClient, createWalletClient, custom, http, publicActions, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Web3 } from 'web3'
import * as web from '../../../../adapters/browser/library.ts'
import { internalsOf } from '../../../../adapters/server/unstable.ts'
import * as library from '../../../../mod.ts'
import { devGenesis, type LocalNode, type StartOptions, startNode } from '../../../../mod.ts'
import { bftGenesis, validatorKeys } from '../../../simulation/bft/bftGenesis.ts'

const opened: { close(): Promise<void> }[] = []
function track<T extends { close(): Promise<void> }>(node: T): T {
  opened.push(node)
  return node
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((node) => node.close()))
})

const TO = '0x1234567890123456789012345678901234567890'

describe('a node inside a program', () => {
  it('is a transport for viem, in the process and over its sockets', async () => {
    const node = track(await startNode())
    expect(node.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(node.wsUrl).toBe(node.url.replace('http', 'ws'))
    const chain = { ...foundry, id: Number(await node.request('eth_chainId')) }
    const wallet = createWalletClient({ chain, transport: custom(node) }).extend(publicActions)
    const [account = TO] = await wallet.getAddresses()
    const hash = await wallet.sendTransaction({ account, to: TO, value: 1n })
    expect((await wallet.waitForTransactionReceipt({ hash })).status).toBe('success')
    await createTestClient({ chain, mode: 'anvil', transport: custom(node) }).mine({ blocks: 2 })
    expect(await createPublicClient({ chain, transport: http(node.url) }).getBlockNumber()).toBe(3n)
    const { getBlockNumber, transport } = createPublicClient({ chain, transport: webSocket(node.wsUrl) })
    expect(await getBlockNumber()).toBe(3n)
    ;(await transport.getRpcClient()).close()
  })

  it('is a provider for ethers', async () => {
    const node = track(await startNode({ listen: false }))
    expect([node.url, node.wsUrl]).toEqual([undefined, undefined])
    const provider = new BrowserProvider(node)
    const signer = await provider.getSigner()
    const sent = await signer.sendTransaction({ to: TO, value: parseEther('2') })
    expect((await sent.wait())?.status).toBe(1)
    expect(await provider.getBalance(TO)).toBe(parseEther('2'))
    const call = provider.call({ data: '0x63deadbeef5f526004601cfd' })
    await expect(call).rejects.toMatchObject({ code: 'CALL_EXCEPTION', data: '0xdeadbeef' })
    provider.destroy()
  })

  it('is a provider for web3, with subscriptions', async () => {
    const node = track(await startNode({ listen: false }))
    const web3 = new Web3(node)
    const heads = await web3.eth.subscribe('newBlockHeaders')
    const head = new Promise((resolve) => heads.once('data', resolve))
    const [from = ''] = await web3.eth.getAccounts()
    await web3.eth.sendTransaction({ from, to: TO, value: 5n })
    expect(await head).toMatchObject({ number: 1n })
    await heads.unsubscribe()
    expect(await web3.eth.getBalance(TO)).toBe(5n)
  })

  it('runs the dev chain that its options describe', async () => {
    const mnemonic = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
    const options = { chainId: 7777, accounts: 3, balance: '1.5', mnemonic, mining: false, gasLimit: 20_000_000 }
    const node = track(await startNode({ listen: false, ...options }))
    expect(await node.request('eth_chainId')).toBe('0x1e61')
    const accounts = node.accounts.map(({ privateKey }) => privateKeyToAccount(privateKey).address.toLowerCase())
    expect(accounts).toEqual(node.accounts.map(({ address }) => address))
    expect(await node.request('eth_accounts')).toEqual(accounts)
    expect(accounts[0]).toBe('0x9858effd232b4033e47d90003d41ec34ecaeda94')
    expect(await node.request('eth_getBalance', [accounts[2], 'latest'])).toBe(`0x${(15n * 10n ** 17n).toString(16)}`)
    await node.request('eth_sendTransaction', [{ from: accounts[0], to: TO, value: '0x1' }])
    expect(await node.request('eth_blockNumber')).toBe('0x0')
    await expect(startNode({ mnemonic: 'a b c' })).rejects.toThrow(/mnemonic/i)
    await expect(startNode({ log: 'all' } as never)).rejects.toThrow("option 'log': all is not a function")
    await expect(startNode({ logger: {} } as never)).rejects.toThrow("option 'logger': an object is not a logger with")
    await expect(startNode({ signal: 5 } as never)).rejects.toThrow("option 'signal': 5 is not an AbortSignal")
    await expect(startNode(null as never)).rejects.toThrow('Options: expected an object, got null')
    await expect(startNode({ accounts: 1001 })).rejects.toThrow("option 'accounts': 1001 is above 1000")
    const other = track(await startNode({ listen: false, network: 'mainnet' }))
    expect(other.accounts).toEqual([])
  })

  it('shares a process with others, each with its own chain and port', async () => {
    const nodes = await Promise.all([1, 2, 3].map(() => startNode()))
    nodes.forEach(track)
    await nodes[0]?.request('evm_mine')
    const numbers = await Promise.all(nodes.map(({ request }) => request('eth_blockNumber')))
    expect(numbers).toEqual(['0x1', '0x0', '0x0'])
    expect(new Set(nodes.map(({ url }) => url)).size).toBe(3)
  })

  it('leaves the directory, the signals and the output of the process alone', async () => {
    const events = ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection', 'exit']
    const count = (): number[] => events.map((event) => process.listenerCount(event))
    const [before, files] = [count(), readdirSync('.')]
    const written = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')]
    try {
      const node = track(await startNode())
      await node.request('eth_nothing').catch(() => {})
      await node.close()
      for (const write of written) expect(write).not.toHaveBeenCalled()
    } finally {
      for (const write of written) write.mockRestore()
    }
    expect(count()).toEqual(before)
    expect(readdirSync('.')).toEqual(files)
  })

  it('keeps its chain in the directory that it is given', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'isonode-library-'))
    try {
      const options = { listen: false, dataPath: directory } as const
      const first = track(await startNode(options))
      await first.request('evm_mine')
      await expect(startNode(options)).rejects.toMatchObject({ code: 'DIRECTORY_LOCKED' })
      await first.close()
      const second = track(await startNode(options))
      expect(await second.request('eth_blockNumber')).toBe('0x1')
      await second.close()
      expect(existsSync(path.join(directory, 'database'))).toBe(true)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })

  it('logs to a function what its level shows, in the given form', async () => {
    const run = async (options: StartOptions): Promise<string[]> => {
      const entries: string[] = []
      const node = track(await startNode({ ...options, log: (entry) => entries.push(entry) }))
      const [from] = await node.request<string[]>('eth_accounts')
      await node.request('eth_sendTransaction', [{ from, to: TO, value: '0x1' }])
      await node.close()
      return entries
    }
    const text = await run({})
    expect(text.join('\n')).toContain('eth_sendTransaction')
    expect(text.join('\n').toLowerCase()).toContain(TO)
    const json = await run({ flags: { loggingFormat: 'json' } })
    for (const entry of json) expect(JSON.parse(entry)).toMatchObject({ level: 'INFO' })
    expect(json.length).toBe(text.length)
    expect(await run({ logLevel: 'error' })).toEqual([])
    await expect(startNode({ abi: ['/nowhere'], log: () => {} })).rejects.toMatchObject({
      code: 'ABI_FOLDER_UNREADABLE',
    })
  })

  it('closes with its signal, also during the start', async () => {
    const during = new AbortController()
    const started = startNode({ signal: during.signal })
    during.abort()
    await expect(started).rejects.toMatchObject({ name: 'AbortError' })
    const after = new AbortController()
    const node = track(await startNode({ signal: after.signal }))
    const disconnected = new Promise((resolve) => node.on('disconnect', resolve))
    after.abort()
    expect(await disconnected).toMatchObject({ code: 4900 })
    await node.close()
    await expect(fetch(node.url, { method: 'POST', body: '{}' })).rejects.toThrow()
  })

  it('refuses a chain of BFT validators whose votes a power failure could undo', async () => {
    const dataPath = mkdtempSync(path.join(tmpdir(), 'isonode-'))
    const options = { listen: false, dataPath, flags: { dataDurability: 'process' } } as const
    const validators = validatorKeys(1)
    try {
      for (const mode of ['qbft', 'migration'] as const) {
        const genesis = bftGenesis({ mode, validators, timestamp: 1 }).text
        await expect(startNode({ ...options, genesis })).rejects.toMatchObject({
          code: 'INVALID_OPTION',
          message: expect.stringMatching(/dataDurability.*genesis.*power/s),
        })
      }
      const { text } = bftGenesis({ mode: 'qbft', validators, timestamp: 1 })
      track(await startNode({ ...options, flags: {}, genesis: text }))
      await opened.pop()?.close()
      // A single key makes these blocks, without votes.
      rmSync(dataPath, { recursive: true })
      track(await startNode({ ...options, genesis: text, dev: true }))
      await opened.pop()?.close()
    } finally {
      rmSync(dataPath, { recursive: true, force: true })
    }
  })

  it('runs a chain from the content of a genesis file, and mines on it when asked', async () => {
    const genesis = { ...devGenesis({ chainId: 99 }), gasLimit: '0x1c9c380' }
    const still = track(await startNode({ listen: false, genesis }))
    expect([await still.request('eth_chainId'), still.accounts]).toEqual(['0x63', []])
    const mining = track(await startNode({ listen: false, genesis: JSON.stringify(genesis), dev: true }))
    await mining.request('evm_mine')
    expect(await mining.request('eth_blockNumber')).toBe('0x1')
  })

  it('loads a state dump, and writes it when it is closed', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'isonode-library-'))
    try {
      const state = path.join(directory, 'state.json')
      const first = track(await startNode({ listen: false, state }))
      await first.request('anvil_setBalance', [TO, '0x7'])
      await first.close()
      const second = track(await startNode({ listen: false, loadState: state }))
      expect(await second.request('eth_getBalance', [TO, 'latest'])).toBe('0x7')
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })

  it('returns itself from on and removeListener, and answers through fetch', async () => {
    const node = track(await startNode({ listen: false }))
    const listener = vi.fn()
    expect(node.on('newHeads', listener)).toBe(node)
    expect(node.removeListener('newHeads', listener)).toBe(node)
    const { fetch } = node
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
    const answer = await fetch(new Request('http://localhost', { method: 'POST', body }))
    expect(await answer.json()).toMatchObject({ result: '0x7a69' })
    expect(() => internalsOf({} as LocalNode)).toThrow(TypeError)
    expect(internalsOf(node).evm).toBe('native')
  })

  it('refuses requests after its scope has ended', async () => {
    const node = track(await startNode({ listen: false }))
    await node[Symbol.asyncDispose]()
    await expect(node.request('eth_blockNumber')).rejects.toMatchObject({ code: 4900 })
  })
})

describe('the library', () => {
  it('exports these names', () => {
    expect(Object.keys(library).sort()).toEqual([
      'NodeError',
      'RequestError',
      'VERSION',
      'createBrowserNode',
      'devGenesis',
      'startNode',
    ])
  })

  it('exports the same names for pages, where startNode names the alternative', async () => {
    expect(Object.keys(web).sort()).toEqual(Object.keys(library).sort())
    await expect(web.startNode()).rejects.toMatchObject({
      code: 'UNSUPPORTED_RUNTIME',
      message: expect.stringContaining('createBrowserNode'),
    })
  })
})

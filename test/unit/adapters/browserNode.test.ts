// slow: opens databases, and closes tabs
import 'fake-indexeddb/auto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BlockSource, type BrowserNodeOptions, createBrowserNode } from '../../../adapters/browser/browser.ts'
import { internalsOf } from '../../../adapters/shared/localNode.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { installPrecompile } from '../../../src/evm/precompiles/index.ts'

const LONDON = path.resolve(import.meta.dirname, '../../vectors/besu/london')
const genesis = readFileSync(path.join(LONDON, 'genesis.json'), 'utf8')
const blocks = new Uint8Array(readFileSync(path.join(LONDON, 'blocks.bin')))
const recorded = JSON.parse(readFileSync(path.join(LONDON, 'requests.json'), 'utf8')) as {
  method: string
  params: unknown[]
  result: unknown
}[]

/** The used part of the Web Locks API: exclusive, by name, with a signal. */
class Locks {
  readonly #held = new Set<string>()

  async request(name: string, { signal }: { signal: AbortSignal }, use: () => Promise<void>): Promise<void> {
    while (this.#held.has(name)) {
      signal.throwIfAborted()
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    this.#held.add(name)
    await use().finally(() => this.#held.delete(name))
  }
}

const memory = { storage: 'memory' } as const
const withoutSeals = { verifySeal: false }

beforeEach(() => vi.stubGlobal('navigator', { locks: new Locks() }))
afterEach(() => {
  vi.unstubAllGlobals()
  installPrecompile('BLAKE2F')
})

describe('the node in a page', () => {
  it('runs the dev chain by default', async () => {
    const node = await createBrowserNode(memory)
    const { request, accounts } = node
    expect(internalsOf(node).evm).toBe('native')
    expect(await request('eth_accounts')).toEqual(accounts.map(({ address }) => address))
    expect(await request('eth_chainId')).toBe('0x7a69')
    expect(await request({ method: 'eth_blockNumber' })).toBe('0x0')
    expect(await request('eth_getBalance', ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 'latest'])).toBe(
      '0x21e19e0c9bab2400000',
    )
  })

  it('answers methods of every group, whose code it loads when they are called', async () => {
    const { request, fetch } = await createBrowserNode(memory)
    const traced = request('debug_traceCall', [{ data: '0x' }, 'latest', { tracer: 'callTracer' }])
    expect(await traced).toMatchObject({ type: 'CREATE' })
    expect(await request('trace_block', ['0x0'])).toEqual([])
    expect(await request('txpool_status')).toMatchObject({ pending: '0x0' })
    expect(await request('eth_getProof', [`0x${'00'.repeat(20)}`, [], 'latest'])).toMatchObject({ balance: '0x0' })
    expect(await request('rpc_modules')).toMatchObject({ debug: '1.0', priv: '1.0', dev: '1.0' })
    const { methods } = (await request('rpc.discover')) as { methods: { name: string }[] }
    expect(methods.map(({ name }) => name)).toEqual(expect.arrayContaining(['admin_peers', 'trace_get', 'anvil_mine']))
    await expect(request('eth_nothing')).rejects.toMatchObject({ code: -32601 })
    await expect(request('qbft_getPendingVotes')).rejects.toMatchObject({ code: -32601 })
    await expect(request({ method: 'debug_getRawBlock', params: { block: 'latest' } })).rejects.toMatchObject({
      code: -32602,
    })
    const calls = ['web3_clientVersion', 'miner_stop', 'eth_syncing'].map((method, id) => ({
      jsonrpc: '2.0',
      id,
      method,
    }))
    const response = await fetch(new Request('http://page/', { method: 'POST', body: JSON.stringify(calls) }))
    expect(((await response.json()) as unknown[]).length).toBe(3)
  })

  it.each([
    ['clique', 'clique_getSigners'],
    ['qbft', 'qbft_getValidatorsByBlockNumber'],
    ['ibft2', 'ibft_getValidatorsByBlockNumber'],
  ])('imports a chain of %s, whose engine it loads', async (name, method) => {
    const folder = path.resolve(LONDON, '..', name)
    const text = readFileSync(path.join(folder, 'genesis.json'), 'utf8')
    const file = new Uint8Array(readFileSync(path.join(folder, 'blocks.bin')))
    const node = await createBrowserNode({ ...memory, genesis: text, blocks: file })
    expect(Number(await node.request('eth_blockNumber'))).toBeGreaterThan(0)
    expect(await node.request(method, ['latest'])).toContainEqual(expect.stringMatching(/^0x[0-9a-f]{40}$/))
    await node.close()
  })

  it('runs the dev chain that its options describe, and logs it', async () => {
    const mnemonic = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
    const entries: string[] = []
    const node = await createBrowserNode({
      ...memory,
      chainId: 7777,
      hardfork: 'london',
      accounts: 2,
      balance: '1.5',
      mnemonic,
      mining: false,
      log: (entry) => entries.push(entry),
    })
    const [from, to] = node.accounts.map(({ address }) => address)
    expect([await node.request('eth_chainId'), from]).toEqual(['0x1e61', '0x9858effd232b4033e47d90003d41ec34ecaeda94'])
    await node.request('eth_sendTransaction', [{ from, to, value: '0x1' }])
    expect(await node.request('eth_blockNumber')).toBe('0x0')
    await node.request('evm_mine')
    expect(await node.request('eth_getBlockByNumber', ['0x1', false])).not.toHaveProperty('withdrawals')
    await node.close()
    expect(entries.join('\n')).toContain('eth_sendTransaction')
    await expect(createBrowserNode({ chainid: 1 } as never)).rejects.toThrow("Did you mean 'chainId'?")
    const mining = await createBrowserNode({ ...memory, genesis: devGenesis({ chainId: 5 }), dev: true })
    await mining.request('evm_mine')
    expect(await mining.request('eth_blockNumber')).toBe('0x1')
  })

  it('keeps a dev chain with its accounts in IndexedDB', async () => {
    const mnemonic = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
    const first = await createBrowserNode({ dataPath: 'dev', mnemonic })
    await first.request('evm_mine')
    await first.close()
    const second = await createBrowserNode({ dataPath: 'dev' })
    expect(await second.request('eth_blockNumber')).toBe('0x1')
    expect(second.accounts).toEqual(first.accounts)
    await second.close()
    await expect(createBrowserNode({ dataPath: 'dev', chainId: 5 })).rejects.toMatchObject({
      code: 'GENESIS_MISMATCH',
      message: expect.stringMatching(/with chainId=31337, not 5: .* another dataPath or storage: 'memory'$/),
    })
  })

  it('keeps each chain in a database of this chain by default', async () => {
    const chains: readonly BrowserNodeOptions[] = [{}, { genesis }, { genesis: devGenesis({ chainId: 5 }), dev: true }]
    for (const options of chains) {
      const first = await createBrowserNode(options)
      if (options.genesis === genesis) await first.import(blocks, withoutSeals)
      else await first.request('evm_mine')
      await first.close()
      const second = await createBrowserNode(options)
      expect(await second.request('eth_blockNumber')).not.toBe('0x0')
      await second.close()
    }
    const names = (await indexedDB.databases()).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['isonode/dev', 'isonode/chain-1982', 'isonode/dev-5']))
  })

  it('keeps nothing with storage: memory', async () => {
    const databases = async () => (await indexedDB.databases()).length
    const before = await databases()
    const first = await createBrowserNode(memory)
    await first.request('evm_mine')
    const second = await createBrowserNode(memory)
    expect(await second.request('eth_blockNumber')).toBe('0x0')
    expect(await databases()).toBe(before)
  })

  it.each<[BrowserNodeOptions, string]>([
    [{ storage: 'disk' } as never, "option 'storage': disk is not 'indexeddb' or 'memory'"],
    [{ storage: 'memory', dataPath: 'chain' }, 'pass only one'],
  ])('refuses %j', async (options, message) => {
    await expect(createBrowserNode(options)).rejects.toThrow(message)
  })

  it('keeps the chain in memory on a runtime without IndexedDB', async () => {
    const { indexedDB } = globalThis
    Reflect.deleteProperty(globalThis, 'indexedDB')
    try {
      const node = await createBrowserNode()
      expect(await node.request('eth_blockNumber')).toBe('0x0')
      await node.close()
      await expect(createBrowserNode({ dataPath: 'chain' })).rejects.toThrow("'dataPath' needs IndexedDB")
      await expect(createBrowserNode({ storage: 'indexeddb' })).rejects.toThrow("'storage' needs IndexedDB")
    } finally {
      globalThis.indexedDB = indexedDB
    }
  })

  it('says what helps where the browser refuses databases, and can be tried again', async () => {
    const open = vi.spyOn(indexedDB, 'open').mockImplementation(() => {
      throw new DOMException('The operation is insecure.', 'SecurityError')
    })
    await expect(createBrowserNode({ dataPath: 'refused' })).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: "IndexedDB cannot be opened (The operation is insecure.); storage: 'memory' needs none",
    })
    open.mockRestore()
    await (await createBrowserNode({ dataPath: 'refused' })).close()
  })

  it('takes a genesis file as text or parsed', async () => {
    for (const form of [genesis, JSON.parse(genesis) as Record<string, unknown>]) {
      const { request, accounts } = await createBrowserNode({ ...memory, genesis: form })
      expect([await request('eth_chainId'), accounts]).toEqual(['0x7be', []])
    }
    await expect(createBrowserNode({ genesis: '{' })).rejects.toThrow('Unable to load genesis file')
  })

  it.each<[string, () => BlockSource]>([
    ['bytes', () => blocks],
    ['a buffer', () => blocks.slice().buffer],
    ['a file', () => new Blob([blocks])],
    ['a stream', () => new Blob([blocks]).stream()],
    ['pieces', () => [blocks.subarray(0, 1000), blocks.subarray(1000)]],
  ])('imports blocks from %s', async (_, source) => {
    const node = await createBrowserNode({ ...memory, genesis })
    expect(await node.import(source(), withoutSeals)).toMatchObject({ imported: 5 })
    for (const { method, params, result } of recorded) expect(await node.request(method, params)).toEqual(result)
  })

  it('rejects with code, message and data', async () => {
    const { request } = await createBrowserNode(memory)
    await expect(request('eth_nothing')).rejects.toMatchObject({
      name: 'RequestError',
      code: -32601,
      message: expect.stringContaining('eth_nothing'),
    })
    const reverts = request('eth_call', [{ data: '0x63deadbeef5f526004601cfd' }, 'latest'])
    await expect(reverts).rejects.toMatchObject({ code: 3, data: '0xdeadbeef' })
  })

  it('keeps the chain in IndexedDB', async () => {
    const options = { genesis, dataPath: 'kept' }
    const first = await createBrowserNode(options)
    await first.import(blocks, withoutSeals)
    await first.close()
    const second = await createBrowserNode(options)
    for (const { method, params, result } of recorded) expect(await second.request(method, params)).toEqual(result)
    expect(await second.import(blocks, withoutSeals)).toMatchObject({ imported: 0, skipped: 6 })
    await second.close()
    await expect(createBrowserNode({ dataPath: 'kept' })).rejects.toThrow('the database has a chain')
    await (await createBrowserNode(options)).close()
  })

  it('lets only one tab at a time use a database', async () => {
    const options = { dataPath: 'shared' }
    const first = await createBrowserNode(options)
    await expect(createBrowserNode(options)).rejects.toThrow('the database shared is open in another tab or worker')
    const waiting = createBrowserNode(options)
    await first.close()
    await (await waiting).close()
  })

  it('requires locks for a database', async () => {
    vi.stubGlobal('navigator', {})
    await expect(createBrowserNode({ dataPath: 'isonode' })).rejects.toThrow('a database needs navigator.locks')
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type StartOptions, startNode } from '../../../../mod.ts'

type Node = Awaited<ReturnType<typeof startNode<true>>>

const TO = '0x1234567890123456789012345678901234567890'

const opened: Node[] = []
async function start(options: StartOptions = {}): Promise<Node> {
  const node = await startNode(options)
  opened.push(node)
  return node
}

const cacheHome = process.env['XDG_CACHE_HOME']
let directory: string
let berlin: Node
let prague: Node

/** @returns number of the block */
async function pay(node: Node, value: string): Promise<number> {
  const hash = await node.request('eth_sendTransaction', [{ from: node.accounts[0]?.address, to: TO, value }])
  const receipt = await node.request<{ blockNumber: string }>('eth_getTransactionReceipt', [hash])
  return Number(receipt.blockNumber)
}

interface Facts {
  readonly chainId: string
  readonly version: string
  readonly number: number
  readonly balance: number
  readonly forkBlock: number | null
}

async function factsOf(node: Node): Promise<Facts> {
  const { forkConfig } = await node.request<{ forkConfig: { forkBlockNumber: number | null } }>('anvil_nodeInfo', [])
  return {
    chainId: await node.request('eth_chainId', []),
    version: await node.request('net_version', []),
    number: Number(await node.request('eth_blockNumber', [])),
    balance: Number(await node.request('eth_getBalance', [TO, 'latest'])),
    forkBlock: forkConfig.forkBlockNumber,
  }
}

const plain = { chainId: '0x7a69', version: '31337', number: 0, balance: 0, forkBlock: null }

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'isonode-other-chain-'))
  process.env['XDG_CACHE_HOME'] = directory
  ;[berlin, prague] = await Promise.all([
    startNode({ chainId: 1001, hardfork: 'berlin' }),
    startNode({ chainId: 1002, hardfork: 'prague' }),
  ])
  for (let i = 0; i < 3; i++) await pay(berlin, '0x1')
  for (let i = 0; i < 2; i++) await pay(prague, '0x10')
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((node) => node.close()))
})
afterAll(async () => {
  await Promise.all([berlin.close(), prague.close()])
  if (cacheHome === undefined) delete process.env['XDG_CACHE_HOME']
  else process.env['XDG_CACHE_HOME'] = cacheHome
  rmSync(directory, { recursive: true, force: true })
})

const reset = (node: Node, forking?: object): Promise<unknown> =>
  node.request('anvil_reset', forking === undefined ? [] : [{ forking }])

describe('a reset to another chain', () => {
  it('continues other chains one after the other, and then none', async () => {
    const node = await start()
    await pay(node, '0x5')
    await reset(node, { jsonRpcUrl: berlin.url })
    expect(await factsOf(node)).toEqual({ chainId: '0x3e9', version: '1001', number: 3, balance: 3, forkBlock: 3 })
    expect(await pay(node, '0x5')).toBe(4)
    await reset(node, { jsonRpcUrl: prague.url, blockNumber: 1 })
    expect(await factsOf(node)).toEqual({ chainId: '0x3ea', version: '1002', number: 1, balance: 16, forkBlock: 1 })
    expect(await node.request('isonode_forkStatus', [])).toMatchObject({ chainId: '0x3ea', blockNumber: '0x1' })
    expect(await node.request('hardhat_reset', [])).toBe(true)
    expect(await factsOf(node)).toEqual(plain)
    await expect(node.request('isonode_forkStatus', [])).rejects.toThrow(/continues no other chain/)
    expect(await pay(node, '0x5')).toBe(1)
    expect(await factsOf(berlin)).toMatchObject({ number: 3, balance: 3 })
  })

  it('has the rules of the chain', async () => {
    const node = await start()
    const hasBaseFee = async () =>
      'baseFeePerGas' in (await node.request<object>('eth_getBlockByNumber', ['latest', false]))
    expect(await hasBaseFee()).toBe(true)
    await reset(node, { jsonRpcUrl: berlin.url })
    await node.request('evm_mine', [])
    expect(await hasBaseFee()).toBe(false)
  })

  it('keeps the accounts of the node', async () => {
    const node = await start({ flags: { mnemonicRandom: 12 } })
    const accounts = await node.request('eth_accounts', [])
    await reset(node, { jsonRpcUrl: prague.url })
    expect(await node.request('eth_accounts', [])).toEqual(accounts)
    expect(await pay(node, '0x1')).toBe(3)
    await reset(node)
    expect(await node.request('eth_accounts', [])).toEqual(accounts)
    expect(await pay(node, '0x1')).toBe(1)
  })

  it('keeps filters and subscriptions, which tell of the next chain only', async () => {
    const node = await start()
    const filter = await node.request('eth_newBlockFilter', [])
    const seen: number[] = []
    const chains: string[] = []
    node.on('newHeads', ({ number }) => seen.push(Number(number)))
    node.on('chainChanged', (chainId) => chains.push(chainId))
    await node.request('evm_mine', [])
    await reset(node, { jsonRpcUrl: prague.url })
    const hashes: unknown[] = []
    for (let i = 0; i < 2; i++) {
      await node.request('evm_mine', [])
      const { hash } = await node.request<{ hash: string }>('eth_getBlockByNumber', ['latest', false])
      hashes.push(hash)
    }
    expect(await node.request('eth_getFilterChanges', [filter])).toEqual(hashes)
    await expect.poll(() => seen).toEqual([1, 3, 4])
    await expect.poll(() => chains).toEqual(['0x3ea'])
  })

  it('has happened, or the chain is as before', async () => {
    const node = await start({ forkUrl: berlin.url, flags: { forkRetries: 0 } })
    await pay(node, '0x5')
    const before = await factsOf(node)
    const snapshot = await node.request('evm_snapshot', [])
    await expect(reset(node, { jsonRpcUrl: 'http://127.0.0.1:1' })).rejects.toThrow()
    await expect(reset(node, { jsonRpcUrl: 'gopher://127.0.0.1' })).rejects.toThrow(/scheme/)
    await expect(reset(node, { jsonRpcUrl: prague.url, blockNumber: 99 })).rejects.toThrow()
    expect(await factsOf(node)).toEqual(before)
    expect(await node.request('evm_revert', [snapshot])).toBe(true)
    expect(await pay(node, '0x5')).toBe(5)
  })

  it('needs an address on a node that continues no other chain, and a chain that is not stored', async () => {
    const node = await start()
    await expect(reset(node, { blockNumber: 1 })).rejects.toThrow(/jsonRpcUrl/)
    const stored = await start({ dataPath: path.join(directory, 'stored') })
    await pay(stored, '0x5')
    await expect(reset(stored, { jsonRpcUrl: prague.url })).rejects.toThrow(/--ephemeral/)
    expect(await factsOf(stored)).toEqual({ ...plain, number: 1, balance: 5 })
  })

  it('runs one after the other, while requests arrive', async () => {
    const node = await start()
    const resets = [berlin, prague, berlin].map(({ url }) => reset(node, { jsonRpcUrl: url }))
    const numbers = Array.from({ length: 20 }, () => node.request<string>('eth_chainId', []))
    await Promise.all(resets)
    for (const chainId of await Promise.all(numbers)) expect(['0x7a69', '0x3e9', '0x3ea']).toContain(chainId)
    expect(await factsOf(node)).toMatchObject({ chainId: '0x3e9', number: 3 })
  })

  it('begins again where it began, with an empty object', async () => {
    const node = await start({ forkUrl: prague.url })
    await pay(node, '0x5')
    await node.request('anvil_reset', [{ forking: {} }])
    expect(await factsOf(node)).toMatchObject({ chainId: '0x3ea', number: 2, balance: 32 })
  })
})

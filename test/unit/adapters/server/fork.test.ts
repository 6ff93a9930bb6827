import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type StartOptions, startNode } from '../../../../mod.ts'

type Node = Awaited<ReturnType<typeof startNode>>

const TO = '0x1234567890123456789012345678901234567890'
/** Returns the value of slot 0, which a call with data sets to 7; each call with data writes a log. */
const COUNTER = '0x36601657600054600052602060006000a160206000f35b600760005560005460005260206000a000'

const opened: Node[] = []
async function start(options: StartOptions): Promise<Node> {
  const node = await startNode(options)
  opened.push(node)
  return node
}

let remote: Node
let sender: string
let contract: string
let directory: string

async function receiptOf(node: Node, transaction: object): Promise<Record<string, string>> {
  const hash = await node.request('eth_sendTransaction', [transaction])
  return (await node.request('eth_getTransactionReceipt', [hash])) as Record<string, string>
}

/** Without cache, so that no test knows what another one has fetched. */
function fork(options: StartOptions = {}, flags: Record<string, unknown> = {}): Promise<Node> {
  return start({ forkUrl: remote.url, ...options, flags: { forkCache: 'none', ...flags } } as StartOptions)
}

const initCode = (code: string): string =>
  `0x60${((code.length - 2) / 2).toString(16).padStart(2, '0')}600c60003960${((code.length - 2) / 2).toString(16).padStart(2, '0')}6000f3${code.slice(2)}`

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'isonode-fork-'))
  remote = await startNode({ chainId: 4242, hardfork: 'prague' })
  const [account] = (await remote.request('eth_accounts', [])) as string[]
  sender = account as string
  contract = (await receiptOf(remote, { from: sender, data: initCode(COUNTER) }))['contractAddress'] as string
  for (let i = 0; i < 3; i++) await receiptOf(remote, { from: sender, to: TO, value: '0x1' })
  await receiptOf(remote, { from: sender, to: contract })
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((node) => node.close()))
})
afterAll(async () => {
  await remote.close()
  rmSync(directory, { recursive: true, force: true })
})

describe('a dev chain that continues another chain', () => {
  it('shows its blocks, transactions, receipts, logs, state and proofs', async () => {
    const node = await fork()
    const block = (await remote.request('eth_getBlockByNumber', ['0x2', true])) as Record<string, unknown>
    const [transaction] = block['transactions'] as { hash: string }[]
    const questions: [string, unknown[]][] = [
      ['eth_chainId', []],
      ['eth_blockNumber', []],
      ['eth_getBlockByNumber', ['earliest', false]],
      ['eth_getBlockByNumber', ['0x2', true]],
      ['eth_getBlockByHash', [block['hash'], false]],
      ['eth_getTransactionByHash', [transaction?.hash]],
      ['eth_getTransactionReceipt', [transaction?.hash]],
      ['eth_getBlockReceipts', ['latest']],
      ['eth_feeHistory', ['0x4', 'latest', [50]]],
      ['eth_getLogs', [{ fromBlock: 'earliest', toBlock: 'latest' }]],
      ['eth_getBalance', [TO, '0x3']],
      ['eth_getBalance', [TO, 'latest']],
      ['eth_getCode', [contract, 'latest']],
      ['eth_getProof', [TO, [], '0x3']],
      ['eth_call', [{ to: contract, data: '0x01' }, '0x1']],
      ['debug_traceTransaction', [transaction?.hash, { tracer: 'callTracer' }]],
      ['trace_block', ['0x5']],
    ]
    for (const [method, params] of questions) {
      const [answer, expected] = [await node.request(method, params), await remote.request(method, params)]
      expect(answer, method).toEqual(expected)
    }
  })

  it('adds blocks to it, which the other chain never sees', async () => {
    const node = await fork()
    const head = Number(await remote.request('eth_blockNumber', []))
    const receipt = await receiptOf(node, { from: sender, to: contract, data: '0x01' })
    expect([receipt['status'], Number(receipt['blockNumber'])]).toEqual(['0x1', head + 1])
    const parent = (await remote.request('eth_getBlockByNumber', ['latest', false])) as Record<string, string>
    const block = (await node.request('eth_getBlockByNumber', ['latest', false])) as Record<string, string>
    expect(block['parentHash']).toBe(parent['hash'])
    expect(Number(block['timestamp'])).toBeGreaterThan(Number(parent['timestamp']))
    expect(BigInt((await node.request('eth_getStorageAt', [contract, '0x0', 'latest'])) as string)).toBe(7n)
    expect(BigInt((await node.request('eth_getStorageAt', [contract, '0x0', parent['number']])) as string)).toBe(0n)
    expect(await remote.request('eth_blockNumber', [])).toBe(`0x${head.toString(16)}`)
    const logs = (await node.request('eth_getLogs', [{ fromBlock: '0x0', address: contract }])) as {
      blockNumber: string
    }[]
    expect(logs.map(({ blockNumber }) => Number(blockNumber))).toEqual([head, head + 1])
    await expect(node.request('eth_getProof', [TO, [], 'latest'])).rejects.toThrow(/fork/)
  })

  it('never shows what the other chain adds later', async () => {
    const node = await fork({ forkBlockNumber: 2 })
    const { hash, transactions } = (await remote.request('eth_getBlockByNumber', ['0x4', false])) as Record<
      string,
      never
    >
    expect(await node.request('eth_blockNumber', [])).toBe('0x2')
    expect(await node.request('eth_getBlockByHash', [hash, false])).toBeNull()
    expect(await node.request('eth_getTransactionReceipt', [transactions?.[0]])).toBeNull()
    expect(await node.request('eth_getBalance', [TO, 'latest'])).toBe('0x1')
  })

  it('begins again on its block, or on another one, at another address', async () => {
    const node = await fork()
    await receiptOf(node, { from: sender, to: TO, value: '0x5' })
    await node.request('anvil_reset', [{}])
    expect(await node.request('eth_getBalance', [TO, 'latest'])).toBe('0x3')
    await receiptOf(node, { from: sender, to: TO, value: '0x5' })
    await node.request('anvil_reset', [{ forking: { jsonRpcUrl: remote.url, blockNumber: 3 } }])
    expect(await node.request('eth_blockNumber', [])).toBe('0x3')
    expect(await node.request('eth_getBalance', [TO, 'latest'])).toBe('0x2')
    expect(await node.request('eth_getBlockByNumber', ['0x4', false])).toBeNull()
    const receipt = await receiptOf(node, { from: sender, to: TO, value: '0x5' })
    expect(receipt['blockNumber']).toBe('0x4')
    expect(await node.request('eth_getBalance', [TO, 'latest'])).toBe('0x7')
    expect(await node.request('hardhat_reset', [{ forking: { jsonRpcUrl: remote.url } }])).toBe(true)
    expect(await node.request('eth_blockNumber', [])).toBe(await remote.request('eth_blockNumber', []))
    await node.request('anvil_setRpcUrl', [`${remote.url}/?key=secret-key`])
    expect(await node.request('eth_getBalance', [contract, 'latest'])).toBe('0x0')
    expect(JSON.stringify(await node.request('isonode_forkStatus', []))).not.toContain('secret')
  })

  it('stays as it is when a reset fails', async () => {
    const node = await fork({}, { forkRetries: 0 })
    await receiptOf(node, { from: sender, to: TO, value: '0x5' })
    const reset = (forking: object) => node.request('anvil_reset', [{ forking }])
    await expect(reset({ jsonRpcUrl: 'http://127.0.0.1:1' })).rejects.toThrow()
    await expect(reset({ blockNumber: 1000 })).rejects.toThrow(/block 1000/)
    const other = await start({ chainId: 1234 })
    await expect(node.request('anvil_setRpcUrl', [other.url])).rejects.toThrow(/does not have block/)
    expect(await node.request('eth_getBalance', [TO, 'latest'])).toBe('0x8')
    await receiptOf(node, { from: sender, to: TO, value: '0x1' })
  })

  it('names its remote', async () => {
    const node = await fork({ forkBlockNumber: 2 })
    const { hash } = (await remote.request('eth_getBlockByNumber', ['0x2', false])) as Record<string, string>
    expect(await node.request('anvil_nodeInfo', [])).toMatchObject({
      forkConfig: { forkUrl: remote.url, forkBlockNumber: 2, forkRetryBackoff: 1000 },
    })
    expect(await node.request('hardhat_metadata', [])).toMatchObject({
      forkedNetwork: { chainId: 4242, forkBlockNumber: 2, forkBlockHash: hash },
    })
  })

  it('gives funded accounts their balance and takes the code that strangers gave them', async () => {
    const other = await start({ chainId: 4242 })
    await other.request('anvil_setCode', [sender, `0xef0100${contract.slice(2)}`])
    await other.request('anvil_setBalance', [sender, '0x5'])
    await other.request('evm_mine', [])
    const lines: string[] = []
    const node = await fork({ forkUrl: other.url, log: (line) => void lines.push(line) })
    expect(await node.request('eth_getCode', [sender, 'latest'])).toBe('0x')
    expect(BigInt((await node.request('eth_getBalance', [sender, 'latest'])) as string)).toBe(10n ** 22n)
    expect(lines.join('\n')).toMatch(/lost the code/)
  })

  it('is kept in a directory, and continues there without asking what it knows', async () => {
    const dataPath = path.join(directory, 'kept')
    const options = { dataPath, forkUrl: remote.url }
    const first = await fork(options)
    await receiptOf(first, { from: sender, to: TO, value: '0x5' })
    const hash = ((await first.request('eth_getBlockByNumber', ['latest', false])) as Record<string, string>)['hash']
    await first.close()
    const second = await fork(options)
    expect(await second.request('eth_getBlockByNumber', ['latest', false])).toMatchObject({ hash })
    expect(await second.request('eth_getBalance', [TO, 'latest'])).toBe('0x8')
    await second.close()
    await expect(start({ dataPath })).rejects.toMatchObject({ details: { code: 'GENESIS_MISMATCH' } })
    await expect(fork({ ...options, forkBlockNumber: 2 })).rejects.toThrow(/continues block 5/)
  })

  it('runs again from a pack without any address, with equal bytes', async () => {
    const forkPack = path.join(directory, 'run.pack')
    const run = async (options: StartOptions, flags: object): Promise<unknown> => {
      const node = await fork(options, { forkPack, ...flags })
      await node.request('evm_setNextBlockTimestamp', [4_000_000_000])
      await receiptOf(node, { from: sender, to: contract, data: '0x01' })
      const result = await node.request('eth_call', [{ to: contract, data: '0x01' }, '0x2'])
      await node.close()
      return result
    }
    const result = await run({}, {})
    const bytes = readFileSync(forkPack)
    expect(await run({ forkUrl: undefined }, { forkOffline: true })).toBe(result)
    rmSync(forkPack)
    await run({}, {})
    expect(readFileSync(forkPack).equals(bytes)).toBe(true)
    const offline = await fork({ forkUrl: undefined }, { forkPack, forkOffline: true })
    await expect(offline.request('eth_getBalance', [`0x${'99'.repeat(20)}`, 'latest'])).rejects.toThrow(/offline/)
  })

  it('continues right after a transaction', async () => {
    const other = await start({ chainId: 4242, hardfork: 'prague', mining: false })
    const send = (value: string) => other.request('eth_sendTransaction', [{ from: sender, to: TO, value }])
    await other.request('evm_mine', [])
    const hashes = [await send('0x1'), await send('0x2'), await send('0x4')]
    await other.request('evm_mine', [])
    const node = await fork({ forkUrl: other.url }, { forkTransactionHash: hashes[1] })
    expect(await node.request('eth_getBalance', [TO, 'latest'])).toBe('0x3')
    const [block, mined] = (await Promise.all(
      [node, other].map((each) => each.request('eth_getBlockByNumber', ['0x2', false])),
    )) as Record<string, unknown>[]
    expect(block?.['transactions']).toEqual(hashes.slice(0, 2))
    expect(block?.['timestamp']).toBe(mined?.['timestamp'])
  })

  it('refuses options that the other chain determines', async () => {
    await expect(fork({ genesis: {} })).rejects.toThrow(/genesis/)
    await expect(fork({ forkUrl: 'ftp://example.org/secret-key' })).rejects.toThrow(/^(?!.*secret).*scheme/)
    await expect(start({ forkBlockNumber: 3 })).rejects.toThrow(/forkUrl/)
    await expect(fork({}, { forkVerify: 'quorum' })).rejects.toThrow(/two addresses/)
  })
})

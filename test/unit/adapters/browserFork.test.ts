import 'fake-indexeddb/auto'
import { afterEach, expect, it } from 'vitest'
import { type BrowserNodeOptions, createBrowserNode } from '../../../adapters/browser/browser.ts'
import { startNode } from '../../../mod.ts'

const TO = '0x1234567890123456789012345678901234567890'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const node of opened.splice(0).reverse()) await node.close()
})

async function page(options: BrowserNodeOptions) {
  const node = await createBrowserNode(options)
  opened.push(node)
  return node
}

async function pay(node: Awaited<ReturnType<typeof page>>, value: string): Promise<void> {
  const [from] = (await node.request('eth_accounts', [])) as string[]
  await node.request('eth_sendTransaction', [{ from, to: TO, value }])
}

it('a node in a page continues the chain of a provider', async () => {
  const remote = await page({ storage: 'memory', chainId: 4242 })
  await pay(remote, '0x3')
  const node = await page({ fork: { provider: remote, cache: 'none' } })
  expect(await node.request('eth_chainId', [])).toBe('0x1092')
  expect(await node.request('eth_getBalance', [TO, 'latest'])).toBe('0x3')
  await pay(node, '0x4')
  expect(await node.request('eth_getBalance', [TO, 'latest'])).toBe('0x7')
  expect(await remote.request('eth_getBalance', [TO, 'latest'])).toBe('0x3')
})

it('a reloaded page asks its address for nothing that it knows', async () => {
  const remote = await startNode({ chainId: 4242 })
  opened.push(remote)
  const fork = { url: remote.url, block: 0 }
  const first = await page({ fork })
  const balance = await first.request('eth_getBalance', [TO, 'latest'])
  await first.close()
  opened.pop()
  const node = await page({ fork })
  expect(await node.request('eth_getBalance', [TO, 'latest'])).toBe(balance)
  expect(await node.request('isonode_forkStatus', [])).toMatchObject({ requests: 0 })
})

it('a page in memory changes to the chain of an address, and back to its own', async () => {
  const remote = await startNode({ chainId: 4242 })
  opened.push(remote)
  const node = await page({ storage: 'memory' })
  await pay(node, '0x4')
  await node.request('anvil_reset', [{ forking: { jsonRpcUrl: remote.url } }])
  expect(await node.request('eth_chainId', [])).toBe('0x1092')
  expect(await node.request('isonode_forkStatus', [])).toMatchObject({ chainId: '0x1092', blockNumber: '0x0' })
  await pay(node, '0x5')
  expect(await node.request('eth_getBalance', [TO, 'latest'])).toBe('0x5')
  await node.request('anvil_reset', [])
  expect(await node.request('eth_chainId', [])).toBe('0x7a69')
  expect(await node.request('eth_getBalance', [TO, 'latest'])).toBe('0x0')
})

it('a fork is in memory', async () => {
  const fork = { url: 'http://127.0.0.1:1' }
  await expect(createBrowserNode({ fork, storage: 'indexeddb' })).rejects.toThrow(
    /'fork' cannot be combined with 'storage'/,
  )
  await expect(createBrowserNode({ fork: { url: 'ftp://a' } })).rejects.toThrow(/scheme/)
})

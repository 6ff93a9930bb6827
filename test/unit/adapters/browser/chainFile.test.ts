// slow: opens databases
/** A chain that moves from a page to the command line and back. */
import 'fake-indexeddb/auto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BrowserNode, type BrowserNodeOptions, createBrowserNode } from '../../../../adapters/browser/index.ts'
import { startNode } from '../../../../adapters/server/startNode.ts'
import type { LocalNode } from '../../../../adapters/shared/nodeHandle.ts'

const STRANGER = '0x00000000000000000000000000000000000000aa'
/** Stores the caller's word at its slot, and logs. */
const STORE_AND_LOG = '0x60003560203555602035600052602060006000a1'
const CONTRACT = '0x00000000000000000000000000000000000c0de0'

let folder = ''
const opened: LocalNode[] = []
const memory = { storage: 'memory' } as const

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'isonode-chain-'))
  vi.stubGlobal('navigator', { locks: { request: (_: string, __: unknown, use: () => Promise<void>) => use() } })
})
afterEach(async () => {
  for (const node of opened.splice(0)) await node.close()
  vi.unstubAllGlobals()
  rmSync(folder, { recursive: true, force: true })
})

async function open(options: BrowserNodeOptions = memory): Promise<BrowserNode> {
  const node = await createBrowserNode(options)
  opened.push(node)
  return node
}

/** Blocks with transactions, changes of the state without any, and empty blocks. */
async function makeHistory({ request, accounts }: LocalNode): Promise<void> {
  const [from] = accounts.map(({ address }) => address)
  await request('anvil_setCode', [CONTRACT, STORE_AND_LOG])
  for (let slot = 1; slot <= 20; slot++) {
    const data = `0x${'1'.padStart(64, '0')}${slot.toString(16).padStart(64, '0')}`
    await request('eth_sendTransaction', [{ from, to: CONTRACT, data }])
    await request('anvil_setBalance', [STRANGER, `0x${slot.toString(16)}`])
  }
  await request('anvil_mine', ['0x5'])
  await request('anvil_setStorageAt', [CONTRACT, '0x63', `0x${'9'.padStart(64, '0')}`])
}

/** Must be equal: head with its root, the changes without a block, and history. */
async function seen({ request }: LocalNode): Promise<unknown> {
  return Promise.all([
    request('eth_getBlockByNumber', ['latest', true]),
    request('eth_getProof', [CONTRACT, ['0x1', '0x63'], 'latest']),
    request('eth_getBalance', [STRANGER, 'latest']),
    request('eth_getBalance', [STRANGER, '0x7']),
    request('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]),
  ])
}

const fileOf = async (node: BrowserNode): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await new Response(await node.exportChain()).arrayBuffer())

describe('the file of a chain', () => {
  it('goes from a page to the command line and back', async () => {
    const page = await open({ dataPath: 'from' })
    await makeHistory(page)
    const chain = await seen(page)
    const file = path.join(folder, 'state.json')
    writeFileSync(file, await fileOf(page))
    const program = await startNode({ listen: false, state: file })
    opened.push(program)
    expect(await seen(program)).toEqual(chain)
    await program.request('evm_mine')
    const longer = await seen(program)
    await program.close()
    const back = await open({ dataPath: 'to' })
    await back.request('anvil_mine', ['0x3'])
    await back.importChain(new Blob([readFileSync(file)]))
    expect(await seen(back)).toEqual(longer)
    await back.close()
    expect(await seen(await open({ dataPath: 'to' }))).toEqual(longer)
  })

  it('is taken from every source of bytes, compressed or not, and from anvil_dumpState', async () => {
    const page = await open()
    await makeHistory(page)
    const chain = await seen(page)
    const file = await fileOf(page)
    const dump = await page.request<string>('anvil_dumpState')
    const sources = [
      file,
      new Uint8Array(gzipSync(file)),
      [file],
      Buffer.from(dump.slice(2), 'hex'),
      await page.exportChain(),
    ]
    for (const source of sources) {
      const other = await open()
      await other.importChain(source)
      expect(await seen(other)).toEqual(chain)
    }
  })

  it('changes nothing when it is damaged, cut, or no such file', async () => {
    const page = await open()
    await makeHistory(page)
    const file = await fileOf(page)
    const chain = await seen(page)
    const damaged = file.slice()
    damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] as number) ^ 1
    const empty = new Uint8Array(0)
    for (const source of [damaged, file.subarray(0, -200), new TextEncoder().encode('hello'), empty]) {
      await expect(page.importChain(source)).rejects.toMatchObject({ code: -32602 })
      expect(await seen(page)).toEqual(chain)
    }
    await page.request('evm_mine')
  })

  it('is refused for a chain that is no dev chain', async () => {
    const genesis = { config: { chainId: 5, londonBlock: 0 }, difficulty: '0x1', gasLimit: '0x1c9c380', alloc: {} }
    const node = await open({ ...memory, genesis })
    await expect(fileOf(node)).rejects.toMatchObject({ code: -32601 })
    await expect(node.importChain(new Uint8Array(1))).rejects.toMatchObject({ code: -32601 })
  })
})

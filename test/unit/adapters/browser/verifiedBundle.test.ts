// slow: bundles the provider as the build does
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type * as Verified from '../../../../adapters/browser/verified.ts'
import { pageModules, verifiedModules } from '../../../../adapters/server/build/pageModules.mjs'
import { DEV_ACCOUNTS } from '../../../../src/config/devAccounts.ts'
import { devGenesis } from '../../../../src/config/devGenesis.ts'
import { needsData } from '../../../support/host/needsData.ts'
import { openDevNode } from '../../../support/nodes/devNodeInMemory.ts'
import { recordedPath } from '../../../support/recorded/conformance.ts'
import { openRecordedChain } from '../../../support/recorded/recordedRpc.ts'

const root = path.resolve(import.meta.dirname, '../../../..')
const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string]
const CONTRACT = '0x00000000000000000000000000000000000c0de1'
const RETURNS_42 = '0x602a60005260206000f3'

let folder = ''
let createVerifiedProvider: typeof Verified.createVerifiedProvider

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'isonode-verified-'))
  await build({
    entryPoints: [path.join(root, 'adapters/browser/verified.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    plugins: [verifiedModules, pageModules],
  })
  const bundle: typeof Verified = await import(pathToFileURL(path.join(folder, 'verified.mjs')).href)
  createVerifiedProvider = bundle.createVerifiedProvider
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Answer = (method: string, params: readonly unknown[]) => Promise<unknown>

const asProvider = (answer: Answer) => ({
  request: ({ method, params = [] }: { method: string; params?: unknown }) => answer(method, params as unknown[]),
})

async function openChain() {
  const { rpc, node } = await openDevNode()
  await rpc('hardhat_setCode', CONTRACT, RETURNS_42)
  const sent = await rpc<string>('eth_sendTransaction', { from: ALICE, to: BOB, value: '0x5' })
  const { hash } = await rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
  const provider = await createVerifiedProvider({
    provider: asProvider((method, params) => rpc(method, ...params)),
    genesis: devGenesis(),
    trust: { hash },
  })
  const close = async () => {
    await provider.close()
    await node.close()
  }
  return { rpc, provider, sent, close }
}

describe('the built provider of proven answers', () => {
  it('says that code could not be loaded, and loads it with the next call', async () => {
    const { provider, close } = await openChain()
    const name = readdirSync(folder).find((file) => file.startsWith('execution-')) as string
    const [file, hidden] = [path.join(folder, name), path.join(folder, 'hidden')]
    renameSync(file, hidden)
    await expect(provider.request('eth_call', [{ to: CONTRACT }, 'latest'])).rejects.toThrow(name)
    expect(await provider.request('eth_getBalance', [BOB, 'latest'])).toMatch(/^0x/)
    renameSync(hidden, file)
    expect(await provider.request('eth_call', [{ to: CONTRACT }, 'latest'])).toBe(`0x${'2a'.padStart(64, '0')}`)
    await close()
  })

  it('answers each kind of method as the node does', async () => {
    const { rpc, provider, sent, close } = await openChain()
    const requests: readonly (readonly [method: string, params: readonly unknown[]])[] = [
      ['eth_getTransactionReceipt', [sent]],
      ['eth_getTransactionByHash', [sent]],
      ['eth_getBalance', [BOB, 'latest']],
      ['eth_getCode', [CONTRACT, 'latest']],
      ['eth_getStorageAt', [CONTRACT, '0x0', 'latest']],
      ['eth_getTransactionCount', [ALICE, 'latest']],
      ['eth_call', [{ to: CONTRACT }, 'latest']],
      ['eth_estimateGas', [{ from: ALICE, to: BOB }]],
      ['eth_createAccessList', [{ from: ALICE, to: CONTRACT }, 'latest']],
      ['eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]],
      ['eth_feeHistory', ['0x1', 'latest', [50]]],
    ]
    for (const [method, params] of requests) {
      expect(await provider.request(method, params), method).toEqual(await rpc(method, ...params))
    }
    await close()
  })

  for (const name of ['qbft', 'clique']) {
    it(`follows the seals of ${name}`, needsData(`besu/${name}`), async () => {
      const [genesisFile, blocksFile] = ['genesis.json', 'blocks.bin'].map((file) => recordedPath(`besu/${name}`, file))
      const { send } = await openRecordedChain({
        genesisFile: genesisFile as string,
        blocksFile: blocksFile as string,
        profile: 'geth',
      })
      const provider = await createVerifiedProvider({
        provider: asProvider(async (method, params) => {
          const { body } = await send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
          const { result, error } = JSON.parse(body)
          if (error !== undefined) throw error
          return result
        }),
        genesis: readFileSync(genesisFile as string, 'utf8'),
        trust: { checkpoint: 'genesis' },
      })
      expect((await provider.head()).number).toBeGreaterThan(0)
      await provider.close()
    })
  }
})

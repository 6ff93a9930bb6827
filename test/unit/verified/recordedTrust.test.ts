import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { VerifiedProvider } from '../../../src/verified/contract.ts'
import { needsData } from '../../support/host/needsData.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'
import { openRecordedChain } from '../../support/recorded/recordedRpc.ts'
import { NodeTransport } from '../../support/remote/nodeTransport.ts'
import { openVerified } from '../../support/remote/verified.ts'

const providers: VerifiedProvider[] = []
afterEach(async () => {
  for (const provider of providers.splice(0)) await provider.close()
})

async function openRecorded(name: string) {
  const folder = `besu/${name}`
  const genesisFile = recordedPath(folder, 'genesis.json')
  const blocksFile = recordedPath(folder, 'blocks.bin')
  const { chain, send } = await openRecordedChain({ genesisFile, blocksFile, profile: 'geth' })
  const transport = new NodeTransport(async (method, ...params) => {
    const { body } = await send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const { result, error } = JSON.parse(body)
    if (error !== undefined) throw error
    return result
  })
  const genesis = readFileSync(genesisFile, 'utf8')
  const provider = await openVerified(transport, { genesis, trust: { checkpoint: 'genesis' } })
  providers.push(provider)
  return { chain, transport, provider, height: Number(chain.head.header.number) }
}

describe('recorded chains from their genesis block on', () => {
  for (const name of [
    'qbft',
    'qbft-rounds',
    'qbft-transitions',
    'qbft-contract',
    'ibft2',
    'ibft2-transitions',
    'ibft2-to-qbft',
  ]) {
    it(`${name} is followed to its head by seals`, needsData(`besu/${name}`), async () => {
      const { provider, transport, height } = await openRecorded(name)
      expect(await provider.head()).toMatchObject({ number: height })
      transport.hidden = new Set(['isonode_callWitness'])
      expect(await provider.request('eth_blockNumber')).toBe(`0x${height.toString(16)}`)
      const logs = await provider.request<unknown[]>('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])
      expect(Array.isArray(logs)).toBe(true)
    })
  }

  for (const name of ['clique', 'clique-votes']) {
    it(`${name} is followed to the block that enough signers confirm`, needsData(`besu/${name}`), async () => {
      const { provider, chain, height } = await openRecorded(name)
      const { number, hash } = await provider.head()
      expect(number).toBeLessThan(height)
      expect(number).toBeGreaterThan(height - 5)
      expect(chain.canonicalHash(number)).toEqual(hexToBytes(hash))
    })
  }

  it('a chain of Clique with a header of a stranger is refused', needsData('besu/clique-votes'), async () => {
    const { provider, transport } = await openRecorded('clique-votes')
    transport.lie = (method, _, result) => {
      const block = result as { extraData: string }
      return method === 'eth_getBlockByNumber' ? { ...block, extraData: `${block.extraData.slice(0, -4)}1100` } : result
    }
    await expect(provider.head()).rejects.toMatchObject({ code: 'PROOF_INVALID' })
  })

  it('a chain without seals is refused', needsData('besu/cancun'), async () => {
    const { provider } = await openRecorded('cancun')
    await expect(provider.head()).rejects.toThrow(/no seals that lead from a checkpoint/)
  })
})

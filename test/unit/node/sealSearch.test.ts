import { describe, expect, it } from 'vitest'
import type { DatasetHost } from '../../../src/base/ports/ethashDatasets.ts'
import { openGenesisNode } from '../../support/nodes/genesisNode.ts'

const GENESIS = JSON.stringify({
  config: { chainId: 1, londonBlock: 0, ethash: {} },
  difficulty: '0x1',
  gasLimit: '0x1000000',
  alloc: {},
})
const FULL = { 'miner-dag': 'full', 'ethash-test-mode': true, 'p2p-enabled': false } as const

const nothing = (): void => {}
const search = { hashrate: 0, start: nothing, stop: nothing, pause: nothing, useDatasets: nothing, close: nothing }
const datasets: DatasetHost = { threads: 1, availableBytes: () => 0, compute: async () => {}, files: undefined }

describe('a node that mines with datasets', () => {
  it('is refused without threads that share memory', async () => {
    const refused = {
      code: 'INVALID_OPTION',
      message: '--miner-dag=full cannot be used: this runtime has no threads with shared memory',
    }
    await expect(openGenesisNode(GENESIS, FULL)).rejects.toMatchObject(refused)
    await expect(openGenesisNode(GENESIS, FULL, { ethashDatasets: datasets })).rejects.toMatchObject(refused)
  })

  it('opens on a host with threads, and with the light algorithm on any', async () => {
    const full = await openGenesisNode(GENESIS, FULL, { openSealSearch: () => search, ethashDatasets: datasets })
    const light = await openGenesisNode(GENESIS, { ...FULL, 'miner-dag': 'light' })
    expect([full, light].map(({ chain }) => chain.head.header.number)).toEqual([0n, 0n])
    await Promise.all([full.close(), light.close()])
  })
})

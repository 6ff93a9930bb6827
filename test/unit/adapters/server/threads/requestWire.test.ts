import { serialize } from 'node:v8'
import { expect, it } from 'vitest'
import { chooseGenesis } from '../../../../../adapters/server/data/chooseGenesis.ts'
import { packConfig, unpackConfig } from '../../../../../adapters/server/threads/requestWire.ts'
import { defaultOptions } from '../../../../../src/config/options.ts'

const ACCOUNTS = 10_000

it('sends a thread the configuration without the accounts', async () => {
  const address = (i: number): string => `0x${i.toString(16).padStart(40, '0')}`
  const alloc = Object.fromEntries(Array.from({ length: ACCOUNTS }, (_, i) => [address(i + 1), { balance: '0x1' }]))
  const file = JSON.stringify({
    config: { chainId: 7, londonBlock: 0, shanghaiTime: 5, clique: { blockperiodseconds: 3 } },
    difficulty: '0x1',
    gasLimit: '0x1c9c380',
    alloc,
  })
  const own = { ...defaultOptions(true), 'genesis-file': 'genesis.json', 'network-id': 99n }
  const named = { ...defaultOptions(true), network: 'SEPOLIA' as const }
  const dev = { ...defaultOptions(true), dev: true }
  for (const { genesis } of [await chooseGenesis(own, file), await chooseGenesis(named), await chooseGenesis(dev)]) {
    const packed = packConfig(genesis.config)
    expect(serialize(packed).length).toBeLessThan(4096)
    expect(unpackConfig(structuredClone(packed))).toEqual(genesis.config)
  }
})

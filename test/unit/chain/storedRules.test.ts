/** A store whose blocks were executed under one chain id and one list of forks, opened with another. */
import { expect, it } from 'vitest'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { keys } from '../../../src/storage/schema.ts'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const LATER = 4_000_000_000
const LATEST = 5_000_000_000

/** @param config replaces members of the genesis file's section */
function genesis(config: object = {}): Record<string, unknown> {
  const json = devGenesis()
  return { ...json, config: { ...(json['config'] as object), ...config } }
}

async function open(kv: MemoryStore, config?: object, blocks = 0): Promise<void> {
  const { node, rpc } = await openDevNode({}, kv, {}, genesis(config))
  for (let i = 0; i < blocks; i++) await rpc('evm_mine')
  await node.close()
}

it.each([
  [{ chainId: 5 }, 'the database has a chain with chain id 31337, the configuration has chain id 5'],
  [
    { osakaTime: LATER },
    `the database has 2 blocks with the fork osaka from time 0, the configuration has it from time ${LATER}`,
  ],
  [
    { osakaTime: undefined },
    'the database has 2 blocks with the fork osaka from time 0, the configuration has it never',
  ],
  [{ bpo1Time: 5 }, 'the database has 2 blocks with the fork bpo1 never, the configuration has it from time 5'],
])('refuses other rules below the head: %o', async (config, message) => {
  const kv = new MemoryStore()
  await open(kv, {}, 2)
  await expect(open(kv, config)).rejects.toMatchObject({ code: 'GENESIS_MISMATCH', message })
  await open(kv, {}, 1)
})

it('accepts forks above the head, and then keeps to them', async () => {
  const kv = new MemoryStore()
  await open(kv, {}, 2)
  await open(kv, { bpo1Time: LATER })
  await open(kv, { bpo1Time: LATEST })
  await open(kv, {}, 1)
})

it('accepts other forks while there is only block 0', async () => {
  const kv = new MemoryStore()
  await open(kv)
  await open(kv, { bpo1Time: 0 }, 1)
  await expect(open(kv, {})).rejects.toThrow('the fork bpo1 from time 0, the configuration has it never')
})

it('records the rules of a store of an older build at its first start', async () => {
  const kv = new MemoryStore()
  await open(kv, {}, 1)
  await kv.commit([{ key: keys.meta('rules'), value: undefined }])
  await open(kv)
  await expect(open(kv, { chainId: 5 })).rejects.toMatchObject({ code: 'GENESIS_MISMATCH' })
})

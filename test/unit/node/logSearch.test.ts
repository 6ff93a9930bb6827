// slow: thousands of blocks
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LmdbStore } from '../../../adapters/server/data/lmdbStore.ts'
import type { AsyncKeyValueStore, KeyValueStore, Residency } from '../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { LogTerms } from '../../../src/chain/contract.ts'
import { SECTION_BLOCKS, SECTION_DEPTH } from '../../../src/chain/termIndex/section.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { parseGenesis } from '../../../src/config/genesisFile.ts'
import { defaultOptions } from '../../../src/config/options.ts'
import { createNode, type IsoNode } from '../../../src/node/node.ts'
import { settingsOf } from '../../../src/node/settings/nodeSettings.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { ResidentStore } from '../../../src/storage/residentStore.ts'
import { addLoggers, nextNonce, numbers, randomTerms, scanned, sealRandom } from '../../support/chains/indexedChain.ts'
import { TEST_CLOCK, TEST_SENDERS } from '../../support/chains/testChain.ts'
import { generatedCases } from '../../support/host/generatedCases.ts'
import { Random } from '../../support/host/random.ts'
import { testRandom, testTimers } from '../../support/host/testPorts.ts'
import { testYield } from '../../support/host/testYield.ts'
import { DEV_CHAIN, openDevChain } from '../../support/nodes/devChain.ts'

const FIRST_HEAD = SECTION_BLOCKS + SECTION_DEPTH + 20
const SECOND_HEAD = FIRST_HEAD + 15
const ROUNDS = generatedCases(10)

interface OpenedStore {
  readonly store: KeyValueStore
  readonly residency?: Residency
}

interface FoundLog {
  readonly blockNumber: string
  readonly logIndex: string
  readonly address: string
}

const folder = mkdtempSync(path.join(tmpdir(), 'isonode-logs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const memory = new MemoryStore()
const remote = new MemoryStore()
const later: AsyncKeyValueStore = {
  getMany: async (keys) => remote.getMany(keys),
  range: async (options) => [...remote.range(options)],
  commit: async (batch) => remote.commit(batch),
  close: async () => {},
}

/** Each store retains its content when it is reopened. */
const STORES: Readonly<Record<string, () => OpenedStore>> = {
  'in memory': () => ({ store: memory }),
  'in LMDB': () => ({ store: new LmdbStore({ directory: folder, durability: 'process' }) }),
  'asynchronous with little memory': () => {
    const store = new ResidentStore(later, { bytes: 500_000 })
    return { store, residency: store }
  },
}

async function openNode({ store, residency }: OpenedStore): Promise<IsoNode> {
  const json = devGenesis()
  const host = {
    store,
    clock: TEST_CLOCK,
    logger: silentLogger,
    senders: TEST_SENDERS,
    timers: testTimers,
    random: testRandom,
    yieldToHost: testYield,
    platform: 'test',
    ...(residency === undefined ? {} : { residency }),
  }
  const genesis = { genesis: parseGenesis(json, { networkId: BigInt(DEV_CHAIN) }), text: JSON.stringify(json) }
  return createNode(host, genesis, settingsOf({ ...defaultOptions(false), 'rpc-max-logs-range': 0 }, false))
}

async function getLogs(node: IsoNode, terms: LogTerms, from: number, to: number): Promise<string[]> {
  const filter = {
    fromBlock: `0x${from.toString(16)}`,
    toBlock: `0x${to.toString(16)}`,
    address: terms.addresses.map(bytesToHex),
    topics: terms.topics.map((alternatives) => alternatives?.map(bytesToHex) ?? null),
  }
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] })
  const { body } = await node.endpoints.get('http').exchange.handle({ body: request })
  const { result, error } = JSON.parse(body) as { result?: FoundLog[]; error?: unknown }
  expect(error).toBeUndefined()
  return (result ?? []).map((log) => `${Number(log.blockNumber)}:${Number(log.logIndex)}:${log.address}`)
}

/** The reference for comparison: a chain with the same blocks, searched one by one. */
async function openTwin(random: Random, count: number): Promise<Chain> {
  const chain = await openDevChain()
  await addLoggers(chain)
  await sealRandom(chain, random, count)
  return chain
}

describe.each(Object.keys(STORES))('eth_getLogs of a node over a store %s', (name) => {
  const open = () => openNode((STORES[name] as () => OpenedStore)())
  const random = new Random(21)
  let twin: Chain

  /** Seals the same blocks on both chains. */
  async function sealBoth(node: IsoNode, other: Chain, count: number, seed: number): Promise<void> {
    const nonce = nextNonce(other)
    await sealRandom(other, new Random(seed), count, nonce)
    await sealRandom(node.chain, new Random(seed), count, nonce)
    expect(node.chain.head.hash).toEqual(other.head.hash)
  }

  async function compare(node: IsoNode, other: Chain): Promise<void> {
    const head = Number(other.head.header.number)
    for (let round = 0; round < ROUNDS; round++) {
      const terms = randomTerms(random)
      const from = round === 0 ? 0 : random.below(head + 1)
      const to = from + random.below(head + 10 - from)
      expect(await getLogs(node, terms, from, to)).toEqual(scanned(other, terms, numbers(from, Math.min(to, head))))
    }
  }

  beforeAll(async () => {
    twin = await openTwin(new Random(1), FIRST_HEAD)
  })

  it('finds the same logs as a search of every block', async () => {
    const node = await open()
    await addLoggers(node.chain)
    await sealRandom(node.chain, new Random(1), FIRST_HEAD, 0n)
    expect(node.chain.head.hash).toEqual(twin.head.hash)
    await compare(node, twin)
    await node.close()
  })

  it('does so after a restart and more blocks', async () => {
    const node = await open()
    await compare(node, twin)
    await sealBoth(node, twin, SECOND_HEAD - FIRST_HEAD, 2)
    await compare(node, twin)
    await node.close()
  })

  it('does so after the head moved back and to another branch', async () => {
    const node = await open()
    const before = twin.head.hash
    const parting = twin.canonicalHash(SECTION_BLOCKS - 5) as Uint8Array
    for (const chain of [node.chain, twin]) await chain.setHead(parting)
    await compare(node, twin)
    await sealBoth(node, twin, SECTION_DEPTH + 30, 3)
    await compare(node, twin)
    for (const chain of [node.chain, twin]) await chain.setHead(before)
    await compare(node, twin)
    await node.close()
  })
})

import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import type { ConsensusEngine } from '../../../src/chain/engine.ts'
import { StoredChain } from '../../../src/chain/storedChain.ts'
import { BlockSchedule, type ScheduleEntry } from '../../../src/config/blockSchedule.ts'
import { parseGenesis } from '../../../src/config/genesisFile.ts'
import { PosEngine } from '../../../src/consensus/pos.ts'
import { EngineSchedule } from '../../../src/consensus/schedule.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import type { Block } from '../../../src/types/block.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { genesisBlock } from '../../../src/types/genesisHeader.ts'
import { checkInvariants } from '../../support/chains/chainInvariants.ts'
import { FakeEngine } from '../../support/chains/fakeEngine.ts'
import { devWriter, openTestChain } from '../../support/chains/testChain.ts'
import { type PlannedBlock, sealBlocks } from '../../support/nodes/devChain.ts'

const WATCHED = '00'.repeat(19).concat('77')
const GENESIS_TIME = 1_000

interface Options {
  readonly section?: object
  readonly first?: ConsensusEngine
  readonly changes?: readonly ScheduleEntry<ConsensusEngine>[]
  readonly kv?: MemoryStore
}

/** @param options without engines, the chain uses those of its genesis */
function open({ section = {}, first, changes, kv }: Options): Promise<Chain> {
  const json = {
    config: { chainId: 5, londonBlock: 0, ...section },
    difficulty: '0x64',
    gasLimit: '0x1c9c380',
    timestamp: GENESIS_TIME,
    alloc: { [WATCHED]: { balance: '9' } },
  }
  const genesis = parseGenesis(json, { networkId: 5n })
  const { config } = genesis
  const engines = first && new BlockSchedule(first, changes)
  return openTestChain({
    config,
    genesis: {
      alloc: genesis.alloc,
      text: JSON.stringify(json),
      block: (stateRoot) => genesisBlock(genesis, stateRoot),
    },
    ...(engines && { consensus: new EngineSchedule({ config, engines, proofOfStake: new PosEngine() }) }),
    ...(kv && { kv }),
  })
}

async function sealed(chain: Chain, plan: PlannedBlock = {}): Promise<Block> {
  const [{ header, hash }] = (await sealBlocks(chain, [plan])) as [ChainHeader]
  return { header, ...chain.body(hash), transactions: [], ommers: [] }
}

describe('a consensus engine', () => {
  it('determines the hash: blocks that differ only in excluded fields are the same', async () => {
    const engine = new FakeEngine()
    const chain = await open({ first: engine })
    expect(chain.genesis.hash).toEqual(engine.hash(chain.genesis.header))
    const block = await sealed(chain)
    expect(chain.head.hash).toEqual(engine.hash(block.header))
    const other = { ...block, header: { ...block.header, nonce: new Uint8Array(8).fill(1) } }
    expect(await chain.import(other)).toMatchObject({ kind: 'known' })
    const [rlp] = [...chain.exportBlocks({ startBlock: 1 })]
    expect(await (await open({ first: engine })).import(decodeBlock(rlp as Uint8Array))).toMatchObject({
      kind: 'imported',
      block: { hash: chain.head.hash },
    })
  })

  it('determines fields of a new header, using the state of the parent', async () => {
    const watched = hexToBytes(WATCHED)
    const chain = await open({ first: new FakeEngine({ periodSeconds: 30n, watched }) })
    const { header } = await sealed(chain)
    expect(header).toMatchObject({ timestamp: 1_030n, difficulty: 2n, extraData: Uint8Array.of(9) })
    await devWriter(chain).amendHead((state) => state.setBalance(watched, 11n))
    expect((await sealed(chain)).header.extraData).toEqual(Uint8Array.of(11))
  })

  it('gets the fork fields for the timestamp that it chose', async () => {
    const section = { terminalTotalDifficulty: 10 ** 9, shanghaiTime: GENESIS_TIME + 20 }
    const early = await open({ section, first: new FakeEngine() })
    expect((await sealed(early)).header).not.toHaveProperty('withdrawalsRoot')
    const late = await open({ section, first: new FakeEngine({ periodSeconds: 20n }) })
    expect((await sealed(late)).header).toHaveProperty('withdrawalsRoot')
  })

  it('rejects blocks by its own rules, and distinguishes future blocks', async () => {
    const chain = await open({ first: new FakeEngine({ periodSeconds: 5n }) })
    const source = await open({ first: new FakeEngine() })
    const block = await sealed(source)
    expect(await chain.import(block)).toMatchObject({ kind: 'invalid', reason: 'too early' })
    const future = { ...block, header: { ...block.header, timestamp: 10n ** 11n } }
    expect(await chain.import(future)).toMatchObject({ kind: 'future', timestamp: 10n ** 11n })
  })

  it('has access to clock, seal option and headers during verification', async () => {
    const block = await sealed(await open({ first: new FakeEngine() }))
    const engine = new FakeEngine()
    const chain = await open({ first: engine })
    await chain.import(block, { verifySeal: false })
    const [{ context } = { context: undefined }] = engine.verified
    expect(context).toMatchObject({ verifySeal: false, isOmmer: false, nowMs: Date.UTC(2030, 0, 1) })
    expect(context?.headers.headerByHash(chain.genesis.hash)).toEqual(chain.genesis.header)
    expect(context?.rules.name).toBe('london')
  })
})

describe("an engine's own data", () => {
  async function run() {
    const source = await open({ first: new FakeEngine() })
    return [await sealed(source), await sealed(source), await sealed(source)] as const
  }
  const record = (chain: Chain, { header }: Block, name: ConsensusEngine['name'] = 'clique') =>
    chain.engineStore(name).get(new FakeEngine().hash(header))?.[0]

  it('is committed with its block, visible to the next one, and available after a restart', async () => {
    const [first, second, third] = await run()
    const kv = new MemoryStore()
    const chain = await open({ first: new FakeEngine(), kv })
    await chain.import(first)
    await chain.import(second)
    const later = await open({ first: new FakeEngine(), kv })
    await later.import(third)
    expect([first, second, third].map((block) => record(later, block))).toEqual([1, 2, 3])
    const stored = new StoredChain(kv, later.config)
    expect(stored.engineStore('clique').get(later.head.hash)).toEqual(Uint8Array.of(3))
  })

  it('is not kept when the block turns out to be invalid', async () => {
    const [first] = await run()
    const chain = await open({ first: new FakeEngine() })
    const wrong = { ...first, header: { ...first.header, stateRoot: new Uint8Array(32) } }
    expect(await chain.import(wrong)).toMatchObject({ kind: 'invalid' })
    await chain.import(first)
    expect(record(chain, wrong)).toBeUndefined()
    expect(record(chain, first)).toBe(1)
  })

  it('is separate from that of another engine', async () => {
    const [first, second] = await run()
    const later = new FakeEngine({ name: 'qbft' })
    const chain = await open({ first: new FakeEngine(), changes: [{ block: 2n, value: later }] })
    await chain.import(first)
    await chain.import(second)
    expect(record(chain, first)).toBe(1)
    expect(record(chain, second)).toBeUndefined()
    expect(record(chain, second, 'qbft')).toBe(1)
  })
})

describe('immediate finality', () => {
  const sealer = (id: number): PlannedBlock => ({ beneficiary: new Uint8Array(20).fill(id) })
  const final = new FakeEngine({ name: 'qbft', finality: 'immediate' })

  it('makes a competitor of a final block invalid', async () => {
    const [ours, theirs] = [await open({ first: final }), await open({ first: final })]
    await sealed(ours, sealer(1))
    const head = await sealed(ours, sealer(1))
    const rival = await sealed(theirs, sealer(2))
    const outcome = await ours.import(rival)
    expect(outcome).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining('block 1 of this chain is final'),
    })
    expect(ours.badBlocks()).toHaveLength(1)
    expect(ours.head.header).toEqual(head.header)
    checkInvariants(ours)
  })

  it('wins over a branch that is not final', async () => {
    const changes = [{ block: 2n, value: final }]
    const [ours, theirs] = [
      await open({ first: new FakeEngine(), changes }),
      await open({ first: new FakeEngine(), changes }),
    ]
    await sealed(ours, sealer(1))
    const side = await sealed(theirs, sealer(2))
    const finalBlock = await sealed(theirs, sealer(2))
    expect(await ours.import(side)).toMatchObject({ kind: 'imported', isHead: false })
    expect(await ours.import(finalBlock)).toMatchObject({ kind: 'imported', isHead: true })
    checkInvariants(ours)
  })
})

describe('a locally built block', () => {
  it('belongs to the engine of its side of the merge', async () => {
    const section = { ethash: { fixeddifficulty: 60 }, terminalTotalDifficulty: 200 }
    const chain = await open({ section })
    const prevRandao = new Uint8Array(32).fill(7)
    const headers = [await sealed(chain), await sealed(chain), await sealed(chain), await sealed(chain)].map(
      ({ header }) => header,
    )
    expect(headers.map(({ difficulty }) => difficulty)).toEqual([60n, 60n, 0n, 0n])
    expect(headers.map(({ mixHash }) => mixHash)).toEqual([
      new Uint8Array(32),
      new Uint8Array(32),
      prevRandao,
      prevRandao,
    ])
    const other = await open({ section })
    for (const rlp of chain.exportBlocks({ startBlock: 1 })) {
      expect(await other.import(decodeBlock(rlp), { verifySeal: false })).toMatchObject({ kind: 'imported' })
    }
  })

  it('contains the withdrawals and the beacon root of its plan', async () => {
    const section = { terminalTotalDifficulty: 0, shanghaiTime: 0, cancunTime: 0 }
    const chain = await open({ section })
    const address = new Uint8Array(20).fill(5)
    const parentBeaconBlockRoot = new Uint8Array(32).fill(4)
    const withdrawals = [{ index: 1n, validatorIndex: 2n, address, amount: 3n }]
    const { header } = await sealed(chain, { withdrawals, parentBeaconBlockRoot })
    expect(header.parentBeaconBlockRoot).toEqual(parentBeaconBlockRoot)
    expect(chain.body(chain.head.hash)?.withdrawals).toEqual(withdrawals)
    expect(chain.stateAt(chain.head).getAccount(address)?.balance).toBe(3_000_000_000n)
    const [rlp] = [...chain.exportBlocks({ startBlock: 1 })]
    const other = await open({ section })
    expect(await other.import(decodeBlock(rlp as Uint8Array))).toMatchObject({ kind: 'imported' })
    await expect(sealed(await open({}), { withdrawals })).rejects.toMatchObject({
      code: 'BLOCK_NOT_BUILT',
      message: 'london has no withdrawals, the plan has 1',
    })
  })
})

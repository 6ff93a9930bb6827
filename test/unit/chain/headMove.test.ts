// slow: many branches
import { beforeAll, describe, expect, it } from 'vitest'
import type { KeyValueStore, Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainEvents } from '../../../src/chain/contract.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { checkInvariants } from '../../support/chains/chainInvariants.ts'
import { devWriter, openTestChain } from '../../support/chains/testChain.ts'
import { BOB, openDevChain, sealBlocks } from '../../support/nodes/devChain.ts'
import { allocOf, mustFail, networkConfig, readTests } from '../../support/recorded/blockchainTests.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'

const SHORT = 200
const LONG = 2000
const AMENDED = 700
const bob = hexToBytes(BOB.address)
const moveBounds = { atomicBlocks: 100, stepBlocks: 64 }
/**
 * Number of keys that a move writes for a block without transactions: the index, the slots of its system contracts,
 * pointers.
 */
const KEYS_A_BLOCK = 20

/** A store that records the size of its batches; commits after the first `left` ones fail. */
class WatchedStore implements KeyValueStore {
  readonly #store = new MemoryStore()
  largest = 0
  commits = 0
  left = Number.POSITIVE_INFINITY

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#store.get(key)
  }

  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return this.#store.getMany(keys)
  }

  range(options: Parameters<MemoryStore['range']>[0]): ReturnType<MemoryStore['range']> {
    return this.#store.range(options)
  }

  commit(batch: readonly Mutation[]): void {
    if (this.left <= 0) throw new Error('killed')
    this.left--
    this.commits++
    this.largest = Math.max(this.largest, batch.length)
    this.#store.commit(batch)
  }

  close(): void {
    this.#store.close()
  }

  /** Starts counting. @param left number of commits that will succeed */
  watch(left = Number.POSITIVE_INFINITY): void {
    Object.assign(this, { largest: 0, commits: 0, left })
  }
}

interface Branch {
  readonly hash: Uint8Array
  readonly balance: bigint
}

describe('moves of the head over thousands of blocks', () => {
  const kv = new WatchedStore()
  let chain: Chain
  let long: Branch
  let short: Branch

  const balance = (of: Chain) => of.stateAt(of.head).getAccount(bob)?.balance ?? 0n
  const open = () => openDevChain({ kv, moveBounds })
  const expectAt = (of: Chain, branch: Branch) => {
    expect(bytesToHex(of.head.hash)).toBe(bytesToHex(branch.hash))
    expect(balance(of)).toBe(branch.balance)
  }

  async function sealMany(count: number, coinbase: number): Promise<void> {
    const plans = Array.from({ length: count }, () => ({ beneficiary: new Uint8Array(20).fill(coinbase) }))
    await sealBlocks(chain, plans)
  }

  beforeAll(async () => {
    chain = await open()
    await sealMany(SHORT, 1)
    short = { hash: chain.head.hash, balance: balance(chain) }
    await chain.setHead(chain.genesis.hash)
    await sealMany(AMENDED, 2)
    await devWriter(chain).amendHead((state) => state.setBalance(bob, 7n))
    await sealMany(LONG - AMENDED, 2)
    long = { hash: chain.head.hash, balance: 7n }
  }, 120_000)

  it('moves to another branch and back in bounded batches, with events for each step', async () => {
    const heads: ChainEvents['head'][] = []
    const reorgs: ChainEvents['reorg'][] = []
    const stops = [
      chain.events.on('head', (event) => heads.push(event)),
      chain.events.on('reorg', (event) => reorgs.push(event)),
    ]
    for (const [branch, blocks] of [
      [short, LONG + SHORT],
      [long, LONG + SHORT],
    ] as const) {
      kv.watch()
      heads.length = 0
      reorgs.length = 0
      await chain.setHead(branch.hash)
      expectAt(chain, branch)
      expect(kv.commits).toBeGreaterThanOrEqual(Math.floor(blocks / moveBounds.stepBlocks))
      expect(kv.largest).toBeLessThan(moveBounds.stepBlocks * KEYS_A_BLOCK)
      expect(heads.length).toBe(kv.commits)
      expect(reorgs.length).toBeGreaterThan(0)
      for (const { added, removed } of heads) expect(added.length + removed.length).toBeLessThanOrEqual(64)
      const told = heads.reduce((sum, { added, removed }) => sum + added.length + removed.length, 0)
      expect(told).toBe(blocks)
      expect(bytesToHex(heads.at(-1)?.head.hash ?? bob)).toBe(bytesToHex(branch.hash))
    }
    for (const stop of stops) stop()
    checkInvariants(chain)
  }, 60_000)

  it('stays one batch within the bound', async () => {
    const target = chain.headerByNumber(LONG - moveBounds.atomicBlocks)
    kv.watch()
    await chain.setHead(target?.hash ?? bob)
    await chain.setHead(long.hash)
    expect(kv.commits).toBe(2)
    expectAt(chain, long)
  })

  it('leaves a valid head after a crash at any point', async () => {
    for (const branch of [short, long]) {
      for (let lives = 0; ; lives++) {
        expect(lives).toBeLessThan(200)
        chain = await open()
        const head = Number(chain.head.header.number)
        expect(chain.canonicalHash(head + 1)).toBeUndefined()
        expect(bytesToHex(chain.canonicalHash(head) ?? bob)).toBe(bytesToHex(chain.head.hash))
        const state = chain.stateAt(chain.head)
        expect(state.getAccount(bob)).toEqual(state.prove(bob, []).account)
        kv.watch(1)
        const killed = await chain.setHead(branch.hash).then(
          () => false,
          (error: Error) => error.message === 'killed',
        )
        if (!killed) break
      }
      kv.watch()
      expectAt(chain, branch)
    }
    checkInvariants(chain)
  }, 60_000)

  it('replays a block far below the head and sets safe and finalized after a far fork choice', async () => {
    const [low, target] = [chain.headerByNumber(20), chain.headerByNumber(LONG - 1600)]
    if (low === undefined || target === undefined) throw new Error('blocks are missing')
    expect(await chain.replayBlock(LONG - 1500)).toBeDefined()
    expect(chain.head.header.number).toBe(BigInt(LONG - 1500))
    const choice = { head: long.hash, safe: target.hash, finalized: low.hash }
    expect(await chain.setForkChoice(choice)).toMatchObject({ kind: 'updated' })
    expectAt(chain, long)
    expect([chain.safe?.header.number, chain.finalized?.header.number]).toEqual([BigInt(LONG - 1600), 20n])
    await chain.setHead(short.hash)
    expect([chain.safe, chain.finalized]).toEqual([undefined, undefined])
  }, 60_000)
})

const MULTI_CHAIN = recordedPath('ethereum-tests', 'BlockchainTests', 'v6', 'bcMultiChainTest')

describe('far reorganisations by imported blocks', () => {
  for (const [name, test] of readTests(MULTI_CHAIN)) {
    it(`end at the same head as those in one batch: ${name}`, async () => {
      const genesisBlock = decodeBlock(hexToBytes(test.genesisRLP))
      const options = {
        config: networkConfig(test.network),
        genesis: { alloc: allocOf(test.pre), text: '{}', block: () => genesisBlock },
      }
      const whole = await openTestChain(options)
      const stepped = await openTestChain({ ...options, moveBounds: { atomicBlocks: 1, stepBlocks: 1 } })
      for (const block of test.blocks.filter((block) => !mustFail(block, test.network))) {
        const decoded = decodeBlock(hexToBytes(block.rlp))
        const outcomes = [
          await whole.import(decoded, { verifySeal: false }),
          await stepped.import(decoded, { verifySeal: false }),
        ]
        expect(outcomes[1]).toMatchObject({ kind: outcomes[0]?.kind })
        expect(bytesToHex(stepped.head.hash)).toBe(bytesToHex(whole.head.hash))
        checkInvariants(stepped)
      }
    })
  }
})

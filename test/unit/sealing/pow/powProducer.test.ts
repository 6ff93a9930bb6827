import { describe, expect, it } from 'vitest'
import { MAX_POW_JOBS, WORK_REFRESH_MS } from '../../../../src/base/limits/limits.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import type { SealSearch, SealTask } from '../../../../src/base/ports/sealSearch.ts'
import { bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../../src/chain/contract.ts'
import { parseGenesis } from '../../../../src/config/genesisFile.ts'
import { createSchedule } from '../../../../src/consensus/createSchedule.ts'
import { EpochCaches } from '../../../../src/consensus/pow/epochCaches.ts'
import { PowEngine } from '../../../../src/consensus/pow/pow.ts'
import { BlockTemplate } from '../../../../src/sealing/blockTemplate.ts'
import type { SealingWork } from '../../../../src/sealing/contract.ts'
import { PowProducer } from '../../../../src/sealing/pow/powProducer.ts'
import { WorkBuilder } from '../../../../src/sealing/pow/workBuilder.ts'
import { genesisBlock } from '../../../../src/types/genesisHeader.ts'
import { hashHeader } from '../../../../src/types/headerCodec.ts'
import { SeededRandom } from '../../../simulation/seededRandom.ts'
import { openTestChain } from '../../../support/chains/testChain.ts'
import { FakeTime } from '../../../support/host/fakeTime.ts'
import { testYield } from '../../../support/host/testYield.ts'
import { ALICE, BOB, signed } from '../../../support/nodes/devChain.ts'
import { openRpcParts } from '../../../support/rpc/rpcParts.ts'

const GENESIS = {
  config: { chainId: 31337, londonBlock: 0, ethash: { fixeddifficulty: 3 } },
  difficulty: '0x3',
  gasLimit: '0x1c9c380',
  timestamp: '0x65000000',
  alloc: { [ALICE.address]: { balance: '0xffffffffffffffffff' } },
}
const START = 0x65000000 * 1000 + 60_000
const COINBASE = hexToBytes(BOB.address)
const caches = new EpochCaches({ isTest: true })

/** Remembers the task instead of searching. */
class HeldSearch implements SealSearch {
  task: SealTask | undefined
  hashrate = 0
  closed = 0
  #onFound: ((nonce: Uint8Array) => void) | undefined

  start(task: SealTask, _first: bigint, onFound: (nonce: Uint8Array) => void): void {
    this.task = task
    this.#onFound = onFound
  }

  stop(): void {
    this.task = undefined
    this.#onFound = undefined
  }

  pause(): void {
    this.stop()
  }

  close(): void {
    this.closed++
  }

  find(nonce: Uint8Array): void {
    this.#onFound?.(nonce)
  }
}

interface Options {
  readonly coinbase?: Uint8Array | undefined
  readonly difficulty?: number
  readonly ttlMs?: number
  readonly genesis?: object
}

async function open({ difficulty = 3, ttlMs = 300_000, genesis: given, ...rest }: Options = {}) {
  const coinbase = 'coinbase' in rest ? rest.coinbase : COINBASE
  const json = given ?? { ...GENESIS, config: { ...GENESIS.config, ethash: { fixeddifficulty: difficulty } } }
  const genesis = parseGenesis(json as Record<string, unknown>, { networkId: 1n })
  const { config } = genesis
  const time = new FakeTime(START)
  const consensus = createSchedule(config, caches)
  const chain = await openTestChain({
    config,
    genesis: { alloc: genesis.alloc, text: '{}', block: (stateRoot) => genesisBlock(genesis, stateRoot) },
    consensus,
    clock: time,
  })
  const { pool, submission } = openRpcParts(chain, { pool: { minGasPrice: 0n } })
  const template = new BlockTemplate({ coinbase, extraData: Uint8Array.of(7), targetGasLimit: undefined }, time)
  const search = new HeldSearch()
  const engine = new PowEngine({ caches })
  const states = { at: (header: ChainHeader) => chain.stateAt(header), mutable: () => undefined }
  const producer = new PowProducer({
    chain,
    pool,
    engine,
    builder: new WorkBuilder({
      logger: silentLogger,
      chain,
      pool,
      states: states as never,
      engine,
      clock: time,
      yieldToHost: testYield,
      minOccupancyRatio: 0.8,
      minGasPrice: 0n,
    }),
    template,
    clock: time,
    timers: time,
    random: new SeededRandom(1),
    logger: silentLogger,
    search,
    limits: { job: { ttlMs, maxDepth: 8 }, hashrates: { maxMiners: 3, ttlMs: 600_000 } },
  })
  return { chain, pool, submission, producer, search, time, template }
}

/** Lets building and committing proceed. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await testYield()
}

function solve({ number, powHash, target }: SealingWork, isLong = false): Uint8Array {
  const task = { blockNumber: Number(number), isLong, powHash, target }
  const found = caches.search(task, 0n, 40_000)
  if (found === undefined) throw new Error('no nonce found')
  return found.nonce
}

async function mine(opened: Awaited<ReturnType<typeof open>>, count = 1): Promise<void> {
  for (let i = 0; i < count; i++) {
    const work = opened.producer.work()
    expect(opened.producer.submit(work.powHash, solve(work))).toBe('accepted')
    await settle()
  }
}

/** Imports another chain's block with its seal verified. */
async function adopt(chain: Chain, from: Chain, number: number): Promise<string> {
  const header = from.headerByNumber(number)
  const body = header && from.body(header.hash)
  if (header === undefined || body === undefined) throw new Error('no such block')
  return (await chain.import({ header: header.header, ...body })).kind
}

describe('the producer of proof of work', () => {
  it('offers work for the next block and commits solved blocks, which other nodes accept', async () => {
    const opened = await open()
    const { chain, producer, search } = opened
    expect(() => producer.work()).toThrow(expect.objectContaining({ code: 'NO_MINING_WORK_FOUND' }))
    expect(() => producer.submit(COINBASE, COINBASE)).toThrow(expect.objectContaining({ code: 'NO_MINING_WORK_FOUND' }))
    const offered: bigint[] = []
    producer.onWork(({ number }) => offered.push(number))
    producer.start()
    await settle()
    expect(search.task?.powHash).toEqual(producer.work().powHash)
    await mine(opened, 2)
    search.find(solve(producer.work()))
    await settle()
    expect(offered).toEqual([1n, 2n, 3n, 4n])
    expect(chain.head.header).toMatchObject({ number: 3n, beneficiary: COINBASE, extraData: Uint8Array.of(7) })
    expect(chain.stateAt(chain.head).getAccount(COINBASE)?.balance).toBe(6n * 10n ** 18n)
    const other = (await open()).chain
    for (let number = 1; number <= 3; number++) expect(await adopt(other, chain, number)).toBe('imported')
    expect(other.head.hash).toEqual(chain.head.hash)
    producer.close()
    expect([producer.status, search.task, search.closed]).toEqual(['stopped', undefined, 1])
  })

  it('refuses wrong, foreign and duplicate shares', async () => {
    const opened = await open({ difficulty: 1000 })
    const { producer } = opened
    producer.start()
    await settle()
    const work = producer.work()
    expect(producer.submit(work.powHash, new Uint8Array(8).fill(9))).toBe('invalid')
    expect(producer.submit(work.powHash.subarray(1), new Uint8Array(8))).toBe('stale')
    expect(producer.submit(new Uint8Array(32).fill(7), new Uint8Array(8))).toBe('stale')
    const nonce = solve(work)
    expect([producer.submit(work.powHash, nonce), producer.submit(work.powHash, nonce)]).toEqual(['accepted', 'stale'])
    await settle()
    expect(producer.submit(work.powHash, nonce)).toBe('stale')
    expect(opened.chain.head.header.number).toBe(1n)
    producer.close()
  })

  it('renews the work when transactions arrive, and keeps the old work valid', async () => {
    const opened = await open()
    const { producer, submission, time, chain, pool } = opened
    producer.start()
    await settle()
    const empty = producer.work()
    await submission.submitRaw(await signed(ALICE, { nonce: 0, value: 1n }))
    await settle()
    expect(producer.work()).toBe(empty)
    time.advance(WORK_REFRESH_MS)
    await settle()
    const filled = producer.work()
    expect(filled.powHash).not.toEqual(empty.powHash)
    expect(filled.parentHash).toEqual(empty.parentHash)
    expect(producer.submit(empty.powHash, solve(empty))).toBe('accepted')
    await settle()
    expect([chain.head.header.number, pool.size]).toEqual([1n, 1])
    // A late solution becomes an ommer of a later block.
    expect(producer.submit(filled.powHash, solve(filled))).toBe('accepted')
    await settle()
    expect(chain.head.header.number).toBe(1n)
    await mine(opened, 2)
    expect(pool.size).toBe(0)
    const bodies = [2, 3].map((number) => chain.body(chain.headerByNumber(number)?.hash as Uint8Array))
    expect(bodies.map((body) => body?.transactions.length)).toEqual([1, 0])
    expect(bodies.flatMap((body) => body?.ommers.map(hashHeader) ?? [])).toHaveLength(1)
    const other = (await open()).chain
    for (let number = 1; number <= 3; number++) expect(await adopt(other, chain, number)).toBe('imported')
    expect(other.head.stateRoot.hash).toEqual(chain.head.stateRoot.hash)
    producer.close()
  })

  it('does not change the work without reason', async () => {
    const { producer, time, submission } = await open()
    producer.start()
    await settle()
    const work = producer.work()
    // Its nonce is ahead: no block can include it.
    await submission.submitRaw(await signed(ALICE, { nonce: 2, value: 1n }))
    time.advance(WORK_REFRESH_MS)
    await settle()
    expect(producer.work()).toBe(work)
    producer.setCoinbase(hexToBytes(ALICE.address))
    producer.setTargetGasLimit(40_000_000n)
    await settle()
    expect(producer.work()).toBe(work)
    producer.close()
  })

  it('works on the head that another node has mined', async () => {
    const first = await open()
    const second = await open({ coinbase: hexToBytes(ALICE.address) })
    for (const { producer } of [first, second]) producer.start()
    await settle()
    await mine(second, 2)
    const before = first.producer.work()
    for (const number of [1, 2]) expect(await adopt(first.chain, second.chain, number)).toBe('imported')
    await settle()
    expect(first.producer.work().parentHash).toEqual(second.chain.head.hash)
    // The late block is stored beside the chain, and the next block lists it.
    expect(first.producer.submit(before.powHash, solve(before))).toBe('accepted')
    await settle()
    await mine(first)
    const { ommersHash } = first.chain.head.header
    await mine(first)
    const found = [3, 4].map((number) => first.chain.body(first.chain.headerByNumber(number)?.hash as Uint8Array))
    expect(found.flatMap((body) => body?.ommers ?? []).map(({ number }) => number)).toEqual([1n])
    expect(bytesToHex(ommersHash)).toBeDefined()
    for (const number of [3, 4]) expect(await adopt(second.chain, first.chain, number)).toBe('imported')
    for (const { producer } of [first, second]) producer.close()
  })

  it('forgets old work', async () => {
    const opened = await open({ ttlMs: 60_000 })
    const { producer, time } = opened
    producer.start()
    await settle()
    const works: SealingWork[] = []
    for (let i = 0; i < 10; i++) {
      works.push(producer.work())
      opened.template.coinbase = new Uint8Array(20).fill(i + 1)
      await mine(opened)
    }
    // Solved work is stale, whatever its age.
    for (const work of works) expect(producer.submit(work.powHash, solve(work))).toBe('stale')
    const current = producer.work()
    time.advance(120_000)
    expect(producer.submit(current.powHash, solve(current))).toBe('accepted')
    producer.close()
  })

  it('bounds the number of jobs and candidates under a flood of transactions', async () => {
    const opened = await open()
    const { producer, submission, time } = opened
    producer.start()
    await settle()
    const first = producer.work()
    const works = new Set<SealingWork>([first])
    let price = 10_000_000_000n
    for (let i = 0; i < MAX_POW_JOBS + 4; i++) {
      price = (price * 6n) / 5n
      const fees = { maxFeePerGas: price, maxPriorityFeePerGas: price }
      await submission.submitRaw(await signed(ALICE, { nonce: 0, value: 1n, ...fees }))
      time.advance(WORK_REFRESH_MS)
      await settle()
      works.add(producer.work())
    }
    expect(works.size).toBe(MAX_POW_JOBS + 5)
    expect(producer.submit(first.powHash, solve(first))).toBe('stale')
    await mine(opened)
    producer.close()
  })

  it('mines on a Classic network with its epochs and rewards', async () => {
    const forks = { atlantisBlock: 0, aghartaBlock: 0, phoenixBlock: 0, thanosBlock: 0, ecip1017EraRounds: 2 }
    const genesis = { ...GENESIS, config: { chainId: 63, ...forks, ethash: { fixeddifficulty: 3 } } }
    const opened = await open({ genesis })
    const { chain, producer, search } = opened
    producer.start()
    await settle()
    expect(search.task?.isLong).toBe(true)
    for (let i = 0; i < 4; i++) {
      search.find(solve(producer.work(), true))
      await settle()
    }
    // Two blocks of the first era, two of the second, which pays four fifths.
    expect(chain.stateAt(chain.head).getAccount(COINBASE)?.balance).toBe(18n * 10n ** 18n)
    const other = (await open({ genesis })).chain
    for (let number = 1; number <= 4; number++) expect(await adopt(other, chain, number)).toBe('imported')
    producer.close()
  })

  it('starts and stops like Besu', async () => {
    const { producer } = await open({ coinbase: undefined })
    expect(() => producer.start()).toThrow(expect.objectContaining({ code: 'COINBASE_NOT_SET' }))
    expect(() => producer.start()).not.toThrow()
    expect(producer.status).toBe('stopped')
    producer.setCoinbase(COINBASE)
    expect(producer.status).toBe('stopped')
    producer.start()
    await settle()
    expect([producer.status, producer.work().number]).toEqual(['producing', 1n])
    producer.stop()
    expect(() => producer.work()).toThrow(expect.objectContaining({ code: 'NO_MINING_WORK_FOUND' }))
    producer.stop()
    producer.start()
    producer.start()
    await settle()
    expect(producer.work().number).toBe(1n)
    producer.close()
  })

  it('pauses during a synchronisation', async () => {
    const { producer, search } = await open()
    producer.setSynchronising(true)
    producer.start()
    await settle()
    expect([producer.status, search.task]).toEqual(['stopped', undefined])
    producer.setSynchronising(false)
    await settle()
    expect([producer.status, search.task === undefined]).toEqual(['producing', false])
    producer.setSynchronising(true)
    expect(() => producer.work()).toThrow(expect.objectContaining({ code: 'NO_MINING_WORK_FOUND' }))
    producer.stop()
    producer.setSynchronising(false)
    await settle()
    expect(producer.status).toBe('stopped')
  })

  it('does not run ahead of the clock', async () => {
    const opened = await open()
    const { producer, time, chain } = opened
    producer.start()
    await settle()
    let mined = 0
    while (chain.head.header.timestamp * 1000n < BigInt(time.now() + 10_000) && mined < 100) {
      await mine(opened)
      mined++
    }
    expect(mined).toBeLessThan(15)
    expect(() => producer.work()).not.toThrow()
    const waiting = producer.work()
    expect(producer.submit(waiting.powHash, solve(waiting))).toBe('stale')
    time.advance(1_000)
    await settle()
    await mine(opened)
    producer.close()
  })

  it('adds the hash rates of remote miners', async () => {
    const { producer, search, time } = await open()
    const id = (n: number): Uint8Array => Uint8Array.of(n)
    search.hashrate = 12.4
    expect(producer.hashrate).toBe(12n)
    expect(producer.reportHashrate(id(1), 0n)).toBe(false)
    for (const n of [1, 2, 3, 4]) expect(producer.reportHashrate(id(n), BigInt(n))).toBe(true)
    expect(producer.hashrate).toBe(9n)
    producer.reportHashrate(id(4), 2n ** 64n - 1n)
    expect(producer.hashrate).toBe(4n)
    time.advance(600_001)
    expect(producer.hashrate).toBe(12n)
  })
})

// slow: whole recorded chains
import { describe, expect, it } from 'vitest'
import { MAX_CANDIDATES } from '../../../src/base/limits/limits.ts'
import type { Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { Candidate } from '../../../src/chain/candidates.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { encodedBlock, type PreparedBlock, prepareBlocks } from '../../../src/chain/preparedBlock.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { decodeBlock, encodeBlock } from '../../../src/types/blockCodec.ts'
import { checkInvariants } from '../../support/chains/chainInvariants.ts'
import { devWriter, TEST_SENDERS } from '../../support/chains/testChain.ts'
import { verifyRecorded } from '../../support/chains/verifyCommit.ts'
import {
  ALICE,
  BOB,
  openDevChain,
  type PlannedBlock,
  planBlock,
  plannedOf,
  sealBlocks,
  signed,
} from '../../support/nodes/devChain.ts'
import { RECORDED_CHAINS } from '../../support/recorded/recordedChains.ts'

const bob = hexToBytes(BOB.address)
const RICH = 10_000n * 10n ** 18n

/** A store that counts its commits and fails on demand. */
class WatchedStore extends MemoryStore {
  commits = 0
  failing = false

  override commit(batch: readonly Mutation[]): void {
    if (this.failing) throw new Error('the disk is full')
    this.commits++
    super.commit(batch)
  }
}

function balance(chain: Chain, header: ChainHeader = chain.head, address: Uint8Array = bob): bigint {
  return chain.stateAt(header).getAccount(address)?.balance ?? 0n
}

async function transfer(nonce: number, value = 1n) {
  return plannedOf(await signed(ALICE, { nonce, value }))
}

async function build(chain: Chain, plan: PlannedBlock = {}, parent: ChainHeader = chain.head, isPinned = false) {
  const candidate = await chain.build(planBlock(parent, plan), parent, { isPinned })
  if (candidate === undefined) throw new Error('nothing was built')
  return candidate
}

async function blocksOf(chain: Chain): Promise<readonly PreparedBlock[]> {
  const blocks = [...chain.exportBlocks({ startBlock: 1 })].map((rlp) =>
    encodedBlock(decodeBlock(rlp), chain.consensus, rlp),
  )
  return prepareBlocks(blocks, TEST_SENDERS)
}

describe('a candidate', () => {
  it('is executed and not stored, until it is committed', async () => {
    const kv = new WatchedStore()
    const chain = await openDevChain({ kv })
    const before = kv.commits
    const candidate = await build(chain, { transactions: [await transfer(0, 5n)] })
    expect(kv.commits).toBe(before)
    expect(candidate.block.header).toMatchObject({ number: 1n, gasUsed: 21_000n })
    expect(candidate.rlp).toEqual(encodeBlock(candidate.block))
    expect(candidate.receipts).toHaveLength(1)
    expect(candidate.senders.map(bytesToHex)).toEqual([ALICE.address.toLowerCase()])
    expect(chain.headerByHash(candidate.hash)).toBeUndefined()
    const outcome = await chain.commit(candidate)
    expect(outcome).toMatchObject({ kind: 'imported', isHead: true })
    expect(kv.commits).toBe(before + 1)
    expect(chain.head.hash).toEqual(candidate.hash)
    expect(balance(chain)).toBe(RICH + 5n)
    checkInvariants(chain)
  })

  it('is undefined without transactions', async () => {
    const chain = await openDevChain()
    expect(await chain.build(planBlock(chain.head, { isEmptyAllowed: false }), chain.head)).toBeUndefined()
  })

  it('gets its seal and thus another hash', async () => {
    const chain = await openDevChain()
    const candidate = await build(chain, { transactions: [await transfer(0)] })
    const extraData = hexToBytes('0x5ea1')
    const outcome = await chain.commit(candidate, { extraData })
    if (outcome.kind !== 'imported') throw new Error(outcome.kind)
    expect(outcome.block.hash).not.toEqual(candidate.hash)
    expect(chain.head.hash).toEqual(outcome.block.hash)
    expect(chain.head.header).toMatchObject({ extraData, stateRoot: candidate.block.header.stateRoot })
    expect(chain.receipts(chain.head.hash)).toHaveLength(1)
    checkInvariants(chain)
    const other = await openDevChain()
    await other.importRun(await blocksOf(chain))
    expect(other.head.hash).toEqual(chain.head.hash)
  })

  it('keeps the prevRandao of its execution', async () => {
    const chain = await openDevChain()
    const candidate = await build(chain)
    await expect(chain.commit(candidate, { mixHash: new Uint8Array(32) })).rejects.toMatchObject({
      code: 'CANDIDATE_SEAL_REFUSED',
    })
    expect(chain.head.hash).toEqual(chain.genesis.hash)
  })

  it('can be committed after the head has moved, as a block of a side branch', async () => {
    const chain = await openDevChain()
    const early = await build(chain, { transactions: [await transfer(0, 5n)] })
    const clear = await build(chain, { transactions: [await transfer(0, 6n)] }, chain.genesis)
    await sealBlocks(chain, [{ transactions: [await transfer(0, 100n)] }, { transactions: [await transfer(1, 100n)] }])
    const { head } = chain
    for (const [candidate, value] of [
      [early, 5n],
      [clear, 6n],
    ] as const) {
      const outcome = await chain.commit(candidate)
      if (outcome.kind !== 'imported') throw new Error(outcome.kind)
      expect(outcome.isHead).toBe(false)
      expect(chain.head).toBe(head)
      expect(balance(chain, outcome.block)).toBe(RICH + value)
      expect(balance(chain)).toBe(RICH + 200n)
      checkInvariants(chain)
      await chain.setForkChoice({ head: outcome.block.hash })
      expect(balance(chain)).toBe(RICH + value)
      checkInvariants(chain)
      await chain.setForkChoice({ head: head.hash })
      expect(balance(chain)).toBe(RICH + 200n)
    }
    checkInvariants(chain)
  })

  it('is built and read correctly while other blocks are committed', async () => {
    const chain = await openDevChain()
    const parent = chain.head
    const building = Promise.all(
      [1n, 2n, 3n].map(async (value) => build(chain, { transactions: [await transfer(0, value)] }, parent)),
    )
    await sealBlocks(chain, [{ transactions: [await transfer(0, 50n)] }, { transactions: [await transfer(1, 50n)] }])
    const candidates = await building
    await sealBlocks(chain, [{ transactions: [await transfer(2, 50n)] }])
    for (const [i, candidate] of candidates.entries()) {
      const outcome = await chain.commit(candidate, {}, { mayBecomeHead: false })
      if (outcome.kind !== 'imported') throw new Error(outcome.kind)
      expect(balance(chain, outcome.block)).toBe(RICH + BigInt(i) + 1n)
    }
    expect(balance(chain)).toBe(RICH + 150n)
    checkInvariants(chain)
  })

  it('can share its parent: one candidate becomes the head, the other a side block', async () => {
    const chain = await openDevChain()
    const first = await build(chain, { transactions: [await transfer(0, 1n)] })
    const second = await build(chain, { transactions: [await transfer(0, 2n)] })
    expect(await chain.commit(second)).toMatchObject({ kind: 'imported', isHead: true })
    expect(await chain.commit(first)).toMatchObject({ kind: 'imported', isHead: false })
    expect(balance(chain)).toBe(RICH + 2n)
    const again = await build(chain, { transactions: [await transfer(0, 2n)] }, chain.genesis)
    expect(await chain.commit(again)).toMatchObject({ kind: 'known', isHead: true })
    checkInvariants(chain)
  })

  it('is not committed when its parent was removed or changed', async () => {
    const kv = new WatchedStore()
    const chain = await openDevChain({ kv })
    const candidate = await build(chain, { transactions: [await transfer(0)] })
    await devWriter(chain).amendHead((state) => state.setBalance(bob, 1n))
    const { commits } = kv
    await expect(chain.commit(candidate)).rejects.toMatchObject({ code: 'CANDIDATE_PARENT_GONE' })
    await expect(chain.commit(candidate)).rejects.toMatchObject({ code: 'CANDIDATE_DISCARDED' })
    const nowhere = { ...chain.head, hash: new Uint8Array(32) }
    await expect(chain.build(planBlock(nowhere, {}), nowhere)).rejects.toMatchObject({ code: 'CANDIDATE_PARENT_GONE' })
    expect(kv.commits).toBe(commits)
    expect(chain.head.hash).toEqual(chain.genesis.hash)
  })

  it('is committed only once', async () => {
    const chain = await openDevChain()
    const candidate = await build(chain)
    const both = await Promise.allSettled([chain.commit(candidate), chain.commit(candidate)])
    expect(both[0]).toMatchObject({ status: 'fulfilled', value: { kind: 'imported' } })
    expect(both[1]).toMatchObject({ status: 'rejected', reason: { code: 'CANDIDATE_COMMITTED' } })
    await expect(chain.commit(candidate)).rejects.toMatchObject({ code: 'CANDIDATE_COMMITTED' })
    chain.discard(candidate)
    await expect(chain.commit(candidate)).rejects.toMatchObject({ code: 'CANDIDATE_COMMITTED' })
  })

  it('is not committed after being discarded', async () => {
    const chain = await openDevChain()
    const candidate = await build(chain)
    chain.discard(candidate)
    chain.discard(candidate)
    await expect(chain.commit(candidate)).rejects.toMatchObject({ code: 'CANDIDATE_DISCARDED' })
    expect(chain.head.hash).toEqual(chain.genesis.hash)
  })

  it('belongs to the chain that created it', async () => {
    const [chain, other] = [await openDevChain(), await openDevChain()]
    const candidate = await build(chain)
    await expect(other.commit(candidate)).rejects.toMatchObject({ code: 'CANDIDATE_UNKNOWN' })
    await expect(chain.commit({ ...candidate })).rejects.toMatchObject({ code: 'CANDIDATE_UNKNOWN' })
    other.discard(candidate)
    expect(await chain.commit(candidate)).toMatchObject({ kind: 'imported' })
  })

  it('leaves nothing behind when its commit fails, and the chain continues', async () => {
    const kv = new WatchedStore()
    const chain = await openDevChain({ kv })
    const plan = { transactions: [await transfer(0, 5n)] }
    const [candidate, other] = [await build(chain, plan), await build(chain, plan)]
    kv.failing = true
    await expect(chain.commit(candidate)).rejects.toThrow('the disk is full')
    kv.failing = false
    expect(chain.headerByHash(candidate.hash)).toBeUndefined()
    checkInvariants(chain)
    // A process started after a crash at this point finds the committed data and builds the same block.
    const reopened = await openDevChain({ kv })
    expect(reopened.head.hash).toEqual(chain.genesis.hash)
    checkInvariants(reopened)
    await expect(chain.commit(candidate)).rejects.toMatchObject({ code: 'CANDIDATE_DISCARDED' })
    expect(await chain.commit(other)).toMatchObject({ kind: 'imported', isHead: true })
    await sealBlocks(chain, [{ transactions: [await transfer(1)] }])
    expect(balance(chain)).toBe(RICH + 6n)
    checkInvariants(chain)
  })
})

describe('live candidates', () => {
  it('are bounded: the oldest one that is not pinned is evicted', async () => {
    const chain = await openDevChain()
    const pinned = await build(chain, {}, chain.head, true)
    const oldest = await build(chain)
    const asked = await build(chain)
    const committing = chain.commit(asked, {}, { mayBecomeHead: false })
    const rest: Candidate[] = []
    for (let i = 0; i < MAX_CANDIDATES; i++) rest.push(await build(chain, { timestamp: BigInt(i + 10) }, chain.genesis))
    await committing
    await expect(chain.commit(oldest)).rejects.toMatchObject({ code: 'CANDIDATE_DISCARDED' })
    expect(await chain.commit(pinned)).toMatchObject({ kind: 'known' })
    expect(await chain.commit(rest.at(-1) as Candidate)).toMatchObject({ kind: 'imported' })
  })

  it('are refused when all existing ones are pinned', async () => {
    const chain = await openDevChain()
    const kept: Candidate[] = []
    for (let i = 0; i < MAX_CANDIDATES; i++) kept.push(await build(chain, {}, chain.head, true))
    await expect(build(chain)).rejects.toMatchObject({ code: 'CANDIDATES_FULL', details: { count: MAX_CANDIDATES } })
    chain.discard(kept[3] as Candidate)
    expect(await chain.commit(await build(chain))).toMatchObject({ kind: 'imported' })
  })
})

describe('verify', () => {
  it('has the outcome of an import, and stores nothing', async () => {
    const source = await openDevChain()
    await sealBlocks(source, [{ transactions: [await transfer(0, 5n)] }, { transactions: [await transfer(1, 5n)] }])
    const [first, second] = (await blocksOf(source)) as [PreparedBlock, PreparedBlock]
    const kv = new WatchedStore()
    const chain = await openDevChain({ kv })
    const { commits } = kv
    expect((await chain.verify(second)).kind).toBe('unknownParent')
    const { header } = first.block
    const spoiled = encodedBlock({ ...first.block, header: { ...header, gasUsed: 20_999n } }, chain.consensus)
    expect(await chain.verify({ ...first, ...spoiled })).toMatchObject({
      kind: 'invalid',
      number: 1n,
      reason: expect.stringContaining('gas used'),
    })
    const verified = await chain.verify(first)
    if (verified.kind !== 'verified') throw new Error(verified.kind)
    expect(kv.commits).toBe(commits)
    expect(verified.candidate.included).toEqual([])
    await chain.commit(verified.candidate)
    expect(await chain.verify(first)).toMatchObject({ kind: 'known', isHead: true })
    expect(chain.badBlocks()).toEqual([])
  })

  for (const recorded of RECORDED_CHAINS.filter(({ folder }) =>
    /london|shanghai|simulate|fork-upgraded/.test(folder),
  )) {
    it(`then commit executes each block of ${recorded.folder} once`, async () => {
      const { head, blocks, whileVerified, whileCommitted } = await verifyRecorded(recorded)
      expect([blocks, bytesToHex(head.hash)]).toEqual([recorded.blocks, recorded.head])
      expect(whileVerified).toEqual(Array(blocks).fill(1))
      expect(whileCommitted).toEqual(Array(blocks).fill(0))
    })
  }
})

describe('urgent work', () => {
  const LENGTH = 1050
  const longRun = async (): Promise<readonly PreparedBlock[]> => {
    const source = await openDevChain()
    await sealBlocks(source, Array(LENGTH).fill({}))
    return blocksOf(source)
  }
  let made: Promise<readonly PreparedBlock[]> | undefined
  const run = (): Promise<readonly PreparedBlock[]> => {
    made ??= longRun()
    return made
  }
  const TIMEOUT_MS = 60_000

  it(
    'waits for one commit of an import run at most, and the run goes on to its end',
    async () => {
      const blocks = await run()
      const kv = new WatchedStore()
      const chain = await openDevChain({ kv })
      const waits: number[] = []
      const heads = new Set<bigint>()
      const ask = (): void => {
        const { commits } = kv
        void devWriter(chain)
          .checkpoint()
          .then(() => {
            waits.push(kv.commits - commits)
            heads.add(chain.head.header.number)
            if (chain.head.header.number < LENGTH) ask()
          })
      }
      const importing = chain.importRun(blocks)
      ask()
      const outcomes = await importing
      expect(outcomes.map(({ kind }) => kind)).toEqual(blocks.map(() => 'imported'))
      expect(chain.head.hash).toEqual(blocks.at(-1)?.hash)
      expect(waits.length).toBeGreaterThan(100)
      expect(Math.max(...waits)).toBeLessThanOrEqual(1)
      expect(heads.size).toBeGreaterThan(100)
      checkInvariants(chain)
    },
    TIMEOUT_MS,
  )

  it(
    'commits a candidate in the middle of an import run',
    async () => {
      const blocks = await run()
      const kv = new WatchedStore()
      const chain = await openDevChain({ kv })
      const candidate = await build(chain, { transactions: [await transfer(0, 5n)], timestamp: 77n })
      const importing = chain.importRun(blocks)
      for (let i = 0; i < 20; i++) await undefined
      const outcome = await chain.commit(candidate)
      const importedBefore = Number(chain.head.header.number)
      expect(outcome).toMatchObject({ kind: 'imported', isHead: false })
      expect(importedBefore).toBeGreaterThan(0)
      expect(importedBefore).toBeLessThan(LENGTH)
      const outcomes = await importing
      expect(outcomes).toHaveLength(LENGTH)
      expect(chain.head.hash).toEqual(blocks.at(-1)?.hash)
      checkInvariants(chain)
    },
    TIMEOUT_MS,
  )
})

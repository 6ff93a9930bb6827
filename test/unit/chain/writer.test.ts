import { describe, expect, it } from 'vitest'
import { BAD_BLOCK_BYTES, MAX_BAD_BLOCKS, MAX_WRITER_QUEUE } from '../../../src/base/limits/limits.ts'
import type { KeyValueStore, Mutation, RangeOptions } from '../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { encodedBlock, type PreparedBlock, prepareBlocks } from '../../../src/chain/preparedBlock.ts'
import { PosEngine } from '../../../src/consensus/pos.ts'
import { keyToText } from '../../../src/storage/keyText.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { keys } from '../../../src/storage/schema.ts'
import { decodeBlock, encodeBlock } from '../../../src/types/blockCodec.ts'
import { readBlocks } from '../../../src/types/blockSplitter.ts'
import { checkInvariants } from '../../support/chains/chainInvariants.ts'
import { TEST_SENDERS } from '../../support/chains/testChain.ts'
import { blockFile, importFile, openRecorded, recordedChainNamed } from '../../support/recorded/recordedChains.ts'

const FLAT_POSITION = keyToText(keys.meta('flatRoot'))
const LONDON = recordedChainNamed('besu/london')

/** A store that records every batch and fails on demand. */
class WatchedStore implements KeyValueStore {
  readonly batches: (readonly Mutation[])[] = []
  /** Number of reads by key as text. */
  readonly reads = new Map<string, number>()
  failing = false
  readonly #inner = new MemoryStore()

  get(key: Uint8Array) {
    const name = keyToText(key)
    this.reads.set(name, (this.reads.get(name) ?? 0) + 1)
    return this.#inner.get(key)
  }
  getMany(keys: readonly Uint8Array[]) {
    return this.#inner.getMany(keys)
  }
  range(options: RangeOptions) {
    return this.#inner.range(options)
  }
  async commit(batch: readonly Mutation[]) {
    await Promise.resolve()
    if (this.failing) throw new Error('the disk is full')
    this.batches.push(batch)
    this.#inner.commit(batch)
  }
  close() {
    this.#inner.close()
  }
}

async function london() {
  const blocks = []
  for await (const rlp of readBlocks([blockFile(LONDON)]))
    blocks.push(encodedBlock(decodeBlock(rlp), new PosEngine(), rlp))
  return prepareBlocks(blocks.slice(1), TEST_SENDERS)
}

const UNSEALED = { verifySeal: false }

describe('the writer', () => {
  it('commits a run of blocks in one batch, and separate blocks separately', async () => {
    const run = await london()
    const together = new WatchedStore()
    await (await openRecorded(LONDON, { kv: together })).importRun(run, UNSEALED)
    expect(together.batches).toHaveLength(2)
    const apart = new WatchedStore()
    const chain = await openRecorded(LONDON, { kv: apart })
    await Promise.all(run.map((block) => chain.importRun([block], UNSEALED)))
    expect(apart.batches).toHaveLength(1 + run.length)
    expect(bytesToHex(chain.head.hash)).toBe(LONDON.head)
  })

  it('leaves a head with its complete state, whichever batch was the last one', async () => {
    const kv = new WatchedStore()
    const chain = await openRecorded(LONDON, { kv })
    for (const block of await london()) await chain.importRun([block], UNSEALED)
    await chain.setHead(chain.headerByNumber(2)?.hash ?? new Uint8Array(32))
    for (let count = 1; count <= kv.batches.length; count++) {
      const copy = new MemoryStore()
      for (const batch of kv.batches.slice(0, count)) copy.commit(batch)
      checkInvariants(await openRecorded(LONDON, { kv: copy }))
    }
  })

  it('is unchanged when a commit fails, and continues when the next one succeeds', async () => {
    const kv = new WatchedStore()
    const chain = await openRecorded(LONDON, { kv })
    const [first, ...rest] = await london()
    if (first === undefined) throw new Error('no blocks')
    await chain.importRun([first], UNSEALED)
    const { head } = chain
    let events = 0
    chain.events.on('head', () => events++)
    kv.failing = true
    await expect(chain.importRun(rest, UNSEALED)).rejects.toThrow('the disk is full')
    await expect(chain.setHead(chain.genesis.hash)).rejects.toThrow('the disk is full')
    expect(chain.head).toBe(head)
    expect(events).toBe(0)
    expect(rest.some(({ hash }) => chain.headerByHash(hash) !== undefined)).toBe(false)
    checkInvariants(chain)
    kv.failing = false
    await chain.importRun(rest, UNSEALED)
    expect(bytesToHex(chain.head.hash)).toBe(LONDON.head)
    checkInvariants(chain)
  })

  it('reads the parent within its task', async () => {
    const chain = await openRecorded(LONDON)
    const run = await london()
    const [, second] = run
    if (second === undefined) throw new Error('no blocks')
    const early = chain.importRun([second], UNSEALED)
    const all = chain.importRun(run, UNSEALED)
    const late = chain.importRun([second], UNSEALED)
    expect((await early)[0]?.kind).toBe('unknownParent')
    expect((await all).map(({ kind }) => kind)).toEqual(run.map(() => 'imported'))
    expect((await late)[0]?.kind).toBe('known')
  })

  it('bounds its queue', async () => {
    const chain = await openRecorded(LONDON)
    const jobs = Array.from({ length: MAX_WRITER_QUEUE + 1 }, () => chain.importRun([]))
    const results = await Promise.allSettled(jobs)
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    await expect(jobs.at(-1)).rejects.toMatchObject({ code: 'WRITER_QUEUE_FULL' })
    await chain.close()
    await expect(chain.importRun([])).rejects.toMatchObject({ code: 'WRITER_CLOSED' })
  })

  it('contains errors of listeners', async () => {
    const chain = await openRecorded(LONDON)
    chain.events.on('head', () => {
      throw new Error('listener')
    })
    await chain.importRun(await london(), UNSEALED)
    expect(bytesToHex(chain.head.hash)).toBe(LONDON.head)
  })

  it('leaves nothing in the state store of a batch that failed', async () => {
    const kv = new WatchedStore()
    const chain = await openRecorded(LONDON, { kv })
    const run = await london()
    const positionReads = () => {
      const before = kv.reads.get(FLAT_POSITION) ?? 0
      for (let i = 0; i < 10; i++) chain.stateAt(chain.head).getAccount(new Uint8Array(20).fill(i))
      return (kv.reads.get(FLAT_POSITION) ?? 0) - before
    }
    await chain.importRun(run.slice(0, 1), UNSEALED)
    expect(positionReads()).toBeLessThanOrEqual(1)
    kv.failing = true
    await expect(chain.importRun(run.slice(1), UNSEALED)).rejects.toThrow('the disk is full')
    expect(positionReads()).toBeLessThanOrEqual(1)
    kv.failing = false
    await chain.importRun(run, UNSEALED)
    expect(positionReads()).toBeLessThanOrEqual(1)
    expect(bytesToHex(chain.head.hash)).toBe(LONDON.head)
    checkInvariants(chain)
  })

  it('reports a committed change of the head as such when its events cannot be prepared', async () => {
    const kv = new MemoryStore()
    const run = await london()
    const [first] = run
    if (first === undefined) throw new Error('no blocks')
    await (await openRecorded(LONDON, { kv })).importRun(run, UNSEALED)
    for (const { hash, block } of run)
      kv.commit([{ key: keys.receipts(Number(block.header.number), hash), value: undefined }])

    const errors: string[] = []
    const logger = { ...silentLogger, error: (message: string) => void errors.push(message) }
    const chain = await openRecorded(LONDON, { kv, logger })
    const heads: Uint8Array[] = []
    chain.events.on('head', ({ head }) => heads.push(head.hash))
    chain.events.on('logs', () => {})
    expect(await chain.setHead(first.hash)).toMatchObject({ hash: first.hash })
    expect(chain.head.hash).toEqual(first.hash)
    expect(heads).toEqual([first.hash])
    expect(errors).toEqual(['the events of a change of the head are incomplete'])
  })

  it('keeps the newest bad blocks, each once', async () => {
    const chain = await openRecorded(LONDON)
    const [first] = await london()
    if (first === undefined) throw new Error('no blocks')
    const { block } = first
    const told: string[] = []
    chain.events.on('badBlock', ({ reason }) => told.push(reason))
    const spoiled = (gasUsed: number) => ({ ...block, header: { ...block.header, gasUsed: BigInt(gasUsed) } })
    for (let i = 1; i <= MAX_BAD_BLOCKS + 1; i++) {
      expect((await chain.import(spoiled(i), UNSEALED)).kind).toBe('invalid')
    }
    await chain.import(spoiled(MAX_BAD_BLOCKS + 1), UNSEALED)
    const bad = chain.badBlocks()
    expect(bad).toHaveLength(MAX_BAD_BLOCKS)
    expect(bad.map(({ rlp }) => Number(decodeBlock(rlp).header.gasUsed))).toEqual(
      Array.from({ length: MAX_BAD_BLOCKS }, (_, i) => MAX_BAD_BLOCKS + 1 - i),
    )
    expect(bad[0]?.reason).toContain(`invalid gas used: ${MAX_BAD_BLOCKS + 1}`)
    expect(told).toHaveLength(MAX_BAD_BLOCKS + 2)
    chain.forgetBadBlocks()
    expect(chain.badBlocks()).toEqual([])
  })

  it('keeps no more bytes of bad blocks than the limit, without what surrounds them', async () => {
    const chain = await openRecorded(LONDON)
    const [first] = await london()
    if (first === undefined) throw new Error('no blocks')
    const { header } = first.block
    const bytes = BAD_BLOCK_BYTES / 16
    const hashes: Uint8Array[] = []
    for (let i = 0; i < 20; i++) {
      const extraData = new Uint8Array(bytes - 1024).fill(i)
      const rlp = encodeBlock({ ...first.block, header: { ...header, extraData } })
      const message = new Uint8Array(2 * rlp.length)
      message.set(rlp)
      const view = message.subarray(0, rlp.length)
      const run = await prepareBlocks([encodedBlock(decodeBlock(view), chain.consensus, view)], TEST_SENDERS)
      expect((await chain.importRun(run, UNSEALED))[0]?.kind).toBe('invalid')
      hashes.unshift((run[0] as PreparedBlock).hash)
    }
    const bad = chain.badBlocks()
    const kept = bad.reduce((sum, { rlp }) => sum + rlp.buffer.byteLength, 0)
    expect(kept).toBeLessThanOrEqual(BAD_BLOCK_BYTES)
    expect(bad.map(({ hash }) => hash)).toEqual(hashes.slice(0, 16))
    const [largest] = await prepareBlocks(
      [
        encodedBlock(
          { ...first.block, header: { ...header, extraData: new Uint8Array(BAD_BLOCK_BYTES) } },
          chain.consensus,
        ),
      ],
      TEST_SENDERS,
    )
    expect((await chain.importRun([largest as PreparedBlock], UNSEALED))[0]?.kind).toBe('invalid')
    expect(chain.badBlocks().map(({ hash }) => hash)).toEqual(hashes.slice(0, 16))
  })

  it('treats a future block as neither valid nor bad', async () => {
    const clock = { now: () => 0, monotonic: () => performance.now() }
    const chain = await openRecorded(LONDON, { clock })
    const [outcome] = await chain.importRun(await london(), UNSEALED)
    expect(outcome?.kind).toBe('future')
    expect(chain.badBlocks()).toEqual([])
  })
})

describe('opening a store', () => {
  it('continues after a restart', async () => {
    const kv = new MemoryStore()
    const first = await openRecorded(LONDON, { kv })
    await importFile(first, [blockFile(LONDON)], UNSEALED)
    await first.close()
    const again = await openRecorded(LONDON, { kv })
    expect(bytesToHex(again.head.hash)).toBe(LONDON.head)
    checkInvariants(again)
  })

  it('refuses a store of another chain', async () => {
    const kv = new MemoryStore()
    await openRecorded(LONDON, { kv })
    const other = recordedChainNamed('besu/trace')
    await expect(openRecorded(other, { kv })).rejects.toMatchObject({ code: 'GENESIS_MISMATCH' })
  })
})

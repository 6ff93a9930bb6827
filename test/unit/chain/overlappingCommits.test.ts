import { describe, expect, it } from 'vitest'
import type { KeyValueStore, Mutation, RangeOptions } from '../../../src/base/ports/keyValueStore.ts'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import { encodedBlock, type PreparedBlock, prepareBlocks } from '../../../src/chain/preparedBlock.ts'
import { requireState } from '../../../src/state/errors.ts'
import { isSameRoot, readFlatPosition } from '../../../src/state/stateContext.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { checkInvariants } from '../../support/chains/chainInvariants.ts'
import { TEST_SENDERS } from '../../support/chains/testChain.ts'
import { ALICE, openDevChain, plannedOf, sealBlocks, signed } from '../../support/nodes/devChain.ts'

const BLOCKS = 12

/** Writes a batch when the test says so. */
class HeldStore implements KeyValueStore {
  isHeld = false
  readonly held: ((error?: Error) => void)[] = []
  readonly #inner = new MemoryStore()

  get(key: Uint8Array) {
    return this.#inner.get(key)
  }
  getMany(keys: readonly Uint8Array[]) {
    return this.#inner.getMany(keys)
  }
  range(options: RangeOptions) {
    return this.#inner.range(options)
  }
  close() {
    this.#inner.close()
  }

  async commit(batch: readonly Mutation[]): Promise<void> {
    if (this.isHeld) {
      await new Promise<void>((resolve, reject) => {
        this.held.push((error) => (error === undefined ? resolve() : reject(error)))
      })
    }
    this.#inner.commit(batch)
  }

  /** Waits for the next batch. */
  async next(): Promise<(error?: Error) => void> {
    await expect.poll(() => this.held.length).toBeGreaterThan(0)
    return this.held.shift() as () => void
  }
}

/** Consecutive blocks with a transfer each. */
async function runsOf(...sizes: number[]): Promise<PreparedBlock[][]> {
  const source = await openDevChain()
  const plans = await Promise.all(
    Array.from({ length: BLOCKS }, async (_, nonce) => ({
      transactions: [plannedOf(await signed(ALICE, { nonce, value: 1n }))],
    })),
  )
  await sealBlocks(source, plans)
  const blocks = [...source.exportBlocks({ startBlock: 1 })].map((rlp) =>
    encodedBlock(decodeBlock(rlp), source.consensus, rlp),
  )
  const prepared = await prepareBlocks(blocks, TEST_SENDERS)
  let end = 0
  return sizes.map((size) => {
    end += size
    return prepared.slice(end - size, end)
  })
}

const numberOf = (chain: Chain): number => Number(chain.head.header.number)

async function open(): Promise<{ chain: Chain; kv: HeldStore }> {
  const kv = new HeldStore()
  const chain = await openDevChain({ kv })
  kv.isHeld = true
  return { chain, kv }
}

describe('an import while the store writes', () => {
  it('executes the next run on top of the batch on its way, whose head is shown when it is stored', async () => {
    const { chain, kv } = await open()
    const [first, second, third] = (await runsOf(5, 4, 3)) as [PreparedBlock[], PreparedBlock[], PreparedBlock[]]
    const outcomes = [first, second, third].map((run) => chain.importRun(run))
    const heads: number[] = []
    for (const size of [5, 9, 12]) {
      const write = await kv.next()
      // Only one batch is on its way, though the blocks behind it have been executed.
      expect(kv.held).toHaveLength(0)
      heads.push(numberOf(chain))
      write()
      await expect.poll(() => numberOf(chain)).toBe(size)
    }
    expect(heads).toEqual([0, 5, 9])
    for (const outcome of (await Promise.all(outcomes)).flat()) {
      expect(outcome).toMatchObject({ kind: 'imported', isHead: true })
    }
    expect(isSameRoot(readFlatPosition(kv).root, requireState(chain.head.stateRoot))).toBe(true)
    expect(chain.stateAt(chain.head).getAccount(hexToBytes(ALICE.address))?.nonce).toBe(BigInt(BLOCKS))
    checkInvariants(chain)
  })

  it('fails with the batch below it, and begins again from what is stored', async () => {
    const { chain, kv } = await open()
    const [first, second, third] = (await runsOf(5, 4, 3)) as [PreparedBlock[], PreparedBlock[], PreparedBlock[]]
    const imports = Promise.allSettled([first, second].map((run) => chain.importRun(run)))
    const write = await kv.next()
    write(new Error('the disk is full'))
    for (const end of await imports)
      expect(end).toMatchObject({ status: 'rejected', reason: { message: 'the disk is full' } })
    expect(numberOf(chain)).toBe(0)
    kv.isHeld = false
    for (const run of [first, second, third]) {
      for (const outcome of await chain.importRun(run)) expect(outcome.kind).toBe('imported')
    }
    expect(numberOf(chain)).toBe(BLOCKS)
    checkInvariants(chain)
  })

  it('lets any other task wait until everything is stored, and a closing chain too', async () => {
    const { chain, kv } = await open()
    const [first] = (await runsOf(5)) as [PreparedBlock[]]
    const imported = chain.importRun(first)
    const seen = chain.run('ordinary', (task) => task.pointers.head.header.number)
    const write = await kv.next()
    let isClosed = false
    const closed = chain.close().then(() => {
      isClosed = true
    })
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(isClosed).toBe(false)
    write()
    expect(await seen).toBe(5n)
    await imported
    await closed
  })
})

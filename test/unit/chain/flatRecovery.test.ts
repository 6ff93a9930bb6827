import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { MOVE_BOUNDS } from '../../../src/chain/headMove.ts'
import { encodedBlock } from '../../../src/chain/preparedBlock.ts'
import { requireState } from '../../../src/state/errors.ts'
import { rebuildFlatView } from '../../../src/state/flatRebuild.ts'
import { isSameRoot, readFlatPosition } from '../../../src/state/stateContext.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column, keys } from '../../../src/storage/schema.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { checkInvariants } from '../../support/chains/chainInvariants.ts'
import { devWriter } from '../../support/chains/testChain.ts'
import { ALICE, openDevChain, type PlannedBlock, plannedOf, sealBlocks, signed } from '../../support/nodes/devChain.ts'

const transfers = async (count: number, value: bigint, nonce = 0): Promise<PlannedBlock[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, i) => ({
      transactions: [plannedOf(await signed(ALICE, { nonce: nonce + i, value }))],
    })),
  )

function flatContent(kv: MemoryStore): Map<string, string> {
  const entries = [Column.flatAccount, Column.flatStorage, Column.flatIncarnation].flatMap((column) => [
    ...kv.range({ prefix: Uint8Array.of(column) }),
  ])
  return new Map(entries.map(([key, value]) => [bytesToHex(key), bytesToHex(value)]))
}

async function rebuilt(kv: MemoryStore, { stateRoot }: ChainHeader): Promise<Map<string, string>> {
  const copy = new MemoryStore()
  copy.commit([...kv.range({ prefix: new Uint8Array(0) })].map(([key, value]) => ({ key, value })))
  const states = new StateStore(copy)
  const target = { root: requireState(stateRoot), block: undefined }
  await rebuildFlatView({ kv: copy, states, residency: undefined, slicer: undefined }, target)
  return flatContent(copy)
}

async function expectFlatAtHead(chain: Chain, kv: MemoryStore): Promise<void> {
  await expect.poll(() => isSameRoot(readFlatPosition(kv).root, requireState(chain.head.stateRoot))).toBe(true)
  expect(flatContent(kv)).toEqual(await rebuilt(kv, chain.head))
}

const dropDiff = (kv: MemoryStore, { header, hash }: ChainHeader): void =>
  kv.commit([{ key: keys.stateDiff(Number(header.number), hash), value: undefined }])

/** Blocks of another branch, which are stored beside the main one. */
async function storeBranch(chain: Chain, count: number): Promise<Uint8Array> {
  const source = await openDevChain()
  await sealBlocks(source, await transfers(count, 7n))
  for (const rlp of source.exportBlocks({ startBlock: 1 })) {
    const { block } = encodedBlock(decodeBlock(rlp), chain.consensus, rlp)
    expect(await chain.import(block, { mayBecomeHead: false })).toMatchObject({ kind: 'imported', isHead: false })
  }
  return source.head.hash
}

describe('the flat view', () => {
  it('does not follow a block that may not become the head', async () => {
    const kv = new MemoryStore()
    const chain = await openDevChain({ kv })
    const tip = await storeBranch(chain, 3)
    expect(readFlatPosition(kv).root).toMatchObject({ hash: chain.genesis.header.stateRoot })
    expect(flatContent(kv)).toEqual(await rebuilt(kv, chain.genesis))
    await chain.setForkChoice({ head: tip })
    expect(readFlatPosition(kv).root).toMatchObject({ hash: chain.head.header.stateRoot })
    expect(flatContent(kv)).toEqual(await rebuilt(kv, chain.head))
  })

  it('is built again in the background when it cannot follow the head, which moves meanwhile', async () => {
    for (const moveBounds of [MOVE_BOUNDS, { atomicBlocks: 2, stepBlocks: 1 }]) {
      const kv = new MemoryStore()
      const chain = await openDevChain({ kv, moveBounds })
      const own = await sealBlocks(chain, await transfers(4, 1n))
      const tip = await storeBranch(chain, 3)
      dropDiff(kv, own[1] as ChainHeader)
      const more = await transfers(6, 3n, 3)
      await chain.setHead(tip)
      expect(chain.head.hash).toEqual(tip)
      for (const plan of more) await sealBlocks(chain, [plan])
      await expectFlatAtHead(chain, kv)
      const [next] = await transfers(1, 1n, 9)
      await sealBlocks(chain, [next as PlannedBlock])
      await expectFlatAtHead(chain, kv)
      checkInvariants(chain)
    }
  })

  it('that is lost on a dev chain hinders neither checkpoints nor amendments', async () => {
    const kv = new MemoryStore()
    const chain = await openDevChain({ kv })
    const dev = devWriter(chain)
    const own = await sealBlocks(chain, await transfers(2, 1n))
    const checkpoint = await dev.checkpoint()
    await sealBlocks(chain, await transfers(2, 1n, 2))
    dropDiff(kv, own[1] as ChainHeader)
    await chain.setHead((own[0] as ChainHeader).hash)
    await dev.amendHead((state) => state.setBalance(new Uint8Array(20).fill(9), 9n))
    await expectFlatAtHead(chain, kv)
    await dev.restore(checkpoint)
    expect(chain.head.hash).toEqual((own[1] as ChainHeader).hash)
    await expectFlatAtHead(chain, kv)
  })

  it('is left for the next start when the chain is closed', async () => {
    const kv = new MemoryStore()
    const chain = await openDevChain({ kv })
    const own = await sealBlocks(chain, await transfers(4, 1n))
    dropDiff(kv, own[3] as ChainHeader)
    await chain.setHead((own[1] as ChainHeader).hash)
    await chain.close()
    await expectFlatAtHead(await openDevChain({ kv }), kv)
  })
})

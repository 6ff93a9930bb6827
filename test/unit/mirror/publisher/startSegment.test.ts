/** Requests that a reader makes until it is open, over what a node's publisher has written. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DatabaseState } from '../../../../src/mirror/publisher/contract.ts'
import { positionMutation } from '../../../../src/mirror/publisher/journal.ts'
import { JournaledStore } from '../../../../src/mirror/publisher/journaledStore.ts'
import type { MirrorContent } from '../../../../src/mirror/publisher/mirrorContent.ts'
import { Publisher } from '../../../../src/mirror/publisher/publisher.ts'
import { FakeTime } from '../../../support/host/fakeTime.ts'
import { MemoryObjects, type ObjectRead } from '../../../support/mirror/memoryObjects.ts'
import { openTestReplica } from '../../../support/mirror/mirroredNode.ts'
import { MemoryDisk, MIRROR_SIGNER } from '../../../support/mirror/publishedChain.ts'
import { RUN_GRACE_MS } from '../../../support/mirror/publisherRun.ts'
import { openDevNode } from '../../../support/nodes/devNodeInMemory.ts'

/** A node, and a publisher of its database that has published all of it. */
async function openPublished(blocks: number) {
  const disk = new MemoryDisk()
  const journal = new JournaledStore(disk, () => {})
  const { node, rpc } = await openDevNode({}, journal)
  onTestFinished(() => node.close())
  const objects = new MemoryObjects()
  const time = new FakeTime(1_800_000_000_000)
  // Nothing is written while a publisher reads, so it needs no copy.
  const state: DatabaseState = {
    get: (key) => disk.get(key),
    getMany: (wanted) => disk.getMany(wanted),
    range: (options) => disk.range(options),
    close: () => {},
  }
  const openPublisher = (): Publisher =>
    new Publisher({
      objects,
      clock: time,
      database: {
        open: () => state,
        note: (position) => disk.commit([positionMutation(position)]),
        record: async (position) => disk.commit([positionMutation(position)]),
      },
      signer: MIRROR_SIGNER,
      graceMs: RUN_GRACE_MS,
      yieldToHost: async () => {},
    })
  const mine = (count: number): Promise<unknown> => rpc('hardhat_mine', `0x${count.toString(16)}`)
  await mine(blocks)
  const publisher = openPublisher()
  await publisher.open()
  await publisher.hint()

  /** As the command `mirror push`. */
  const push = async (): Promise<MirrorContent> => {
    const command = openPublisher()
    await command.open()
    await command.hint()
    return command.content
  }

  /** As the command `mirror compact`. */
  const compact = async (): Promise<MirrorContent> => {
    const command = openPublisher()
    await command.open()
    await command.merge('whole')
    await command.publishAnyway()
    await command.hint()
    return command.content
  }

  /** Of a reader until it knows the head. Requests at the same time are one wave. */
  const openingReads = async (): Promise<{ requests: number; waves: number }> => {
    objects.resetCounts()
    const replica = await openTestReplica(objects, time, { pollMs: undefined })
    expect(await replica.rpc('eth_blockNumber')).toBe(await rpc('eth_blockNumber'))
    const { reads, waves } = objects
    await replica.close()
    return { requests: reads.length, waves }
  }
  return { objects, publisher, push, compact, mine, openingReads }
}

describe('the first entries of a mirror', () => {
  it('are read with the manifest, as before, after everything was merged', async () => {
    const { publisher, compact, mine, openingReads } = await openPublished(300)
    const before = await openingReads()
    expect(before).toEqual({ requests: 5, waves: 3 })
    await mine(2)
    await publisher.publishChanges()
    expect((await compact()).runs).toHaveLength(1)
    expect(await openingReads()).toEqual(before)
  })

  it('are read with the manifest of a publisher that starts, with changes and without', async () => {
    const { push, mine, openingReads } = await openPublished(300)
    const before = await openingReads()
    for (const blocks of [3, 0, 0, 1]) {
      if (blocks > 0) await mine(blocks)
      await push()
      expect(await openingReads()).toEqual(before)
    }
    // Two of changes, and three of first entries: equal ones are not repeated.
    expect((await push()).recent).toHaveLength(5)
  })

  it('are not merged again when nothing has changed', async () => {
    const { objects, compact, openingReads } = await openPublished(300)
    const before = await openingReads()
    objects.resetCounts()
    await compact()
    await compact()
    const isContent = ({ name, offset }: ObjectRead): boolean => name.startsWith('segments/') && offset === 0
    expect(objects.reads.filter(isContent)).toEqual([])
    expect(await openingReads()).toEqual(before)
  })

  it('are read with the manifest after each merge', async () => {
    const { publisher, mine, openingReads } = await openPublished(10)
    const before = await openingReads()
    let merges = 0
    while (merges < 10) {
      await mine(1)
      const needsMerge = publisher.needsMerge
      if (needsMerge) await publisher.merge()
      await publisher.publishChanges()
      if (!needsMerge) continue
      merges++
      await publisher.hint()
      expect(await openingReads(), `merge ${merges}`).toEqual(before)
    }
    // Runs were merged as well.
    expect(publisher.content.runs.length).toBeLessThan(merges)
  })
})

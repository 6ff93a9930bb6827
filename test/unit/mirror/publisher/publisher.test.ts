/** A publisher over a store in memory: what it publishes, and what it finds in the store. */
import { describe, expect, it } from 'vitest'
import { KeySigner } from '../../../../src/base/ports/keySigner.ts'
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import { encodeNumber } from '../../../../src/chain/blockRecord.ts'
import { MirrorFollower } from '../../../../src/mirror/follower.ts'
import { MirrorObjects } from '../../../../src/mirror/mirrorObjects.ts'
import { type HistoryStart, newestBlocks } from '../../../../src/mirror/publisher/history.ts'
import { Publisher } from '../../../../src/mirror/publisher/publisher.ts'
import { SegmentSource } from '../../../../src/mirror/read/segmentSource.ts'
import { SegmentStore } from '../../../../src/mirror/segmentStore.ts'
import { METADATA_NAMES, startKeys } from '../../../../src/mirror/startKeys.ts'
import { isPublishedKey } from '../../../../src/storage/published.ts'
import { Column, keys, numberedKey } from '../../../../src/storage/schema.ts'
import { FakeTime } from '../../../support/host/fakeTime.ts'
import { MemoryObjects } from '../../../support/mirror/memoryObjects.ts'
import {
  MIRROR_SIGNER,
  mirroredContent,
  PublishedChain,
  publishedContent,
} from '../../../support/mirror/publishedChain.ts'

const GRACE_MS = 60_000

function world() {
  const objects = new MemoryObjects()
  objects.delay = () => 0
  return { objects, clock: new FakeTime(1_800_000_000_000) }
}

type World = ReturnType<typeof world>

function publisherOf(
  { objects, clock }: World,
  database: PublishedChain,
  signer: KeySigner = MIRROR_SIGNER,
  historyStart?: HistoryStart,
): Publisher {
  const yieldToHost = async (): Promise<void> => {}
  return new Publisher({ objects, clock, database, signer, graceMs: GRACE_MS, yieldToHost, historyStart })
}

/** The database after a restart of its node. */
function restarted(chain: PublishedChain): PublishedChain {
  return new PublishedChain({ disk: chain.open() }).at(chain.height)
}

/** @param from first block with a body and receipts */
async function expectHistory({ objects }: World, { disk }: PublishedChain, from: number): Promise<void> {
  const columns: readonly number[] = [Column.body, Column.receipts]
  const isOld = (key: Uint8Array): boolean => columns.includes(key[0] as number) && numberedKey(key).number < from
  const expected = disk.copy()
  const old = [...expected.range({ prefix: new Uint8Array(0) })].filter(([key]) => isOld(key))
  expected.commit([
    ...old.map(([key]) => ({ key, value: undefined })),
    { key: keys.meta('historyFrom'), value: encodeNumber(from) },
  ])
  expect(old.length).toBeGreaterThan(0)
  expect(await mirroredContent(objects)).toEqual(publishedContent(expected))
}

async function expectMirrored({ objects }: World, { disk }: PublishedChain): Promise<void> {
  expect(await mirroredContent(objects)).toEqual(publishedContent(disk))
}

describe('a publisher', () => {
  it('publishes a database, then each change of it', async () => {
    const place = world()
    const chain = new PublishedChain()
    chain.grow(20)
    const publisher = publisherOf(place, chain)
    await publisher.open()
    await expectMirrored(place, chain)
    for (let i = 0; i < 40; i++) {
      chain.grow(1 + (i % 3))
      if (i % 10 === 9) chain.shrink(2)
      await publisher.publishChanges()
      if (publisher.needsMerge) await publisher.merge()
      await expectMirrored(place, chain)
    }
    expect(publisher.manifest).toMatchObject({ number: 41, head: { number: chain.height } })
    expect(publisher.content.recent.length).toBeLessThan(20)
  })

  it('writes nothing when nothing has changed', async () => {
    const place = world()
    const chain = new PublishedChain()
    const publisher = publisherOf(place, chain)
    await publisher.open()
    expect(await publisher.publishChanges()).toBeUndefined()
    expect(await publisher.publishAnyway()).toMatchObject({ number: 2, added: 0 })
  })

  it('publishes a usual block with one write', async () => {
    const place = world()
    const chain = new PublishedChain()
    const publisher = publisherOf(place, chain)
    await publisher.open()
    const written: string[] = []
    place.objects.writeFault = (_, name) => void written.push(name)
    chain.grow()
    await publisher.publishChanges()
    expect(written).toEqual(['manifests/00000000000000000002'])
  })

  it('continues after a restart with what has changed since', async () => {
    const place = world()
    const chain = new PublishedChain()
    chain.grow(300)
    await publisherOf(place, chain).open()
    const again = new PublishedChain({ disk: chain.open() }).at(chain.height)
    again.grow(2)
    const publisher = publisherOf(place, again)
    const { added, epoch } = await publisher.open()
    // The change, and what every reader begins with.
    expect(added).toBe(2)
    expect(epoch).toBeGreaterThan(1_800_000_000_000)
    await expectMirrored(place, again)
  })

  it('publishes everything again when the journal does not say what has changed', async () => {
    const place = world()
    const chain = new PublishedChain()
    chain.grow(50)
    const publisher = publisherOf(place, chain)
    await publisher.open()
    const unwatched = new PublishedChain({ disk: chain.open() }).at(chain.height)
    unwatched.grow(3)
    const { dropJournal } = await import('../../../../src/mirror/publisher/journaledStore.ts')
    await dropJournal(unwatched.disk)
    const again = new PublishedChain({ disk: unwatched.open() }).at(unwatched.height)
    expect(await publisherOf(place, again).open()).toMatchObject({ recent: { length: 1 } })
    await expectMirrored(place, again)
  })

  it('repeats what every reader begins with in the manifest of a whole database', async () => {
    const place = world()
    const chain = new PublishedChain()
    chain.grow(300)
    const zeroAddress = keys.flatAccount(keccak256(new Uint8Array(20)))
    chain.journal.commit([{ key: zeroAddress, value: Uint8Array.of(1) }])
    const { head } = await publisherOf(place, chain).open()
    const { objects } = place
    const source = new SegmentSource(objects, { cacheBytes: 1 << 20 })
    const { view, identity } = await MirrorFollower.open({ objects, source, publisher: MIRROR_SIGNER.address })
    objects.reads.length = 0
    const wanted = [...METADATA_NAMES.map(keys.meta), ...startKeys(view.manifest, identity), zeroAddress]
    const found = await new SegmentStore(view, source).getMany(wanted)
    expect(found).toEqual(wanted.map((key) => (isPublishedKey(key) ? chain.disk.get(key) : undefined)))
    expect(found).toContainEqual(head.hash)
    expect(objects.reads).toEqual([])
  })

  it('keeps the bodies and receipts of the newest blocks only', async () => {
    const place = world()
    const chain = new PublishedChain()
    chain.grow(30)
    const publisher = publisherOf(place, chain, MIRROR_SIGNER, newestBlocks(10))
    await publisher.open()
    await expectHistory(place, chain, 21)
    for (let i = 0; i < 40; i++) {
      chain.grow(1 + (i % 3))
      if (i % 10 === 9) chain.shrink(2)
      await publisher.publishChanges()
      if (publisher.needsMerge) await publisher.merge()
    }
    chain.grow(5)
    await publisher.publishChanges()
    await expectHistory(place, chain, chain.height - 9)
  })

  it('leaves more of the history out after a restart with a smaller number, and publishes it again without one', async () => {
    const place = world()
    const chain = new PublishedChain()
    chain.grow(30)
    await publisherOf(place, chain, MIRROR_SIGNER, newestBlocks(20)).open()
    await expectHistory(place, chain, 11)
    const smaller = restarted(chain)
    smaller.grow()
    await publisherOf(place, smaller, MIRROR_SIGNER, newestBlocks(5)).open()
    await expectHistory(place, smaller, 27)
    const larger = restarted(smaller)
    larger.grow()
    await publisherOf(place, larger, MIRROR_SIGNER, newestBlocks(20)).open()
    await expectHistory(place, larger, 27)
    // A command that only merges keeps what there is.
    const same = restarted(larger)
    await publisherOf(place, same).open()
    await expectHistory(place, same, 27)
    const whole = restarted(same)
    await publisherOf(place, whole, MIRROR_SIGNER, newestBlocks(undefined)).open()
    await expectMirrored(place, whole)
  })

  it('leaves the history out step by step', async () => {
    const place = world()
    const chain = new PublishedChain()
    chain.grow(5000)
    await publisherOf(place, chain).open()
    const again = restarted(chain)
    const publisher = publisherOf(place, again, MIRROR_SIGNER, newestBlocks(1))
    await publisher.open()
    await expectHistory(place, again, 4096)
    again.grow()
    await publisher.publishChanges()
    await expectHistory(place, again, 5001)
  })

  it('publishes everything again when a reorganisation goes below the history that it keeps', async () => {
    const place = world()
    const chain = new PublishedChain()
    chain.grow(30)
    const publisher = publisherOf(place, chain, MIRROR_SIGNER, newestBlocks(5))
    await publisher.open()
    chain.shrink(10)
    await publisher.publishChanges()
    await expectHistory(place, chain, 16)
  })

  it('leaves out what arrives late of old blocks', async () => {
    const place = world()
    const chain = new PublishedChain()
    chain.grow(30)
    const publisher = publisherOf(place, chain, MIRROR_SIGNER, newestBlocks(5))
    await publisher.open()
    chain.journal.commit([{ key: keys.body(3, new Uint8Array(32)), value: Uint8Array.of(1) }])
    await publisher.publishChanges()
    await expectHistory(place, chain, 26)
  })

  it('repeats no long value', async () => {
    const place = world()
    const chain = new PublishedChain()
    chain.journal.commit([{ key: keys.meta('genesis'), value: new Uint8Array(200_000).fill(32) }])
    const { inline } = await publisherOf(place, chain).open()
    expect(inline?.length).toBeLessThan(2000)
    await expectMirrored(place, chain)
  })

  it('refuses a database behind the mirror, until it is told to take the mirror back', async () => {
    const place = world()
    const chain = new PublishedChain()
    chain.grow(5)
    const publisher = publisherOf(place, chain)
    await publisher.open()
    await publisher.publishChanges()
    const backup = chain.open()
    chain.grow(5)
    await publisher.publishChanges()
    const restored = new PublishedChain({ disk: backup }, 'b').at(5)
    restored.grow()
    await expect(publisherOf(place, restored).open()).rejects.toMatchObject({
      code: 'MIRROR_BEHIND',
      message: expect.stringMatching(/it ends at block 6 0x[0-9a-f]{64}, manifest 2 at block 10 0x[0-9a-f]{64}/),
    })
    await publisherOf(place, restored).open({ rewinds: true })
    await expectMirrored(place, restored)
  })

  it('refuses a mirror of another chain, or of another key', async () => {
    const place = world()
    await publisherOf(place, new PublishedChain()).open()
    await expect(publisherOf(place, new PublishedChain({ chainId: 5 })).open()).rejects.toMatchObject({
      code: 'MIRROR_OF_OTHER_CHAIN',
      message: expect.stringContaining('chain id 1337'),
    })
    const other = new KeySigner(new Uint8Array(32).fill(8))
    await expect(publisherOf(place, new PublishedChain(), other).open()).rejects.toMatchObject({
      code: 'MIRROR_UNSIGNED',
    })
  })

  it('stops when another publisher has taken over', async () => {
    const place = world()
    const chain = new PublishedChain()
    chain.grow(3)
    const first = publisherOf(place, chain)
    await first.open()
    place.clock.advance(5000)
    const second = publisherOf(place, new PublishedChain({ disk: chain.open() }).at(3))
    await second.open()
    chain.grow()
    await expect(first.publishChanges()).rejects.toMatchObject({
      code: 'MIRROR_FENCED',
      message: expect.stringContaining('began at 2027-01-15T08:00:05.000Z'),
    })
    await expect(first.publishChanges()).rejects.toMatchObject({ code: 'MIRROR_FENCED' })
  })

  it('deletes what nobody reads any more, and lets no frozen publisher bring it back', async () => {
    const place = world()
    const chain = new PublishedChain()
    chain.grow(3)
    const frozen = publisherOf(place, chain)
    await frozen.open()
    const copy = new PublishedChain({ disk: chain.open() }).at(3)
    const active = publisherOf(place, copy)
    place.clock.advance(1000)
    await active.open()
    for (let i = 0; i < 120; i++) {
      place.clock.advance(1000)
      copy.grow()
      await active.publishChanges()
      if (active.needsMerge) await active.merge()
      await active.tidy()
    }
    const manifests = [...place.objects.objects.keys()].filter((name) => name.startsWith('manifests/'))
    expect(manifests.length).toBeLessThan(90)
    expect(place.objects.objects.has('manifests/00000000000000000002')).toBe(false)
    await expectMirrored(place, copy)
    chain.grow()
    await expect(frozen.publishChanges()).rejects.toMatchObject({ code: 'MIRROR_FENCED' })
    expect(await new MirrorObjects(place.objects).lastListed()).toBe(active.manifest?.number)
    await expectMirrored(place, copy)
  })

  it('recognises its own manifest when the answer to its creation was lost', async () => {
    const place = world()
    const chain = new PublishedChain()
    const publisher = publisherOf(place, chain)
    await publisher.open()
    chain.grow()
    const create = place.objects.create.bind(place.objects)
    place.objects.create = async (name, bytes) => {
      await create(name, bytes)
      place.objects.create = create
      const { mirrorUnavailable } = await import('../../../../src/mirror/errors.ts')
      throw mirrorUnavailable(name, 'it took too long')
    }
    await expect(publisher.publishChanges()).rejects.toMatchObject({ code: 'MIRROR_UNAVAILABLE' })
    chain.grow()
    expect(await publisher.publishChanges()).toMatchObject({ number: 3, head: { number: 2 } })
    await expectMirrored(place, chain)
  })

  it('never publishes what is not meant for others', async () => {
    const place = world()
    const chain = new PublishedChain()
    chain.grow(4)
    const publisher = publisherOf(place, chain)
    await publisher.open()
    chain.grow(4)
    await publisher.publishChanges()
    const content = await mirroredContent(place.objects)
    expect(Object.keys(content).filter((key) => key.startsWith('30') || key.startsWith('60'))).toEqual([])
  })
})

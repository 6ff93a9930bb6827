import { describe, expect, test } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { MirrorFollower } from '../../../src/mirror/follower.ts'
import { IDENTITY_NAME, LATEST_NAME, listName, manifestName } from '../../../src/mirror/format/names.ts'
import { SegmentSource } from '../../../src/mirror/read/segmentSource.ts'
import { SegmentStore } from '../../../src/mirror/segmentStore.ts'
import { MemoryObjects, unavailable } from '../../support/mirror/memoryObjects.ts'
import { TEST_MIRROR_PUBLISHER, TestPublisher } from '../../support/mirror/testPublisher.ts'

const KEY = Uint8Array.of(0x10)

async function published(manifests: number) {
  const objects = new MemoryObjects()
  const publisher = new TestPublisher(objects)
  for (let i = 1; i <= manifests; i++) await publisher.commit([{ key: KEY, value: Uint8Array.of(i) }])
  return { objects, publisher }
}

async function open(objects: MemoryObjects, publisher: Uint8Array | undefined = TEST_MIRROR_PUBLISHER) {
  const source = new SegmentSource(objects, { cacheBytes: 1 << 20 })
  const follower = await MirrorFollower.open({ objects, source, publisher })
  const value = async () => (await new SegmentStore(follower.view, source).getMany([KEY]))[0]?.[0]
  return { follower, value, number: () => follower.view.manifest.number }
}

describe('a follower of manifests', () => {
  test('begins at the newest one, whatever the hint says', async () => {
    const { objects, publisher } = await published(40)
    expect((await open(objects)).number()).toBe(40)
    for (const hint of [40, 39, 33, 1, 41, 4000]) {
      await publisher.hint(hint)
      const { number, value } = await open(objects)
      expect([number(), await value()]).toEqual([40, 40])
    }
    objects.objects.set(LATEST_NAME, new TextEncoder().encode('<html>'))
    expect((await open(objects)).number()).toBe(40)
  })

  test('needs three waves for a start with a hint, and then follows one by one', async () => {
    const { objects, publisher } = await published(5)
    await publisher.merge()
    await publisher.hint()
    objects.resetCounts()
    const { follower, value } = await open(objects)
    expect(objects.waves).toBe(3)
    await publisher.commit([{ key: KEY, value: Uint8Array.of(77) }])
    expect((await follower.next())?.changed?.map(bytesToHex)).toEqual([bytesToHex(KEY)])
    expect(await value()).toBe(77)
    objects.resetCounts()
    expect(await value()).toBe(77)
    expect(objects.reads).toEqual([])
  })

  test('goes to the newest one where manifests were pruned, and gives up all that it knew', async () => {
    const { objects, publisher } = await published(3)
    const { follower, number, value } = await open(objects)
    for (let i = 4; i <= 9; i++) await publisher.commit([{ key: KEY, value: Uint8Array.of(i) }])
    await publisher.merge()
    for (let i = 1; i <= 6; i++) await objects.delete(manifestName(i))
    await publisher.hint()
    let step = await follower.next()
    for (let i = 0; i < 10 && step === undefined; i++) step = await follower.next()
    expect(step?.changed).toBeUndefined()
    expect([number(), await value()]).toEqual([10, 9])
    expect((await open(objects)).number()).toBe(10)
  })

  test('goes on when segments that were merged meanwhile are gone', async () => {
    const objects = new MemoryObjects()
    const publisher = new TestPublisher(objects, { inlineBytes: 0 })
    await publisher.commit([{ key: KEY, value: Uint8Array.of(1) }])
    const { follower, number, value } = await open(objects)
    await publisher.commit([{ key: Uint8Array.of(0x11), value: Uint8Array.of(2) }])
    const before = new Set(objects.objects.keys())
    await publisher.merge()
    for (const name of before) if (name.startsWith('segments/')) await objects.delete(name)
    expect((await follower.next())?.changed).toBeUndefined()
    expect([number(), await value()]).toEqual([3, 1])
  })

  test('follows many manifests at once', async () => {
    const { objects, publisher } = await published(1)
    const { follower, number } = await open(objects)
    for (let i = 0; i < 150; i++) await publisher.publish({})
    await publisher.hint()
    await follower.next()
    expect(number()).toBe(151)
  })

  test('never goes back', async () => {
    const { objects, publisher } = await published(5)
    const { follower, number } = await open(objects)
    await publisher.hint(2)
    await objects.delete(manifestName(5))
    for (let i = 0; i < 12; i++) await follower.next()
    expect(number()).toBe(5)
  })

  test('keeps its state while a manifest, its list or its segment cannot be read, and goes on afterwards', async () => {
    const { objects, publisher } = await published(2)
    const { follower, number, value } = await open(objects)
    await publisher.commit([{ key: KEY, value: Uint8Array.of(3) }])
    objects.readFault = unavailable
    await expect(follower.next()).rejects.toMatchObject({ code: 'MIRROR_UNAVAILABLE' })
    await publisher.merge()
    objects.readFault = ({ name }, bytes) => (name.startsWith('lists/') ? bytes?.subarray(1) : bytes)
    await expect(follower.next()).rejects.toThrow(/^lists\/.* is damaged: the list has another hash/)
    objects.readFault = ({ name }, bytes) => (name.startsWith('manifests/') ? bytes?.subarray(0, 40) : bytes)
    await expect(follower.next()).rejects.toThrow(`${manifestName(3)} of the mirror is damaged: it has 40 bytes`)
    expect(number()).toBe(2)
    objects.readFault = undefined
    await follower.next()
    expect([number(), await value()]).toEqual([4, 3])
  })

  test('refuses a manifest that does not follow, and one of an earlier epoch', async () => {
    const { objects, publisher } = await published(2)
    const { follower, number } = await open(objects)
    await publisher.publish({ previous: new Uint8Array(32) })
    await expect(follower.next()).rejects.toThrow(`${manifestName(3)} of the mirror is damaged: it does not follow`)
    await objects.delete(manifestName(3))
    const other = new TestPublisher(new MemoryObjects())
    other.epoch = 3
    for (let i = 0; i < 2; i++) await other.publish({})
    const fork = await open(other.objects)
    other.epoch = 2
    await other.publish({})
    await expect(fork.follower.next()).rejects.toThrow('its epoch 2 is below 3')
    expect([number(), fork.number()]).toEqual([2, 2])
  })

  test('refuses another publisher, another chain under its manifests, and an empty store', async () => {
    const { objects } = await published(2)
    const stranger = new Uint8Array(20).fill(0xee)
    await expect(open(objects, stranger)).rejects.toMatchObject({ code: 'MIRROR_UNSIGNED' })
    expect((await open(objects, undefined)).number()).toBe(2)
    const identity = { chainId: 5n, genesisHash: KEY, genesis: '{"other":true}' }
    const chain = new TestPublisher(new MemoryObjects(), { identity: { ...identity, genesisHash: new Uint8Array(32) } })
    objects.objects.set(IDENTITY_NAME, chain.objects.objects.get(IDENTITY_NAME) ?? KEY)
    await expect(open(objects)).rejects.toThrow('it belongs to another mirror.json')
    await expect(open(new MemoryObjects())).rejects.toThrow('mirror.json of the mirror is not available')
    await expect(open(chain.objects)).rejects.toThrow('the store has no manifest')
    expect(listName(KEY)).toBe('lists/10')
  })

  test('notices a manifest signed by a stranger on the way', async () => {
    const { objects } = await published(2)
    const { follower } = await open(objects)
    const stranger = new TestPublisher(new MemoryObjects(), { key: new Uint8Array(32).fill(9) })
    for (let i = 0; i < 3; i++) await stranger.publish({})
    objects.objects.set(manifestName(3), stranger.objects.objects.get(manifestName(3)) ?? KEY)
    await expect(follower.next()).rejects.toMatchObject({ code: 'MIRROR_UNSIGNED' })
  })
})

/** Publishing while a node runs: when it publishes, and what it does when the store does not answer. */
import { describe, expect, it } from 'vitest'
import { MIRROR_HEARTBEAT_MS } from '../../../../src/base/limits/limits.ts'
import type { Logger } from '../../../../src/base/ports/host.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import { mirrorUnavailable } from '../../../../src/mirror/errors.ts'
import { CountedObjects } from '../../../../src/mirror/publisher/countedObjects.ts'
import { Publishing, type PublishingProgress } from '../../../../src/mirror/publisher/publishing.ts'
import { FakeTime } from '../../../support/host/fakeTime.ts'
import { mirroredContent, PublishedChain, publishedContent } from '../../../support/mirror/publishedChain.ts'
import { FaultyObjects, openPublisher, restarted } from '../../../support/mirror/publisherRun.ts'

const INTERVAL_MS = 1000

async function start() {
  const objects = new FaultyObjects()
  const time = new FakeTime(1_800_000_000_000)
  const lines: string[] = []
  const log = (message: string): void => void lines.push(message)
  const logger: Logger = { ...silentLogger, info: log, warn: log, error: log }
  const hint: { changed?: () => void } = {}
  const chain = new PublishedChain({ onCommit: () => hint.changed?.() })
  const publisher = openPublisher(objects, time, chain)
  const progress: PublishingProgress[] = []
  const publishing = new Publishing({
    publisher,
    timers: time,
    clock: time,
    logger,
    intervalMs: INTERVAL_MS,
    onProgress: (step) => progress.push(step),
  })
  hint.changed = () => publishing.changed()
  publishing.start()
  const pass = async (ms: number): Promise<void> => {
    for (let rest = ms; rest >= 0; rest -= 50) {
      time.advance(Math.min(50, rest))
      await publishing.settled()
    }
  }
  await pass(0)
  return { objects, time, lines, progress, chain, publisher, publishing, pass }
}

describe('publishing', () => {
  it('joins the changes of an interval', async () => {
    const { chain, publisher, publishing, pass } = await start()
    for (let i = 0; i < 20; i++) {
      chain.grow()
      await pass(150)
    }
    expect(publisher.manifest?.number).toBeGreaterThanOrEqual(4)
    expect(publisher.manifest?.number).toBeLessThanOrEqual(6)
    await publishing.stop()
  })

  it('says that it is well when nothing changes', async () => {
    const { publisher, publishing, pass } = await start()
    await pass(MIRROR_HEARTBEAT_MS + 100)
    expect(publisher.manifest).toMatchObject({ number: 2, added: 0 })
    await publishing.stop()
  })

  it('tells what it has published, merged and failed to do', async () => {
    const { objects, progress, chain, publisher, publishing, pass } = await start()
    expect(progress.at(-1)).toMatchObject({ manifest: { number: 1 }, isPublishing: true, merges: 0, failures: 0 })
    for (let i = 0; i < 40; i++) {
      chain.grow()
      await pass(INTERVAL_MS)
    }
    expect(progress.at(-1)).toMatchObject({ manifest: { number: publisher.manifest?.number }, failures: 0 })
    expect(progress.at(-1)?.merges).toBeGreaterThan(0)
    objects.faultOf = () => 'refused'
    chain.grow()
    await pass(INTERVAL_MS)
    expect(progress.at(-1)?.failures).toBeGreaterThan(0)
    expect(progress.at(-1)?.lastFailure).toMatch(/the store is full/)
    objects.faultOf = () => 'none'
    await pass(5_000)
    expect(progress.at(-1)).toMatchObject({ lastFailure: undefined })
    await publishing.stop()
  })

  it('counts the objects that are written, but not those that exist already', async () => {
    const counted = new CountedObjects(new FaultyObjects())
    const bytes = Uint8Array.of(1, 2, 3)
    expect(await counted.create('segments/a', bytes)).toBe('created')
    expect(await counted.create('segments/a', bytes)).toBe('exists')
    await counted.put('latest', Uint8Array.of(1))
    expect(counted).toMatchObject({ writes: 2, writtenBytes: 4 })
  })

  it('waits for a store that is down, and then publishes everything at once', async () => {
    const { objects, lines, chain, publisher, publishing, pass } = await start()
    objects.faultOf = () => 'refused'
    for (let i = 0; i < 10; i++) {
      chain.grow()
      await pass(1000)
    }
    expect(publisher.manifest?.number).toBe(1)
    objects.faultOf = () => 'none'
    await pass(10_000)
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^publishing waits for the store of the mirror: manifests\/0{19}2 .* the store is full$/),
      'the store of the mirror answers again',
    ])
    expect(publisher.manifest?.number).toBeLessThanOrEqual(4)
    expect(await mirroredContent(objects)).toEqual(publishedContent(chain.disk))
    await publishing.stop()
  })

  it('waits as long as the store asks', async () => {
    const { objects, chain, publisher, publishing, pass } = await start()
    const create = objects.create.bind(objects)
    objects.create = async (name) => {
      throw mirrorUnavailable(name, 'too many requests', { retryAfterMs: 20_000 })
    }
    chain.grow()
    await pass(1500)
    objects.create = create
    await pass(15_000)
    expect(publisher.manifest?.number).toBe(1)
    await pass(7000)
    expect(publisher.manifest?.number).toBe(2)
    await publishing.stop()
  })

  it('ends in one line when another publisher has taken over', async () => {
    const { objects, time, lines, chain, pass } = await start()
    await openPublisher(objects, time, restarted(chain)).open()
    chain.grow()
    await pass(2000)
    expect(lines.at(-1)).toMatch(
      /^the mirror is no longer published: another publisher, which began at .*, has published/,
    )
    const count = lines.length
    chain.grow()
    await pass(5000)
    expect(lines).toHaveLength(count)
  })

  it('publishes the last changes when it stops', async () => {
    const { objects, chain, publishing } = await start()
    chain.grow(3)
    await publishing.stop()
    expect(await mirroredContent(objects)).toEqual(publishedContent(chain.disk))
  })
})

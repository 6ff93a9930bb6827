/** Publishers on a store that fails: whatever happens, the mirror is whole in the end. */
import process from 'node:process'
import { expect, it } from 'vitest'
import { FakeTime } from '../../../support/host/fakeTime.ts'
import { PublishedChain } from '../../../support/mirror/publishedChain.ts'
import {
  expectIntact,
  FaultyObjects,
  Killed,
  openPublisher,
  PublisherRun,
  restarted,
} from '../../../support/mirror/publisherRun.ts'

const SEEDS = Number(process.env['ISONODE_LONG_COUNT'] ?? 6)
const KILLS = ['killed before', 'killed after'] as const
/** For some writes of a short run, the program is killed before the write, for the others after it. */
const killsAt = (step: number) => (SEEDS > 100 ? KILLS : [KILLS[step % 2] as (typeof KILLS)[number]])

it(`survives what ${SEEDS} stores do to it`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    try {
      await new PublisherRun(seed).run()
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error })
    }
  }
}, 3_600_000)

it('continues after it was killed at any step of a push', async () => {
  const steps = await push(Number.POSITIVE_INFINITY, 'killed before')
  expect(steps).toBeGreaterThan(8)
  for (let step = 1; step <= steps; step++) {
    for (const kill of killsAt(step)) await push(step, kill)
  }
}, 60_000)

/** Publishes a chain, merges, publishes more. @returns number of writes */
async function push(killedAt: number, fault: (typeof KILLS)[number]): Promise<number> {
  const objects = new FaultyObjects()
  const clock = new FakeTime(1_800_000_000_000)
  objects.faultOf = () => (objects.writes === killedAt ? fault : 'none')
  let chain = new PublishedChain()
  chain.grow(5)
  let publisher = openPublisher(objects, clock, chain)
  let isOpen = false
  const once = async (): Promise<void> => {
    if (!isOpen) await publisher.open()
    isOpen = true
    await publisher.publishChanges()
    if (publisher.needsMerge) await publisher.merge()
    clock.advance(3000)
    await publisher.tidy()
  }
  for (let block = 0; block < 18 || !isOpen; block++) {
    chain.grow()
    try {
      await once()
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      chain = restarted(chain)
      publisher = openPublisher(objects, clock, chain)
      isOpen = false
    }
  }
  await expectIntact(objects, chain)
  return objects.writes
}

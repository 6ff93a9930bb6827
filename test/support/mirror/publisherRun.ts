/**
 * Publishers of one chain on a store that fails in every way that a service can, on virtual time. A run depends on its seed
 * only.
 * @module
 */
import { expect } from 'vitest'
import type { Creation } from '../../../src/base/ports/objectStore.ts'
import { isNodeError } from '../../../src/base/primitives/errors.ts'
import { mirrorUnavailable } from '../../../src/mirror/errors.ts'
import { Publisher } from '../../../src/mirror/publisher/publisher.ts'
import { verifyMirror } from '../../../src/mirror/verify.ts'
import { FakeTime } from '../host/fakeTime.ts'
import { Random } from '../host/random.ts'
import { MemoryObjects } from './memoryObjects.ts'
import { MIRROR_SIGNER, mirroredContent, PublishedChain, publishedContent } from './publishedChain.ts'

/** The program was killed. */
export class Killed extends Error {}

type Write = 'create' | 'put' | 'delete'
/** A fault at a write: before it, or after it had its effect. */
export type WriteFault = 'none' | 'refused' | 'lost answer' | 'killed before' | 'killed after'

/** A store whose writes fail as the test says. */
export class FaultyObjects extends MemoryObjects {
  writes = 0
  faultOf: (operation: Write, name: string) => WriteFault = () => 'none'

  constructor() {
    super()
    this.delay = () => 0
  }

  override create(name: string, bytes: Uint8Array): Promise<Creation> {
    return this.#write('create', name, () => super.create(name, bytes))
  }

  override put(name: string, bytes: Uint8Array): Promise<void> {
    return this.#write('put', name, () => super.put(name, bytes))
  }

  override delete(name: string): Promise<void> {
    return this.#write('delete', name, () => super.delete(name))
  }

  async #write<T>(operation: Write, name: string, write: () => Promise<T>): Promise<T> {
    this.writes++
    const fault = this.faultOf(operation, name)
    if (fault === 'killed before') throw new Killed()
    if (fault === 'refused') throw mirrorUnavailable(name, 'the store is full')
    const result = await write()
    if (fault === 'killed after') throw new Killed()
    if (fault === 'lost answer') throw mirrorUnavailable(name, 'the answer was lost')
    return result
  }
}

export const RUN_GRACE_MS = 30_000

export function openPublisher(objects: MemoryObjects, clock: FakeTime, database: PublishedChain): Publisher {
  return new Publisher({
    objects,
    clock,
    database,
    signer: MIRROR_SIGNER,
    graceMs: RUN_GRACE_MS,
    yieldToHost: async () => {},
  })
}

/** The database after the program was killed. */
export function restarted(chain: PublishedChain): PublishedChain {
  return new PublishedChain({ disk: chain.disk.copy() }).at(chain.height)
}

/** @throws {AssertionError} when the mirror differs from the database, or has a problem */
export async function expectIntact(objects: MemoryObjects, { disk }: PublishedChain): Promise<void> {
  expect(await mirroredContent(objects)).toEqual(publishedContent(disk))
  const problems: string[] = []
  for await (const _ of verifyMirror(
    objects,
    { publisher: MIRROR_SIGNER.address, graceMs: RUN_GRACE_MS },
    (object, problem) => problems.push(`${object}: ${problem}`),
  )) {
    // Only the problems count.
  }
  expect(problems).toEqual([])
}

const STEPS = 60
/** Chances of the steps, out of 100. */
const FAULTS: readonly WriteFault[] = ['refused', 'lost answer', 'killed before', 'killed after']

/** One publisher at a time, though an older one may not know that it was replaced. */
export class PublisherRun {
  readonly #random: Random
  readonly #objects = new FaultyObjects()
  readonly #clock = new FakeTime(1_800_000_000_000)
  #chain = new PublishedChain()
  #publisher: Publisher
  #isOpen = false
  #old: { readonly publisher: Publisher; readonly chain: PublishedChain } | undefined

  constructor(seed: number) {
    this.#random = new Random(seed)
    this.#chain.grow(1 + this.#random.below(30))
    this.#publisher = this.#newPublisher()
  }

  async run(): Promise<void> {
    const random = this.#random
    this.#objects.faultOf = () => (random.chance(8) ? random.pick(FAULTS) : 'none')
    for (let i = 0; i < STEPS; i++) await this.#step()
    this.#objects.faultOf = () => 'none'
    this.#chain.grow()
    await this.#publish()
    await this.#publisher.tidy()
    await this.#replaced()
    await expectIntact(this.#objects, this.#chain)
  }

  async #step(): Promise<void> {
    const random = this.#random
    this.#clock.advance(random.below(5000))
    if (random.chance(60)) this.#chain.grow(1 + random.below(3))
    if (random.chance(10) && this.#chain.height > 10) this.#chain.shrink(1 + random.below(3))
    if (random.chance(4)) this.#clock.advance(2 * RUN_GRACE_MS)
    if (random.chance(5)) this.#takeOver()
    if (random.chance(20)) await this.#replaced()
    await this.#surviving(() => this.#publish())
    if (this.#isOpen && this.#publisher.needsMerge) await this.#surviving(() => this.#publisher.merge())
    if (this.#isOpen) await this.#surviving(() => this.#publisher.tidy())
  }

  async #publish(): Promise<void> {
    if (this.#isOpen) await this.#publisher.publishChanges()
    else await this.#publisher.open()
    this.#isOpen = true
  }

  /** Another program continues from a copy of the database, and this one does not notice. */
  #takeOver(): void {
    if (this.#isOpen) this.#old = { publisher: this.#publisher, chain: this.#chain }
    this.#restart()
  }

  #restart(): void {
    this.#chain = restarted(this.#chain)
    this.#publisher = this.#newPublisher()
    this.#isOpen = false
  }

  #newPublisher(): Publisher {
    return openPublisher(this.#objects, this.#clock, this.#chain)
  }

  /** A publisher that was replaced may not publish. */
  async #replaced(): Promise<void> {
    const old = this.#old
    if (old === undefined || !this.#isOpen) return
    this.#old = undefined
    old.chain.grow()
    try {
      await old.publisher.publishChanges()
    } catch (error) {
      if (error instanceof Killed || isNodeError(error, 'MIRROR_UNAVAILABLE')) return
      expect(error).toMatchObject({ code: 'MIRROR_FENCED' })
      return
    }
    throw new Error('a publisher that was replaced has published')
  }

  async #surviving(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (error instanceof Killed) this.#restart()
      else if (!isNodeError(error, 'MIRROR_UNAVAILABLE')) throw error
    }
  }
}

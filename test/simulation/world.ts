/**
 * Virtual time for everything in one process. Events run one at a time, ordered by their time and then by when they were
 * scheduled; all randomness comes from the seed. So a seed replays a run exactly, and the trace hash proves it.
 * @module
 */
import type { Clock } from '../../src/ports/host.ts'
import type { Timer, Timers } from '../../src/ports/timers.ts'
import type { YieldToHost } from '../../src/ports/yieldToHost.ts'
import { BinaryHeap } from '../../src/primitives/binaryHeap.ts'
import { SeededRandom } from './seededRandom.ts'

interface Event {
  readonly at: number
  readonly sequence: number
  readonly label: string
  readonly run: () => void
  isCancelled: boolean
}

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193
/** A run that goes on for longer has lost its way. */
const MAX_EVENTS = 1_000_000

export class SimulatedWorld {
  readonly random: SeededRandom
  readonly #queue = new BinaryHeap<Event>((a, b) => (a.at === b.at ? a.sequence < b.sequence : a.at < b.at))
  #now = 0
  #sequence = 0
  #events = 0
  #hash = FNV_OFFSET

  constructor(seed: number) {
    this.random = new SeededRandom(seed)
  }

  /** Milliseconds since the start of the world, in whole microseconds. */
  get now(): number {
    return this.#now
  }

  /** Events that have run. */
  get events(): number {
    return this.#events
  }

  /** Hash of all that has happened, in order. */
  get trace(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0')
  }

  /** Adds something that happened to the trace. */
  note(text: string): void {
    let hash = this.#hash
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME)
    this.#hash = hash
  }

  schedule(delayMs: number, label: string, run: () => void): Timer {
    const at = Math.round((this.#now + Math.max(delayMs, 0)) * 1000) / 1000
    const event: Event = { at, sequence: this.#sequence++, label, run, isCancelled: false }
    this.#queue.push(event)
    return {
      cancel: () => {
        event.isCancelled = true
      },
    }
  }

  /** Lets virtual time pass, with all events that it brings. */
  async pass(ms: number): Promise<void> {
    let isOver = false
    this.schedule(ms, 'pass', () => {
      isOver = true
    })
    await this.run(() => isOver, Number.POSITIVE_INFINITY)
  }

  /**
   * Runs events until the condition holds, which is looked at after each one.
   * @returns whether it came to that; false: the time is over or nothing is left to do
   */
  async run(until: () => boolean, maxMs: number): Promise<boolean> {
    await drained()
    for (;;) {
      if (until()) return true
      const event = this.#queue.peek()
      if (event === undefined || event.at > maxMs) return false
      this.#queue.pop()
      if (event.isCancelled) continue
      if (++this.#events > MAX_EVENTS) throw new Error('the simulation does not come to an end')
      this.#now = event.at
      this.note(`${event.at} ${event.label};`)
      event.run()
      await drained()
    }
  }
}

/**
 * Resolves when all promises that can go on have gone on: the microtasks of an event are over before the next turn of
 * the event loop. Nothing in a simulation waits for the real world.
 */
function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/**
 * One run of a simulated computer, from its boot to its crash. After the crash none of its callbacks runs and none of its
 * promises resolves, as if its memory were gone.
 */
export class Life {
  readonly world: SimulatedWorld
  readonly name: string
  readonly clock: Clock
  readonly timers: Timers
  readonly yieldToHost: YieldToHost
  #isAlive = true

  /** @param startMs wall clock at the start of the world, milliseconds since 1970 */
  constructor(world: SimulatedWorld, name: string, startMs: number) {
    this.world = world
    this.name = name
    this.clock = { now: () => startMs + world.now, monotonic: () => world.now }
    this.timers = { schedule: (delayMs, callback) => this.schedule(delayMs, 'timer', callback) }
    this.yieldToHost = () => new Promise((resolve) => this.schedule(0, 'yield', resolve))
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  end(): void {
    this.#isAlive = false
  }

  schedule(delayMs: number, label: string, run: () => void): Timer {
    return this.world.schedule(delayMs, `${this.name} ${label}`, () => {
      if (this.#isAlive) run()
    })
  }
}

/**
 * Virtual time for everything in one process. Events run one at a time, ordered by due time, then by scheduling order;
 * all randomness is derived from the seed. A seed therefore reproduces a run exactly, as the trace hash verifies.
 * @module
 */
// Loaded in real time: virtual time would not wait for what a node imports on request.
import '../support/nodes/nodeModules.ts'
import '../../src/node/network/nodeNetwork.ts'
import '../../src/node/producers.ts'
import type { Clock } from '../../src/base/ports/host.ts'
import type { Timer, Timers } from '../../src/base/ports/timers.ts'
import type { YieldToHost } from '../../src/base/ports/yieldToHost.ts'
import { BinaryHeap } from '../../src/base/primitives/binaryHeap.ts'
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
/** A longer run is considered to loop endlessly. */
const MAX_EVENTS = 1_000_000

export class SimulatedWorld {
  readonly random: SeededRandom
  readonly #queue = new BinaryHeap<Event>((a, b) => (a.at === b.at ? a.sequence < b.sequence : a.at < b.at))
  #now = 0
  #sequence = 0
  #events = 0
  #hash = FNV_OFFSET
  readonly #maxEvents: number

  constructor(seed: number, maxEvents: number = MAX_EVENTS) {
    this.random = new SeededRandom(seed)
    this.#maxEvents = maxEvents
  }

  /** Milliseconds since the start of the world, a multiple of one microsecond. */
  get now(): number {
    return this.#now
  }

  /** Number of events executed. */
  get events(): number {
    return this.#events
  }

  /** Hash of all events, in order. */
  get trace(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0')
  }

  /** Adds an occurrence to the trace. */
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

  /** Advances virtual time, running all events that fall due. */
  async pass(ms: number): Promise<void> {
    let isOver = false
    this.schedule(ms, 'pass', () => {
      isOver = true
    })
    await this.run(() => isOver, Number.POSITIVE_INFINITY)
  }

  /**
   * Runs events until the condition, which is checked after each one, holds.
   * @returns whether it holds; false: the time has elapsed or no event is left
   */
  async run(until: () => boolean, maxMs: number): Promise<boolean> {
    await drained()
    for (;;) {
      if (until()) return true
      const event = this.#queue.peek()
      if (event === undefined || event.at > maxMs) return false
      this.#queue.pop()
      if (event.isCancelled) continue
      if (++this.#events > this.#maxEvents) throw new Error('the simulation does not come to an end')
      this.#now = event.at
      this.note(`${event.at} ${event.label};`)
      event.run()
      await drained()
    }
  }
}

/**
 * Resolves when all promises that can make progress have done so: the microtasks of an event are complete before the
 * next turn of the event loop. Nothing in a simulation waits for the real world.
 */
function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/**
 * One life of a simulated computer, from boot to crash. After the crash, none of its callbacks runs and none of its
 * promises resolves, as if its memory were lost.
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

/**
 * Virtual time without promises, for thousands of runs a minute, and a network with loss, delay, duplication and
 * partitions.
 * @module
 */
import { BinaryHeap } from '../../../src/base/primitives/binaryHeap.ts'
import { SeededRandom } from '../seededRandom.ts'

interface Event {
  readonly at: number
  readonly sequence: number
  readonly run: () => void
}

export interface AbstractQuality {
  readonly loss: number
  readonly duplication: number
  readonly maxLatencyMs: number
}

interface Transmission {
  /** In addition to the latency. */
  readonly delayMs?: number
  readonly isSwift?: boolean
}

const SWIFT_MS = 1

export class AbstractWorld {
  readonly random: SeededRandom
  readonly #queue = new BinaryHeap<Event>((a, b) => (a.at === b.at ? a.sequence < b.sequence : a.at < b.at))
  #sequence = 0
  now = 0
  events = 0
  /** Faults of the network until it heals. */
  quality: AbstractQuality
  /** By node; undefined: all reach each other. */
  groups: readonly number[] | undefined

  constructor(seed: number, quality: AbstractQuality) {
    this.random = new SeededRandom(seed)
    this.quality = quality
  }

  schedule(delayMs: number, run: () => void): void {
    this.#queue.push({ at: this.now + Math.max(delayMs, 0), sequence: this.#sequence++, run })
  }

  /** @returns whether the condition came true before `maxMs` */
  run(until: () => boolean, maxMs: number): boolean {
    while (!until()) {
      const event = this.#queue.peek()
      if (event === undefined || event.at > maxMs) return false
      this.#queue.pop()
      this.now = event.at
      this.events++
      event.run()
    }
    return true
  }

  /** Delivers something from one node to another, or not, or twice. */
  transmit(from: number, to: number, deliver: () => void, { delayMs = 0, isSwift = false }: Transmission = {}): void {
    const { random, quality } = this
    if (random.chance(quality.loss)) return
    const copies = random.chance(quality.duplication) ? 2 : 1
    for (let i = 0; i < copies; i++)
      this.schedule(delayMs + (isSwift ? SWIFT_MS : random.between(1, quality.maxLatencyMs)), () => {
        if (this.groups === undefined || this.groups[from] === this.groups[to]) deliver()
      })
  }
}

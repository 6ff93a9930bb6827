import { EVENT_LOOP_SAMPLE_MS } from '../base/limits/limits.ts'
import type { Clock } from '../base/ports/host.ts'
import { DURATION_BUCKETS, type Metrics } from '../base/ports/metrics.ts'
import type { Timer, Timers } from '../base/ports/timers.ts'
import type { Lifecycle } from './lifecycle.ts'

/** Measures how late timers run: the time for which other work occupied the event loop. */
export class EventLoopDelay implements Lifecycle {
  readonly name = 'event loop delay'
  readonly #clock: Clock
  readonly #timers: Timers
  readonly #observe: (seconds: number) => void
  #timer: Timer | undefined

  constructor(metrics: Metrics, { clock, timers }: { readonly clock: Clock; readonly timers: Timers }) {
    this.#clock = clock
    this.#timers = timers
    const delays = metrics.histogram({
      category: 'PROCESS',
      name: 'event_loop_delay_seconds',
      help: 'Delay of timers.',
      buckets: DURATION_BUCKETS,
    })
    this.#observe = (seconds) => delays.observe(seconds)
  }

  start(): void {
    const dueMs = this.#clock.monotonic() + EVENT_LOOP_SAMPLE_MS
    this.#timer = this.#timers.schedule(EVENT_LOOP_SAMPLE_MS, () => {
      this.#observe(Math.max(0, this.#clock.monotonic() - dueMs) / 1000)
      this.start()
    })
  }

  stop(): void {
    this.#timer?.cancel()
  }
}

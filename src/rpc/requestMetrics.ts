import type { Clock } from '../ports/host.ts'
import { type Counter, DURATION_BUCKETS, type Histogram, type Metrics } from '../ports/metrics.ts'
import { isPromise } from './invoke.ts'
import type { MethodDefinition } from './method.ts'
import type { Reply } from './reply.ts'

/** Durations of requests in seconds; most answers take less than a tenth of a millisecond. */
const REQUEST_BUCKETS: readonly number[] = [0.00005, 0.0001, 0.00025, ...DURATION_BUCKETS]

interface MethodSeries {
  readonly requests: Counter
  readonly seconds: Histogram
}

/** Counts the requests of one endpoint, their errors and their duration, by method. */
export class RequestMetrics {
  readonly #metrics: Metrics
  readonly #clock: Clock
  readonly #series: ReadonlyMap<MethodDefinition, MethodSeries>

  /** @param transport label of the counters; the durations of all transports are one series per method */
  constructor(metrics: Metrics, clock: Clock, definitions: Iterable<MethodDefinition>, transport: string) {
    this.#metrics = metrics
    this.#clock = clock
    this.#series = new Map([...new Set(definitions)].map((it) => [it, seriesOf(metrics, it.name, transport)]))
  }

  /** @returns the time of the start, for {@link ended} */
  started(definition: MethodDefinition): number {
    this.#series.get(definition)?.requests.add()
    return this.#clock.monotonic()
  }

  /** Measures a request up to its answer, which is returned unchanged; a streamed answer up to its beginning. */
  ended(definition: MethodDefinition, startedMs: number, reply: Reply | Promise<Reply>): Reply | Promise<Reply> {
    if (isPromise(reply)) void reply.then((settled) => this.#measure(definition, startedMs, settled))
    else this.#measure(definition, startedMs, reply)
    return reply
  }

  #measure(definition: MethodDefinition, startedMs: number, { error }: Reply): void {
    this.#series.get(definition)?.seconds.observe((this.#clock.monotonic() - startedMs) / 1000)
    if (error === undefined) return
    this.#metrics
      .counter(
        { category: 'RPC', name: 'errors_total', help: 'Requests that were answered with an error.' },
        { methodName: definition.name, code: String(error.code) },
      )
      .add()
  }
}

function seriesOf(metrics: Metrics, methodName: string, transport: string): MethodSeries {
  return {
    requests: metrics.counter(
      { category: 'RPC', name: 'requests_total', help: 'Requests that were executed.' },
      { methodName, transport },
    ),
    seconds: metrics.histogram(
      { category: 'RPC', name: 'request_time', help: 'Time to answer a request, seconds.', buckets: REQUEST_BUCKETS },
      { methodName },
    ),
  }
}

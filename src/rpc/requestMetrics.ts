import { type Counter, DURATION_BUCKETS, type Histogram, type Metrics } from '../base/ports/metrics.ts'
import type { RpcError } from './errors.ts'

/** Durations of requests in seconds; most answers take less than a tenth of a millisecond. */
const REQUEST_BUCKETS: readonly number[] = [0.00005, 0.0001, 0.00025, ...DURATION_BUCKETS]

/** A method, or an interface that counts as one. */
interface Measured {
  readonly name: string
}

interface MethodSeries {
  readonly requests: Counter
  /** Created with the first request: most methods are never called, and a histogram has many lines. */
  seconds: Histogram | undefined
}

/** Counts the requests of one endpoint, their errors and their duration, by method. */
export class RequestMetrics {
  readonly #metrics: Metrics
  readonly #series: ReadonlyMap<Measured, MethodSeries>

  /** @param transport label of the counters; the durations of all transports are one series per method */
  constructor(metrics: Metrics, definitions: Iterable<Measured>, transport: string) {
    this.#metrics = metrics
    const requests = (methodName: string): Counter =>
      metrics.counter(
        { category: 'RPC', name: 'requests_total', help: 'Requests that were executed.' },
        { methodName, transport },
      )
    this.#series = new Map(
      [...new Set(definitions)].map((it) => [it, { requests: requests(it.name), seconds: undefined }]),
    )
  }

  started(definition: Measured): void {
    this.#series.get(definition)?.requests.add()
  }

  /** @param durationMs up to the answer; of a streamed one, up to its beginning */
  ended(definition: Measured, durationMs: number, error: RpcError | undefined): void {
    const series = this.#series.get(definition)
    if (series === undefined) return
    series.seconds ??= this.#secondsOf(definition.name)
    series.seconds.observe(durationMs / 1000)
    if (error !== undefined) this.#countError(definition.name, error)
  }

  #secondsOf(methodName: string): Histogram {
    return this.#metrics.histogram(
      { category: 'RPC', name: 'request_time', help: 'Time to answer a request, seconds.', buckets: REQUEST_BUCKETS },
      { methodName },
    )
  }

  #countError(methodName: string, { code }: RpcError): void {
    const options = {
      category: 'RPC',
      name: 'errors_total',
      help: 'Requests that were answered with an error.',
    } as const
    this.#metrics.counter(options, { methodName, code: String(code) }).add()
  }
}

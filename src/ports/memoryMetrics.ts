import { MAX_METRIC_SERIES } from '../config/limits.ts'
import { NodeError } from '../primitives/errors.ts'
import type { Counter, Gauge, Histogram, HistogramOptions, MetricLabels, MetricOptions, Metrics } from './metrics.ts'
import { noMetrics } from './metrics.ts'

interface SeriesBase {
  readonly name: string
  readonly help: string
  readonly labels: MetricLabels
}

/** The current measurements of a series. */
export type MetricSeries =
  | (SeriesBase & { readonly kind: 'counter' | 'gauge'; readonly value: number })
  | (SeriesBase & {
      readonly kind: 'histogram'
      readonly count: number
      readonly sum: number
      /** Number of values up to each upper bound, not cumulative; the last entry counts values above all bounds. */
      readonly counts: readonly number[]
      readonly buckets: readonly number[]
    })

class ValueSeries implements Counter, Gauge {
  readonly kind: 'counter' | 'gauge'
  readonly name: string
  readonly help: string
  readonly labels: MetricLabels
  value = 0

  constructor(kind: 'counter' | 'gauge', { name, help }: MetricOptions, labels: MetricLabels) {
    this.kind = kind
    this.name = name
    this.help = help
    this.labels = labels
  }

  add(amount = 1): void {
    this.value += amount
  }

  set(value: number): void {
    this.value = value
  }
}

class HistogramSeries implements Histogram {
  readonly kind = 'histogram'
  readonly name: string
  readonly help: string
  readonly labels: MetricLabels
  readonly buckets: readonly number[]
  readonly counts: number[]
  count = 0
  sum = 0

  constructor({ name, help, buckets }: HistogramOptions, labels: MetricLabels) {
    this.name = name
    this.help = help
    this.labels = labels
    this.buckets = buckets
    this.counts = new Array<number>(buckets.length + 1).fill(0)
  }

  observe(value: number): void {
    const found = this.buckets.findIndex((bound) => value <= bound)
    const bucket = found < 0 ? this.buckets.length : found
    this.counts[bucket] = (this.counts[bucket] as number) + 1
    this.count++
    this.sum += value
  }
}

/** Keeps all series in memory. Beyond MAX_METRIC_SERIES further series are not recorded. */
export class MemoryMetrics implements Metrics {
  readonly #series = new Map<string, ValueSeries | HistogramSeries>()
  readonly #maxSeries: number
  #refused = 0

  constructor(maxSeries: number = MAX_METRIC_SERIES) {
    this.#maxSeries = maxSeries
  }

  /** In the order of their creation. */
  get series(): readonly MetricSeries[] {
    return [...this.#series.values()]
  }

  /** Number of series refused for lack of capacity. */
  get refused(): number {
    return this.#refused
  }

  counter(options: MetricOptions, labels: MetricLabels = {}): Counter {
    return this.#value('counter', options, labels)
  }

  gauge(options: MetricOptions, labels: MetricLabels = {}): Gauge {
    return this.#value('gauge', options, labels)
  }

  /** @throws {NodeError} METRIC_KIND when the name belongs to another kind */
  histogram(options: HistogramOptions, labels: MetricLabels = {}): Histogram {
    const key = keyOf(options, labels)
    const known = this.#series.get(key)
    if (known instanceof HistogramSeries) return known
    if (known !== undefined) throw otherKind(options.name, known.kind)
    return this.#added(key, new HistogramSeries(options, labels)) ?? noMetrics.histogram(options)
  }

  #value(kind: 'counter' | 'gauge', options: MetricOptions, labels: MetricLabels): ValueSeries | (Counter & Gauge) {
    const key = keyOf(options, labels)
    const known = this.#series.get(key)
    if (known !== undefined) {
      if (known instanceof HistogramSeries || known.kind !== kind) throw otherKind(options.name, known.kind)
      return known
    }
    return this.#added(key, new ValueSeries(kind, options, labels)) ?? { add: () => {}, set: () => {} }
  }

  #added<T extends ValueSeries | HistogramSeries>(key: string, series: T): T | undefined {
    if (this.#series.size >= this.#maxSeries) {
      this.#refused++
      return undefined
    }
    this.#series.set(key, series)
    return series
  }
}

function keyOf({ name }: MetricOptions, labels: MetricLabels): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([name, ...sorted])
}

function otherKind(name: string, kind: string): NodeError {
  return new NodeError({ code: 'METRIC_KIND' }, `the metric ${name} is a ${kind}`)
}

import { MAX_METRIC_SERIES } from '../limits/limits.ts'
import { NodeError } from '../primitives/errors.ts'
import type { Unsubscribe } from '../primitives/events.ts'
import type {
  Counter,
  Gauge,
  Histogram,
  HistogramOptions,
  MetricCategory,
  MetricLabels,
  MetricOptions,
  MetricSeries,
  MetricsRegistry,
} from './metrics.ts'
import { noMetrics } from './metrics.ts'

class ValueSeries implements Counter, Gauge {
  readonly kind: 'counter' | 'gauge'
  readonly category: MetricCategory
  readonly name: string
  readonly help: string
  readonly labels: MetricLabels
  value = 0

  constructor(kind: 'counter' | 'gauge', { category, name, help }: MetricOptions, labels: MetricLabels) {
    this.kind = kind
    this.category = category
    this.name = name
    this.help = help
    this.labels = labels
  }

  add(amount = 1): void {
    this.value += amount
  }

  raiseTo(total: number): void {
    if (total > this.value) this.value = total
  }

  set(value: number): void {
    this.value = value
  }
}

class HistogramSeries implements Histogram {
  readonly kind = 'histogram'
  readonly category: MetricCategory
  readonly name: string
  readonly help: string
  readonly labels: MetricLabels
  readonly buckets: readonly number[]
  readonly counts: number[]
  count = 0
  sum = 0

  constructor({ category, name, help, buckets }: HistogramOptions, labels: MetricLabels) {
    this.category = category
    this.name = name
    this.help = help
    this.labels = labels
    this.buckets = buckets
    this.counts = new Array<number>(buckets.length + 1).fill(0)
  }

  observe(value: number): void {
    const bucketIndex = this.buckets.findIndex((bound) => value <= bound)
    const bucket = bucketIndex < 0 ? this.buckets.length : bucketIndex
    this.counts[bucket] = (this.counts[bucket] as number) + 1
    this.count++
    this.sum += value
  }
}

export interface MemoryMetricsOptions {
  /** Enabled categories; default: all. */
  readonly categories?: ReadonlySet<MetricCategory>
  readonly maxSeries?: number
}

/** Keeps all series in memory. Beyond MAX_METRIC_SERIES further series are not recorded. */
export class MemoryMetrics implements MetricsRegistry {
  readonly #series = new Map<string, ValueSeries | HistogramSeries>()
  readonly #updates = new Set<() => void>()
  readonly #categories: ReadonlySet<MetricCategory> | undefined
  readonly #maxSeries: number
  #refused = 0

  constructor({ categories, maxSeries = MAX_METRIC_SERIES }: MemoryMetricsOptions = {}) {
    this.#categories = categories
    this.#maxSeries = maxSeries
  }

  get series(): readonly MetricSeries[] {
    for (const update of this.#updates) update()
    return [...this.#series.values()]
  }

  /** Number of series refused for lack of capacity. */
  get refused(): number {
    return this.#refused
  }

  onRead(update: () => void): Unsubscribe {
    this.#updates.add(update)
    return () => void this.#updates.delete(update)
  }

  counter(options: MetricOptions, labels: MetricLabels = {}): Counter {
    return this.#value('counter', options, labels)
  }

  gauge(options: MetricOptions, labels: MetricLabels = {}): Gauge {
    return this.#value('gauge', options, labels)
  }

  /** @throws {NodeError} METRIC_KIND when the name belongs to another kind */
  histogram(options: HistogramOptions, labels: MetricLabels = {}): Histogram {
    if (this.#isOff(options)) return noMetrics.histogram(options)
    const key = keyOf(options, labels)
    const series = this.#series.get(key)
    if (series instanceof HistogramSeries) return series
    if (series !== undefined) throw otherKind(options.name, series.kind)
    return this.#added(key, new HistogramSeries(options, labels)) ?? noMetrics.histogram(options)
  }

  #value(kind: 'counter' | 'gauge', options: MetricOptions, labels: MetricLabels): ValueSeries | (Counter & Gauge) {
    if (this.#isOff(options)) return NO_VALUE
    const key = keyOf(options, labels)
    const series = this.#series.get(key)
    if (series !== undefined) {
      if (series instanceof HistogramSeries || series.kind !== kind) throw otherKind(options.name, series.kind)
      return series
    }
    return this.#added(key, new ValueSeries(kind, options, labels)) ?? NO_VALUE
  }

  #isOff({ category }: MetricOptions): boolean {
    return this.#categories !== undefined && !this.#categories.has(category)
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

const NO_VALUE: Counter & Gauge = { add: () => {}, raiseTo: () => {}, set: () => {} }

function keyOf({ category, name }: MetricOptions, labels: MetricLabels): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([category, name, ...sorted])
}

function otherKind(name: string, kind: string): NodeError {
  return new NodeError({ code: 'METRIC_KIND' }, `the metric ${name} is a ${kind}`)
}

/**
 * The metrics of a node with the sums of the processes that answer its clients.
 * @module
 */
import type { MetricSeries, MetricsRegistry } from '../../../src/base/ports/metrics.ts'

/** A process and its newest metrics. */
interface Source {
  readonly metrics: readonly MetricSeries[]
}

type HistogramSeries = Extract<MetricSeries, { kind: 'histogram' }>

export class WorkerMetrics implements MetricsRegistry {
  readonly #own: MetricsRegistry
  readonly #sources = new Map<number, Source>()
  /** Sums of the processes that have ended: a counter never goes back. */
  #past: readonly MetricSeries[] = []
  readonly onRead: MetricsRegistry['onRead']
  readonly counter: MetricsRegistry['counter']
  readonly gauge: MetricsRegistry['gauge']
  readonly histogram: MetricsRegistry['histogram']

  constructor(own: MetricsRegistry) {
    this.#own = own
    this.onRead = (update) => own.onRead(update)
    this.counter = (options, labels) => own.counter(options, labels)
    this.gauge = (options, labels) => own.gauge(options, labels)
    this.histogram = (options, labels) => own.histogram(options, labels)
  }

  get series(): readonly MetricSeries[] {
    return sum([this.#own.series, this.#past, ...[...this.#sources.values()].map(({ metrics }) => metrics)])
  }

  follow(slot: number, source: Source): void {
    this.#sources.set(slot, source)
  }

  ended(slot: number): void {
    const last = this.#sources.get(slot)?.metrics ?? []
    this.#sources.delete(slot)
    this.#past = sum([this.#past, last.filter(({ kind }) => kind !== 'gauge')])
  }
}

function sum(parts: readonly (readonly MetricSeries[])[]): readonly MetricSeries[] {
  const sums = new Map<string, MetricSeries>()
  for (const series of parts.flat()) {
    const key = JSON.stringify([series.category, series.name, Object.entries(series.labels).sort()])
    const before = sums.get(key)
    sums.set(key, before === undefined ? series : added(before, series))
  }
  return [...sums.values()]
}

function added(a: MetricSeries, b: MetricSeries): MetricSeries {
  if (a.kind === 'histogram') return b.kind === 'histogram' ? addedHistogram(a, b) : a
  return b.kind === 'histogram' ? a : { ...withoutValue(a), value: a.value + b.value }
}

function withoutValue({ kind, category, name, help, labels }: Exclude<MetricSeries, HistogramSeries>) {
  return { kind, category, name, help, labels }
}

function addedHistogram(a: HistogramSeries, b: HistogramSeries): HistogramSeries {
  const { kind, category, name, help, labels, buckets } = a
  const counts = a.counts.map((count, i) => count + (b.counts[i] ?? 0))
  return { kind, category, name, help, labels, buckets, counts, count: a.count + b.count, sum: a.sum + b.sum }
}

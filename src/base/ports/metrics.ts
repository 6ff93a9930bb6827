/**
 * Metrics of a running node. A part obtains its series once, when it is built, so that a measurement is a call without
 * a lookup.
 * @module
 */
import type { Unsubscribe } from '../primitives/events.ts'

/**
 * Categories of `--metrics-category`. Each can be switched off; its series then record nothing. All but the last three
 * are Besu's.
 */
export const METRIC_CATEGORIES = [
  'BLOCKCHAIN',
  'ETHEREUM',
  'EXECUTORS',
  'JVM',
  'NETWORK',
  'PEERS',
  'PERMISSIONING',
  'PROCESS',
  'PRUNER',
  'RPC',
  'STRATUM',
  'SYNCHRONIZER',
  'TRANSACTION_POOL',
  'EVM',
  'PLUGINS',
  'STORE',
] as const

export type MetricCategory = (typeof METRIC_CATEGORIES)[number]

/** Never decreases. */
export interface Counter {
  /** @param amount not negative; default 1 */
  add(amount?: number): void
  /** Raises the counter to a total that is counted elsewhere. */
  raiseTo(total: number): void
}

/** The current value of something. */
export interface Gauge {
  set(value: number): void
}

/** The distribution of values, such as durations in seconds. */
export interface Histogram {
  observe(value: number): void
}

/** Values of low cardinality: a method's name, never an address or a hash. */
export type MetricLabels = Readonly<Record<string, string>>

export interface MetricOptions {
  readonly category: MetricCategory
  /** Without the category, in lower case with underscores, and the unit at the end: `commit_seconds`. */
  readonly name: string
  /** One line. */
  readonly help: string
}

export interface HistogramOptions extends MetricOptions {
  /** Upper bounds, ascending; values above the last one are counted too. */
  readonly buckets: readonly number[]
}

/**
 * Equal category, name and labels return the same series. A name belongs to one kind and, for histograms, one list of
 * buckets.
 */
export interface Metrics {
  counter(options: MetricOptions, labels?: MetricLabels): Counter
  gauge(options: MetricOptions, labels?: MetricLabels): Gauge
  histogram(options: HistogramOptions, labels?: MetricLabels): Histogram
  /**
   * Registers a function that updates series just before they are read: values that are known at any time cost nothing
   * in between.
   * @returns removes the function
   */
  onRead(update: () => void): Unsubscribe
}

interface SeriesBase {
  readonly category: MetricCategory
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

export interface MetricsReader {
  /** All series, in the order of their creation. Reading updates those registered with `onRead`. */
  readonly series: readonly MetricSeries[]
}

/** Metrics that can be read. */
export interface MetricsRegistry extends Metrics, MetricsReader {}

/** Upper bounds for durations from half a millisecond on, in seconds. */
export const DURATION_BUCKETS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

const ignore = (): void => {}
const noSeries: Counter & Gauge & Histogram = { add: ignore, raiseTo: ignore, set: ignore, observe: ignore }

/** Records nothing: the default. */
export const noMetrics: Metrics = {
  counter: () => noSeries,
  gauge: () => noSeries,
  histogram: () => noSeries,
  onRead: () => ignore,
}

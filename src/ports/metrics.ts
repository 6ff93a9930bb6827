/**
 * Metrics of a running node. A part obtains its series once, when it is built, so that a measurement is a call without
 * a lookup.
 * @module
 */

/** Never decreases. */
export interface Counter {
  /** @param amount not negative; default 1 */
  add(amount?: number): void
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
  /** Lower case with underscores, and the unit at the end: `blockchain_commit_seconds`. */
  readonly name: string
  /** One line. */
  readonly help: string
}

export interface HistogramOptions extends MetricOptions {
  /** Upper bounds, ascending; values above the last one are counted too. */
  readonly buckets: readonly number[]
}

/**
 * Equal name and labels return the same series. A name belongs to one kind and, for histograms, one list of buckets.
 */
export interface Metrics {
  counter(options: MetricOptions, labels?: MetricLabels): Counter
  gauge(options: MetricOptions, labels?: MetricLabels): Gauge
  histogram(options: HistogramOptions, labels?: MetricLabels): Histogram
}

const noSeries: Counter & Gauge & Histogram = { add: () => {}, set: () => {}, observe: () => {} }

/** Records nothing: the default. */
export const noMetrics: Metrics = { counter: () => noSeries, gauge: () => noSeries, histogram: () => noSeries }

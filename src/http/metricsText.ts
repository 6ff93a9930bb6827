/**
 * Metrics in the text format of Prometheus, version 0.0.4.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 * @module
 */
import type { MetricCategory, MetricLabels, MetricSeries } from '../base/ports/metrics.ts'

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Categories whose names many programs share. The others have Besu's prefix, so that its dashboards work. */
const COMMON: ReadonlySet<MetricCategory> = new Set(['ETHEREUM', 'JVM', 'PROCESS'])

/** Name of a metric for Prometheus: `besu_rpc_requests_total`, `process_open_fds`. */
export function exportedName({ category, name }: Pick<MetricSeries, 'category' | 'name'>): string {
  const full = `${category.toLowerCase()}_${name}`
  return COMMON.has(category) ? full : `besu_${full}`
}

/**
 * @param names of the metrics to write; empty: all
 * @returns all series of a metric together, after its help and type
 */
export function metricsText(series: readonly MetricSeries[], names: readonly string[] = []): string {
  const selectedNames = new Set(names)
  const metrics = new Map<string, MetricSeries[]>()
  for (const each of series) {
    const name = exportedName(each)
    if (selectedNames.size > 0 && !selectedNames.has(name)) continue
    const metric = metrics.get(name)
    if (metric === undefined) metrics.set(name, [each])
    else metric.push(each)
  }
  let text = ''
  for (const [name, [first, ...rest]] of metrics) {
    if (first === undefined) continue
    text += `# HELP ${name} ${first.help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`
    text += `# TYPE ${name} ${first.kind}\n`
    for (const each of [first, ...rest]) text += samples(name, each)
  }
  return text
}

function samples(name: string, series: MetricSeries): string {
  const { labels } = series
  if (series.kind !== 'histogram') return `${name}${labelText(labels)} ${numberText(series.value)}\n`
  let text = ''
  let total = 0
  series.counts.forEach((count, i) => {
    total += count
    const bound = series.buckets[i]
    text += `${name}_bucket${labelText({ ...labels, le: bound === undefined ? '+Inf' : String(bound) })} ${total}\n`
  })
  const end = labelText(labels)
  return `${text}${name}_sum${end} ${numberText(series.sum)}\n${name}_count${end} ${series.count}\n`
}

function labelText(labels: MetricLabels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}

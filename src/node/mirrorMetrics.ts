/**
 * Metrics of the mirror that a node reads or writes, collected on request.
 * @module
 */
import type { MirrorAccess, MirrorReading, MirrorStatus } from '../api/mirrorAccess.ts'
import type { Counter, Gauge, MetricsRegistry } from '../base/ports/metrics.ts'

const MS_PER_SECOND = 1000

/** Those of a replica. */
export function mirrorMetrics(metrics: MetricsRegistry, mirror: MirrorReading): void {
  const setManifest = manifestMetrics(metrics)
  const counter = counters(metrics)
  const reads = counter('mirror_reads_total', 'Reads of the store of the mirror.')
  const bytes = counter('mirror_read_bytes_total', 'Bytes read from the store of the mirror.')
  const hits = counter('mirror_cache_hits_total', 'Blocks and parts of indexes of the mirror that were in memory.')
  const misses = counter('mirror_cache_misses_total', 'Blocks and parts of indexes of the mirror that were read.')
  const failures = counter('mirror_failures_total', 'Looks for a newer manifest that failed.')
  metrics.onRead(() => {
    const { status } = mirror
    setManifest(status)
    reads.raiseTo(status.reads)
    bytes.raiseTo(status.readBytes)
    hits.raiseTo(status.hits)
    misses.raiseTo(status.misses)
    failures.raiseTo(status.failures)
  })
}

/** Those of a node that publishes. */
export function publisherMetrics(metrics: MetricsRegistry, mirror: MirrorAccess): void {
  const setManifest = manifestMetrics(metrics)
  const counter = counters(metrics)
  const writes = counter('mirror_writes_total', 'Objects written to the store of the mirror.')
  const bytes = counter('mirror_written_bytes_total', 'Bytes written to the store of the mirror.')
  const merges = counter('mirror_merges_total', 'Merges of segments of the mirror.')
  const failures = counter('mirror_publish_failures_total', 'Publications and merges that failed.')
  metrics.onRead(() => {
    const { status } = mirror
    if (status?.role !== 'publisher') return
    setManifest(status)
    writes.raiseTo(status.writes)
    bytes.raiseTo(status.writtenBytes)
    merges.raiseTo(status.merges)
    failures.raiseTo(status.failures)
  })
}

function counters(metrics: MetricsRegistry): (name: string, help: string) => Counter {
  return (name, help) => metrics.counter({ category: 'STORE', name, help })
}

function manifestMetrics(metrics: MetricsRegistry): (status: MirrorStatus) => void {
  const gauge = (name: string, help: string): Gauge => metrics.gauge({ category: 'STORE', name, help })
  const manifest = gauge('mirror_manifest', 'Number of the manifest that is read, or was published last.')
  const head = gauge('mirror_head', 'Block number of the head of that manifest.')
  const lag = gauge('mirror_lag_seconds', 'Age of that manifest.')
  return (status) => {
    manifest.set(status.manifest)
    head.set(status.head.number)
    lag.set(status.lagMs / MS_PER_SECOND)
  }
}

/**
 * Metrics of the process. Memory and collections have the names of the JVM's metrics, which Besu's dashboards show.
 * @module
 */
import type { MetricLabels, Metrics } from '../base/ports/metrics.ts'
import type { ProcessUsage, ReadProcessUsage } from '../base/ports/processUsage.ts'
import type { Unsubscribe } from '../base/primitives/events.ts'

export function registerProcessMetrics(metrics: Metrics, read: ReadProcessUsage): Unsubscribe {
  return metrics.onRead(() => {
    const usage = read()
    setProcess(metrics, usage)
    setMemory(metrics, usage)
    for (const [gc, { count, seconds }] of usage.collections ?? []) {
      const set = (name: string, help: string, value: number): void =>
        metrics.counter({ category: 'JVM', name, help }, { gc }).raiseTo(value)
      set('gc_collection_seconds_count', 'Garbage collections.', count)
      set('gc_collection_seconds_sum', 'Time spent in garbage collections, seconds.', seconds)
    }
  })
}

function setProcess(metrics: Metrics, usage: ProcessUsage): void {
  const set = (name: string, help: string, value: number | undefined): void => {
    if (value !== undefined) metrics.gauge({ category: 'PROCESS', name, help }).set(value)
  }
  if (usage.cpuSeconds !== undefined) {
    const help = 'CPU time of all threads, user and system, seconds.'
    metrics.counter({ category: 'PROCESS', name: 'cpu_seconds_total', help }).raiseTo(usage.cpuSeconds)
  }
  set('resident_memory_bytes', 'Memory of the process that is not swapped out.', usage.residentBytes)
  set('start_time_seconds', 'Start of the process, seconds since 1970.', usage.startSeconds)
  set('open_fds', 'Open file descriptors.', usage.openFiles)
  set('max_fds', 'Maximum number of open file descriptors.', usage.maxFiles)
  if (usage.storeBytes !== undefined) {
    metrics.gauge({ category: 'STORE', name: 'size_bytes', help: 'Disk space of the database.' }).set(usage.storeBytes)
  }
}

function setMemory(metrics: Metrics, usage: ProcessUsage): void {
  const set = (name: string, help: string, labels: MetricLabels, value: number | undefined): void => {
    if (value !== undefined) metrics.gauge({ category: 'JVM', name, help }, labels).set(value)
  }
  const heap = { area: 'heap' }
  set('memory_bytes_used', 'Memory in use by the runtime.', heap, usage.heapUsedBytes)
  set('memory_bytes_used', 'Memory in use by the runtime.', { area: 'nonheap' }, usage.externalBytes)
  set('memory_bytes_committed', 'Memory reserved by the runtime.', heap, usage.heapTotalBytes)
}

/**
 * Resources of the process, for its metrics. Deno and Bun supply the members that they know.
 * @module
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'
import process from 'node:process'
import type { ProcessUsage, ReadProcessUsage } from '../../../src/base/ports/processUsage.ts'

export interface ProcessObservation {
  readonly read: ReadProcessUsage
  close(): void
}

/** @param databaseFile undefined: the database is in memory */
export function observeProcess(databaseFile: string | undefined): ProcessObservation {
  const startSeconds = Date.now() / 1000 - process.uptime()
  const maxFiles = openFileLimit()
  const collections = new Map<string, { count: number; seconds: number }>()
  const observer = observeCollections(collections)
  return {
    read: (): ProcessUsage => {
      const { user, system } = process.cpuUsage()
      const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
      return {
        cpuSeconds: (user + system) / 1e6,
        residentBytes: rss,
        heapUsedBytes: heapUsed,
        heapTotalBytes: heapTotal,
        externalBytes: external,
        startSeconds,
        openFiles: openFiles(),
        maxFiles,
        storeBytes: databaseFile === undefined ? undefined : sizeOnDisk(databaseFile),
        collections,
      }
    },
    close: () => observer?.disconnect(),
  }
}

/** Names of V8's kinds of collection, by their number in performance entries. */
const KINDS: ReadonlyMap<unknown, string> = new Map([
  [1, 'scavenge'],
  [2, 'minor_mark_sweep'],
  [4, 'mark_sweep_compact'],
  [8, 'incremental_marking'],
  [16, 'weak_callbacks'],
])

function observeCollections(
  collections: Map<string, { count: number; seconds: number }>,
): PerformanceObserver | undefined {
  try {
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const kind = KINDS.get((entry as { detail?: { kind?: unknown } }).detail?.kind) ?? 'other'
        const total = collections.get(kind) ?? { count: 0, seconds: 0 }
        total.count++
        total.seconds += entry.duration / 1000
        collections.set(kind, total)
      }
    })
    observer.observe({ entryTypes: ['gc'] })
    return observer
  } catch {
    // Runtimes other than Node do not report collections.
    return undefined
  }
}

/** Linux only. The listing itself has one open file. */
function openFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    return undefined
  }
}

function openFileLimit(): number | undefined {
  try {
    const match = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))
    return match === null ? undefined : Number(match[1])
  } catch {
    return undefined
  }
}

/** Space that a file occupies: databases have holes. */
function sizeOnDisk(file: string): number | undefined {
  try {
    const { blocks, size } = statSync(file)
    return blocks > 0 ? blocks * 512 : size
  } catch {
    return undefined
  }
}

/**
 * Runs: the merged segments of a mirror, newest first. The segments of a run are in order and have no key in common.
 * @module
 */
import { MAX_MIRROR_RUNS, MERGE_RATIO, MIN_RUN_BYTES } from '../../base/limits/limits.ts'
import type { MergedSegment } from '../format/segmentInfo.ts'

/** The level of a segment is given with the list. */
export type Run = readonly MergedSegment[]

/** Adjacent runs that become one. */
export interface MergePlan {
  /** Index of the newest one. */
  readonly first: number
  readonly count: number
}

export function runsOf(segments: readonly MergedSegment[]): Run[] {
  const levels = new Map<number, MergedSegment[]>()
  for (const segment of segments) {
    const run = levels.get(segment.level)
    if (run === undefined) levels.set(segment.level, [segment])
    else run.push(segment)
  }
  return [...levels].sort(([a], [b]) => a - b).map(([, run]) => run)
}

/** Each run is a level of the list. */
export function segmentsOf(runs: readonly Run[]): MergedSegment[] {
  return runs.flatMap((run, i) => run.map((segment) => ({ ...segment, level: i + 1 })))
}

/**
 * Which runs to merge next: the first eight of about one size, so that a byte is written once for each power of eight.
 * @returns undefined: none
 */
export function planMerge(runs: readonly Run[]): MergePlan | undefined {
  if (runs.length >= MAX_MIRROR_RUNS) return { first: 0, count: runs.length }
  const sizes = runs.map(sizeClass)
  let first = 0
  for (let end = 1; end <= sizes.length; end++) {
    if (end < sizes.length && (sizes[end] as number) <= (sizes[first] as number)) continue
    if (end - first >= MERGE_RATIO) return { first, count: end - first }
    first = end
  }
  return undefined
}

function sizeClass(run: Run): number {
  const bytes = run.reduce((sum, segment) => sum + segment.bytes, 0)
  return Math.max(0, Math.floor(Math.log(bytes / MIN_RUN_BYTES) / Math.log(MERGE_RATIO)))
}

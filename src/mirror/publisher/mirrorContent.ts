/**
 * The segments of a mirror: recent ones, and runs of merged ones.
 * @module
 */
import { sha256 } from '../../base/primitives/sha256.ts'
import type { SignedManifest } from '../format/manifest.ts'
import { listName, manifestName } from '../format/names.ts'
import type { MergedSegment, RecentSegment } from '../format/segmentInfo.ts'
import { encodeSegmentList } from '../format/segmentList.ts'
import type { MirrorObjects } from '../mirrorObjects.ts'
import { placeOf } from '../read/segmentSource.ts'
import { type MergePlan, type Run, runsOf, segmentsOf } from './runs.ts'
import type { SegmentTarget } from './segmentWriter.ts'

export interface MirrorContent {
  /** Oldest first. */
  readonly recent: readonly RecentSegment[]
  /** Newest first. */
  readonly runs: readonly Run[]
  /** SHA-256 of the list of the runs; undefined: there are none */
  readonly list: Uint8Array | undefined
}

export const NO_CONTENT: MirrorContent = { recent: [], runs: [], list: undefined }

const objectOf = (segment: RecentSegment | MergedSegment): string => placeOf(segment).object

export async function readContent(mirror: MirrorObjects, manifest: SignedManifest): Promise<MirrorContent> {
  const { recent, list } = manifest
  return { recent, runs: list === undefined ? [] : runsOf(await mirror.list(list)), list }
}

/** Names of all objects that a manifest leads to, and its own. */
export function namesOf({ number }: { readonly number: number }, { recent, runs, list }: MirrorContent): Set<string> {
  return new Set([
    manifestName(number),
    ...recent.map(objectOf),
    ...runs.flatMap((run) => run.map(objectOf)),
    ...(list === undefined ? [] : [listName(list)]),
  ])
}

/** The segments that a merge replaces, and those that it writes. */
export interface Merge {
  /** Recent segments that are merged: the oldest ones. */
  readonly recent: readonly RecentSegment[]
  /** Runs that are merged. */
  readonly plan: MergePlan
  readonly run: Run
}

/** Applies a merge to the present content, which may have got further recent segments since the merge began. */
export function withMerge(content: MirrorContent, { recent, plan, run }: Merge): Omit<MirrorContent, 'list'> {
  const { first, count } = plan
  const merged = run.length === 0 ? [] : [run]
  return {
    recent: content.recent.slice(recent.length),
    runs: [...content.runs.slice(0, first), ...merged, ...content.runs.slice(first + count)],
  }
}

/** Stores the list of runs. @returns the content with its hash */
export async function storeList(
  { objects, hold }: SegmentTarget,
  { recent, runs }: Omit<MirrorContent, 'list'>,
): Promise<MirrorContent> {
  if (runs.length === 0) return { recent, runs, list: undefined }
  const bytes = encodeSegmentList(segmentsOf(runs))
  const list = sha256(bytes)
  await hold(listName(list))
  await objects.create(listName(list), bytes)
  return { recent, runs, list }
}

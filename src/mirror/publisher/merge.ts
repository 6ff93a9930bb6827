/**
 * Merging of segments: of the recent ones into a run, and of runs into a larger one.
 * @module
 */
import { MERGED_RECENT_SEGMENTS } from '../../base/limits/limits.ts'
import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import { keys, type MetaName } from '../../storage/schema.ts'
import { filterHash, mayContain } from '../format/filter.ts'
import type { MergedSegment, RecentSegment } from '../format/segmentInfo.ts'
import type { Merge, MirrorContent } from './mirrorContent.ts'
import { planMerge } from './runs.ts'
import { contentBlocks } from './segmentStreams.ts'
import { infoOf, type SegmentTarget, SegmentWriter, storeSegment } from './segmentWriter.ts'

type MergeInput = Pick<Merge, 'recent' | 'plan'>

const NOTHING: MergeInput = { recent: [], plan: { first: 0, count: 0 } }
/** First entries that blocks do not change: a segment with all of them is one of first entries. */
const UNCHANGED: readonly MetaName[] = ['schemaVersion', 'migratingFrom', 'genesisHash']

/** @returns undefined: nothing needs to be merged */
export function nextMerge({ recent, runs }: MirrorContent): MergeInput | undefined {
  if (recent.length >= MERGED_RECENT_SEGMENTS) return { recent, plan: { first: 0, count: 0 } }
  const plan = planMerge(runs)
  return plan && { recent: [], plan }
}

/** Merges everything into one run. Segments of first entries above a single run are left: the next manifest repeats them. */
export function wholeMerge({ recent, runs }: MirrorContent): MergeInput {
  const isOne = runs.length <= 1 && recent.every(hasStart)
  return isOne ? NOTHING : { recent, plan: { first: 0, count: runs.length } }
}

function hasStart({ filter }: RecentSegment): boolean {
  return filter.length > 0 && UNCHANGED.every((name) => mayContain(filter, filterHash(keys.meta(name))))
}

/**
 * Writes the merged segments. They count once a manifest names them.
 * @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_DAMAGED
 */
export async function merge(
  target: SegmentTarget,
  { runs }: MirrorContent,
  { recent, plan }: MergeInput,
  yieldToHost: YieldToHost,
): Promise<Merge> {
  const { first, count } = plan
  const run: MergedSegment[] = []
  const writer = new SegmentWriter(async (segment) => {
    await storeSegment(target, segment)
    run.push({ ...infoOf(segment), level: 1 })
  })
  // Below the oldest run there is nothing that a deleted key would have to hide.
  const hidesNothing = first + count === runs.length
  const merged = { recent, runs: runs.slice(first, first + count) }
  for await (const block of contentBlocks(target.objects, merged)) {
    await writer.add(hidesNothing ? block.filter(({ value }) => value !== undefined) : block)
    await yieldToHost()
  }
  await writer.finish()
  return { recent, plan, run }
}

/**
 * Deletes what the kept manifests of a mirror do not name, also what publishers that were killed have left.
 * @module
 */
import type { ObjectStore } from '../../base/ports/objectStore.ts'
import { LIST_PREFIX, MANIFEST_PREFIX, manifestName, manifestNumber, SEGMENT_PREFIX } from '../format/names.ts'
import { type KnownIdentity, MirrorObjects } from '../mirrorObjects.ts'
import { namesOf, readContent } from './mirrorContent.ts'

export interface PruneBounds {
  /** Number of newest manifests that stay. */
  readonly keep: number
  /** Manifests from this time on stay as well, ms since 1970. */
  readonly sinceMs: number
}

export interface PrunedMirror {
  readonly manifests: number
  /** Segments and lists. */
  readonly others: number
}

/**
 * Nothing else may write to the mirror meanwhile.
 * @returns what was deleted
 * @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_DAMAGED
 */
export async function pruneMirror(
  objects: ObjectStore,
  identity: KnownIdentity,
  bounds: PruneBounds,
): Promise<PrunedMirror> {
  const numbers: number[] = []
  for await (const name of objects.list(MANIFEST_PREFIX)) numbers.push(manifestNumber(name) ?? 0)
  const named = await keptNames(new MirrorObjects(objects), identity, numbers, bounds)
  const old = numbers.map(manifestName).filter((name) => !named.has(name))
  for (const name of old) await objects.delete(name)
  let others = 0
  for (const prefix of [LIST_PREFIX, SEGMENT_PREFIX]) {
    for await (const name of objects.list(prefix)) {
      if (named.has(name)) continue
      await objects.delete(name)
      others++
    }
  }
  return { manifests: old.length, others }
}

/** @param numbers of all manifests, in ascending order */
async function keptNames(
  mirror: MirrorObjects,
  identity: KnownIdentity,
  numbers: readonly number[],
  { keep, sinceMs }: PruneBounds,
): Promise<ReadonlySet<string>> {
  const named = new Set<string>()
  for (const [i, number] of [...numbers].reverse().entries()) {
    const manifest = await mirror.manifest(number, identity)
    if (manifest === undefined) continue
    if (i >= keep && manifest.timeMs < sinceMs) break
    for (const name of namesOf(manifest, await readContent(mirror, manifest))) named.add(name)
  }
  return named
}

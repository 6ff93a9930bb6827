/**
 * Follows the chain of manifests of a mirror.
 * @module
 */
import { MAX_CHANGED_SEGMENT_BYTES, MAX_FOLLOWED_MANIFESTS } from '../base/limits/limits.ts'
import type { ObjectReader } from '../base/ports/objectStore.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import { mirrorDamaged, mirrorUnavailable } from './errors.ts'
import type { SignedManifest } from './format/manifest.ts'
import { MANIFEST_PREFIX, manifestName } from './format/names.ts'
import type { MergedSegment, RecentSegment } from './format/segmentInfo.ts'
import { type KnownIdentity, MirrorObjects } from './mirrorObjects.ts'
import { placeOf, type SegmentSource } from './read/segmentSource.ts'
import { MirrorView } from './view.ts'

export interface FollowerOptions {
  readonly objects: ObjectReader
  readonly source: SegmentSource
  /** Whose signature counts, 20 bytes; undefined: that of the publisher which the mirror names */
  readonly publisher: Uint8Array | undefined
}

/** A newer state of the mirror. */
export interface MirrorStep {
  readonly view: MirrorView
  /** Keys whose values may differ from the state before; undefined: any may. */
  readonly changed: readonly Uint8Array[] | undefined
}

/** Looks without a new manifest after which the hint is read: the next number may have been skipped by pruning. */
const LOOKS_PER_HINT = 10

export class MirrorFollower {
  readonly identity: KnownIdentity
  readonly #objects: MirrorObjects
  readonly #source: SegmentSource
  #view: MirrorView
  #merged: readonly MergedSegment[]
  #vainLooks = 0

  private constructor(
    objects: MirrorObjects,
    { source }: FollowerOptions,
    identity: KnownIdentity,
    [manifest, merged]: readonly [SignedManifest, readonly MergedSegment[]],
  ) {
    this.identity = identity
    this.#objects = objects
    this.#source = source
    this.#merged = merged
    this.#view = new MirrorView(manifest, merged)
    this.#adopt(manifest)
  }

  /**
   * Finds the newest manifest.
   * @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_DAMAGED, MIRROR_FORMAT, MIRROR_UNSIGNED
   */
  static async open(options: FollowerOptions): Promise<MirrorFollower> {
    const objects = new MirrorObjects(options.objects)
    const [identity, latest] = await Promise.all([objects.identity(options.publisher), objects.latest()])
    const manifest = await newestManifest(objects, identity, latest)
    const merged = manifest.list === undefined ? [] : await objects.list(manifest.list)
    return new MirrorFollower(objects, options, identity, [manifest, merged])
  }

  get view(): MirrorView {
    return this.#view
  }

  /**
   * Looks for newer manifests. The state stays as it was if one of them, or what it names, cannot be read.
   * @returns undefined: there is none
   * @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_DAMAGED, MIRROR_FORMAT, MIRROR_UNSIGNED
   */
  async next(): Promise<MirrorStep | undefined> {
    const path = await this.#path()
    const last = path.at(-1)
    if (last === undefined || path.length === MAX_FOLLOWED_MANIFESTS) {
      const ahead = await this.#ahead(last ?? this.#view.manifest)
      if (ahead !== undefined) return this.#stepTo(ahead, undefined)
    }
    return last === undefined ? undefined : this.#stepTo(last, path)
  }

  /** The manifests after the present one, as far as they exist. */
  async #path(): Promise<SignedManifest[]> {
    const path: SignedManifest[] = []
    let before = this.#view.manifest
    while (path.length < MAX_FOLLOWED_MANIFESTS) {
      const manifest = await this.#objects.manifest(before.number + 1, this.identity)
      if (manifest === undefined) break
      requireSuccessor(before, manifest)
      path.push(manifest)
      before = manifest
    }
    return path
  }

  /** A manifest that the hint names, beyond the next one. */
  async #ahead(before: SignedManifest): Promise<SignedManifest | undefined> {
    const isDue = before !== this.#view.manifest || ++this.#vainLooks % LOOKS_PER_HINT === 0
    const latest = isDue ? await this.#objects.latest() : undefined
    if (latest === undefined || latest <= before.number + 1) return undefined
    const manifest = await this.#objects.manifest(latest, this.identity)
    if (manifest !== undefined) requireEpoch(before, manifest)
    return manifest
  }

  /** @param path the manifests that lead there; undefined: some were skipped */
  async #stepTo(manifest: SignedManifest, path: readonly SignedManifest[] | undefined): Promise<MirrorStep> {
    const merged = await this.#mergedOf(manifest)
    for (const each of path ?? [manifest]) this.#adopt(each)
    // A publisher that starts may replace everything.
    const isContinued = path?.every(({ epoch }) => epoch === this.#view.manifest.epoch) === true
    const changed = isContinued ? await this.#changedKeys(path) : undefined
    const view = new MirrorView(manifest, merged)
    this.#merged = merged
    this.#view = view
    this.#vainLooks = 0
    return { view, changed }
  }

  async #mergedOf({ list }: SignedManifest): Promise<readonly MergedSegment[]> {
    if (list === undefined) return []
    const present = this.#view.manifest.list
    return present !== undefined && equalBytes(present, list) ? this.#merged : this.#objects.list(list)
  }

  async #changedKeys(path: readonly SignedManifest[]): Promise<Uint8Array[] | undefined> {
    const added = path.flatMap((manifest) => (manifest.added === 0 ? [] : manifest.recent.slice(-manifest.added)))
    if (added.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_CHANGED_SEGMENT_BYTES) return undefined
    try {
      const keys = await Promise.all(added.map((info) => this.#source.keysOf(placeOf(info))))
      return keys.flat()
    } catch (error) {
      // A reader that was away for longer than the publisher's grace finds that merged segments are gone.
      if (isNodeError(error, 'MIRROR_UNAVAILABLE') && added.some((info) => !isListed(path, info))) return undefined
      throw error
    }
  }

  #adopt({ recent, inline }: SignedManifest): void {
    const last = recent.at(-1)
    if (last !== undefined && inline !== undefined) this.#source.adopt(placeOf(last), inline)
  }
}

function isListed(path: readonly SignedManifest[], { hash }: RecentSegment): boolean {
  return path.at(-1)?.recent.some((segment) => equalBytes(segment.hash, hash)) === true
}

/** The hint may be old or wrong; then the store is asked for the names of all manifests. */
async function newestManifest(
  objects: MirrorObjects,
  identity: KnownIdentity,
  hint: number | undefined,
): Promise<SignedManifest> {
  const hinted = hint === undefined ? undefined : await lastFrom(objects, identity, hint)
  if (hinted?.isLast === true) return hinted.manifest
  const listed = (await objects.lastListed()) ?? 1
  const found = listed > (hinted?.manifest.number ?? 0) ? await lastFrom(objects, identity, listed) : undefined
  const manifest = found?.manifest ?? hinted?.manifest
  if (manifest === undefined) throw mirrorUnavailable(MANIFEST_PREFIX, 'the store has no manifest')
  return manifest
}

/** The last of the manifests that follow one another from `number` on; a bounded number of them. */
async function lastFrom(
  objects: MirrorObjects,
  identity: KnownIdentity,
  number: number,
): Promise<{ readonly manifest: SignedManifest; readonly isLast: boolean } | undefined> {
  const [first, second] = await Promise.all([
    objects.manifest(number, identity),
    objects.manifest(number + 1, identity),
  ])
  if (first === undefined) return undefined
  let manifest = first
  let next = second
  for (let i = 0; next !== undefined && i < MAX_FOLLOWED_MANIFESTS; i++) {
    requireSuccessor(manifest, next)
    manifest = next
    next = await objects.manifest(manifest.number + 1, identity)
  }
  return { manifest, isLast: next === undefined }
}

/** @throws {NodeError} MIRROR_DAMAGED */
function requireSuccessor(before: SignedManifest, manifest: SignedManifest): void {
  if (!equalBytes(manifest.previous, before.hash)) {
    throw mirrorDamaged(manifestName(manifest.number), 'it does not follow the manifest before it')
  }
  requireEpoch(before, manifest)
}

function requireEpoch(before: SignedManifest, manifest: SignedManifest): void {
  if (manifest.epoch < before.epoch) {
    throw mirrorDamaged(manifestName(manifest.number), `its epoch ${manifest.epoch} is below ${before.epoch}`)
  }
}

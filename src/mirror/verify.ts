/**
 * Checks a whole mirror: every signature, every hash, every order, and that no object is missing.
 * @module
 */
import type { ObjectReader } from '../base/ports/objectStore.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import { isNodeError, type NodeError } from '../base/primitives/errors.ts'
import { mirrorDamaged } from './errors.ts'
import type { SignedManifest } from './format/manifest.ts'
import {
  LATEST_NAME,
  LIST_PREFIX,
  listName,
  MANIFEST_PREFIX,
  manifestName,
  manifestNumber,
  SEGMENT_PREFIX,
} from './format/names.ts'
import type { MergedSegment, RecentSegment } from './format/segmentInfo.ts'
import { type KnownIdentity, MirrorObjects } from './mirrorObjects.ts'
import { placeOf } from './read/segmentSource.ts'
import { checkSegment } from './segmentCheck.ts'

/** @param object name of the object */
export type ReportMirrorProblem = (object: string, problem: string) => void

export interface VerifiedMirror {
  /** undefined: there is none that can be read */
  readonly newest: SignedManifest | undefined
  readonly manifests: number
  readonly segments: number
  /** Of all segments, deleted keys included. */
  readonly entries: number
  readonly bytes: number
  /** Lists and segments that no manifest names. */
  readonly unnamed: number
}

/** Checked manifests and all. */
export interface VerifyStep {
  readonly checked: number
  readonly total: number
}

export interface VerifyOptions {
  /** Whose signature counts, 20 bytes; undefined: the publisher that the mirror names. */
  readonly publisher: Uint8Array | undefined
  /** Objects of manifests that were replaced for longer may be deleted. */
  readonly graceMs: number
}

/**
 * Goes from the newest manifest to the oldest. Continues after a problem.
 * @throws {NodeError} MIRROR_UNAVAILABLE when the store does not answer; MIRROR_FORMAT, MIRROR_UNSIGNED or MIRROR_DAMAGED for
 *   `mirror.json`, without which nothing can be checked
 */
export async function* verifyMirror(
  objects: ObjectReader,
  { publisher, graceMs }: VerifyOptions,
  report: ReportMirrorProblem,
): AsyncGenerator<VerifyStep, VerifiedMirror, undefined> {
  const mirror = new MirrorObjects(objects)
  const identity = await mirror.identity(publisher)
  const check = new MirrorCheck(objects, mirror, identity, { graceMs, report })
  const numbers = await check.manifestNumbers()
  for (const [i, number] of numbers.entries()) {
    await check.manifest(number)
    yield { checked: i + 1, total: numbers.length }
  }
  await check.end()
  return check.result
}

class MirrorCheck {
  readonly #objects: ObjectReader
  readonly #mirror: MirrorObjects
  readonly #identity: KnownIdentity
  readonly #report: ReportMirrorProblem
  /** Names of lists and segments that were checked. */
  readonly #checked = new Set<string>()
  /** Numbers of manifests in which a segment lies that a later one names. */
  readonly #named = new Set<number>()
  readonly #graceMs: number
  /** Newest first. */
  readonly #numbers: number[] = []
  /** The manifest after the one that is checked. */
  #next: SignedManifest | undefined
  #newest: SignedManifest | undefined
  #segments = 0
  #entries = 0
  #bytes = 0
  #unnamed = 0

  constructor(
    objects: ObjectReader,
    mirror: MirrorObjects,
    identity: KnownIdentity,
    { graceMs, report }: Pick<VerifyOptions, 'graceMs'> & { readonly report: ReportMirrorProblem },
  ) {
    this.#objects = objects
    this.#mirror = mirror
    this.#identity = identity
    this.#graceMs = graceMs
    this.#report = report
  }

  get result(): VerifiedMirror {
    return {
      newest: this.#newest,
      manifests: this.#numbers.length,
      segments: this.#segments,
      entries: this.#entries,
      bytes: this.#bytes,
      unnamed: this.#unnamed,
    }
  }

  /** Newest first. A store that does not list them is followed back from its hint. */
  async manifestNumbers(): Promise<number[]> {
    if (this.#objects.list === undefined) return this.#numbersBack()
    const numbers: number[] = []
    for await (const name of this.#objects.list(MANIFEST_PREFIX)) {
      const number = manifestNumber(name)
      if (number === undefined) this.#report(name, 'it does not have the name of a manifest')
      else numbers.push(number)
    }
    return numbers.reverse()
  }

  async #numbersBack(): Promise<number[]> {
    const numbers: number[] = []
    for (let number = (await this.#mirror.latest()) ?? 0; number > 0; number--) {
      if ((await this.#objects.get(manifestName(number), 0, 1)) === undefined) break
      numbers.push(number)
    }
    return numbers
  }

  async manifest(number: number): Promise<void> {
    this.#numbers.push(number)
    await this.#reporting(manifestName(number), async () => {
      const manifest = await this.#mirror.manifest(number, this.#identity)
      if (manifest === undefined) throw mirrorDamaged(manifestName(number), 'it does not exist')
      const isLive = this.#isLive()
      this.#checkOrder(manifest)
      this.#newest ??= manifest
      this.#next = manifest
      this.#bytes += manifest.inline?.length ?? 0
      for (const segment of manifest.recent) {
        if (segment.manifest > 0) this.#named.add(segment.manifest)
        await this.#segment(segment, isLive)
      }
      if (manifest.list !== undefined) await this.#list(manifest.list, isLive)
    })
  }

  /** Whether a reader may still use the manifest before the one that was checked last. */
  #isLive(): boolean {
    if (this.#next === undefined || this.#newest === undefined) return true
    return this.#next.timeMs >= this.#newest.timeMs - this.#graceMs
  }

  #checkOrder(manifest: SignedManifest): void {
    const next = this.#next
    if (next === undefined) return
    const name = manifestName(next.number)
    if (manifest.number + 1 === next.number && !equalBytes(manifest.hash, next.previous)) {
      this.#report(name, `it does not follow ${manifestName(manifest.number)}`)
    }
    if (manifest.epoch > next.epoch) this.#report(name, `its epoch ${next.epoch} is below ${manifest.epoch}`)
  }

  async #list(hash: Uint8Array, isLive: boolean): Promise<void> {
    const name = listName(hash)
    if (this.#checked.has(name)) return
    this.#checked.add(name)
    await this.#reporting(name, async () => {
      const exists = (await this.#objects.get(name, 0, 1)) !== undefined
      if (!exists && isLive) throw mirrorDamaged(name, 'it does not exist')
      for (const segment of exists ? await this.#mirror.list(hash) : []) await this.#segment(segment, isLive)
    })
  }

  async #segment(segment: RecentSegment | MergedSegment, isLive: boolean): Promise<void> {
    const { object, offset, name } = placeOf(segment)
    // A segment may be in several places, and what two lists say of it may differ.
    const id = `${name} ${object} ${segment.bytes} ${segment.entries} ${segment.directoryHash.join()}`
    if (this.#checked.has(id)) return
    this.#checked.add(id)
    this.#checked.add(name)
    await this.#reporting(object, async () => {
      const content = await this.#objects.get(object, offset, segment.bytes)
      if (content === undefined && isLive) throw mirrorDamaged(object, 'it does not exist')
      if (content === undefined) return
      this.#entries += await checkSegment(object, content, segment)
      this.#segments++
      if (object === name) this.#bytes += content.length
    })
  }

  /** Findings that need all manifests. */
  async end(): Promise<void> {
    this.#checkGaps()
    await this.#checkHint()
    for (const prefix of [LIST_PREFIX, SEGMENT_PREFIX]) {
      for await (const name of this.#objects.list?.(prefix) ?? []) if (!this.#checked.has(name)) this.#unnamed++
    }
  }

  /**
   * Old manifests are deleted from the beginning. Those in which a segment lies stay for longer, so there may be gaps
   * between them, but none after a manifest that nothing names.
   */
  #checkGaps(): void {
    const ascending = [...this.#numbers].reverse()
    let isEarlierNamed = true
    for (const [i, number] of ascending.entries()) {
      const before = ascending[i - 1]
      if (before !== undefined && before + 1 < number && !isEarlierNamed) {
        this.#report(manifestName(before + 1), 'it is missing, although there are manifests before and after it')
      }
      isEarlierNamed &&= this.#named.has(number)
    }
    if (ascending.length === 0) this.#report(MANIFEST_PREFIX, 'there is no manifest')
  }

  async #checkHint(): Promise<void> {
    const newest = this.#numbers[0] ?? 0
    const exists = (await this.#objects.get(LATEST_NAME, 0, 1)) !== undefined
    const hint = await this.#mirror.latest()
    if (exists && hint === undefined) this.#report(LATEST_NAME, 'it is not a number')
    if (hint !== undefined && hint > newest) {
      this.#report(LATEST_NAME, `it names manifest ${hint}, but the last one is ${newest}`)
    }
  }

  async #reporting(object: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!isFinding(error)) throw error
      this.#report(error.details.object ?? object, error.message)
    }
  }
}

type Finding = NodeError<{ code: string; object?: string }>

function isFinding(error: unknown): error is Finding {
  return isNodeError(error) && FINDINGS.includes(error.code)
}

const FINDINGS: readonly string[] = ['MIRROR_DAMAGED', 'MIRROR_FORMAT', 'MIRROR_UNSIGNED']

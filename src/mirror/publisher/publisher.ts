/**
 * Writes the changes of a database to a mirror: segments, then the manifest that names them.
 * @module
 */
import {
  LATEST_HINT_MS,
  MAX_HISTORY_STEP_BLOCKS,
  MAX_INLINE_SEGMENT_BYTES,
  MAX_UNMERGED_SEGMENTS,
} from '../../base/limits/limits.ts'
import { compareBytes, equalBytes } from '../../base/primitives/bytes.ts'
import { mirrorFenced, mirrorUnavailable } from '../errors.ts'
import type { SegmentEntry } from '../format/entries.ts'
import {
  type BlockName,
  decodeManifest,
  encodeManifest,
  type Manifest,
  type SignedManifest,
} from '../format/manifest.ts'
import { encodeLatest, LATEST_NAME, manifestName } from '../format/names.ts'
import type { BuiltSegment } from '../format/segmentBuilder.ts'
import type { MergedSegment, RecentSegment } from '../format/segmentInfo.ts'
import { type KnownIdentity, MirrorObjects } from '../mirrorObjects.ts'
import { readChainFacts } from './chainFacts.ts'
import type { DatabaseState, PublisherParts } from './contract.ts'
import { continuesFrom, historyBlock, historyEntry, isKept, leftBehind, readHistory } from './history.ts'
import { changesAfter, type PublishedPosition, readPosition } from './journal.ts'
import { merge, nextMerge, wholeMerge } from './merge.ts'
import { type Merge, type MirrorContent, NO_CONTENT, namesOf, storeList, withMerge } from './mirrorContent.ts'
import { isLater, type Moment, momentOf } from './moment.ts'
import { publishedEntries, startEntries } from './publishedEntries.ts'
import { RetiredObjects } from './retiredObjects.ts'
import { infoOf, type SegmentTarget, SegmentWriter, storeSegment } from './segmentWriter.ts'
import { isContinuation, LostRace, openIdentity, readTip, requireNotBehind, type Tip } from './takeOver.ts'

/** A manifest that may have been created: its creation is repeated until the answer is known. */
interface Attempt {
  readonly bytes: Uint8Array
  readonly content: MirrorContent
  readonly record: number
  readonly history: BlockName
  /** Whether it contains {@link Publisher} `#merged`. */
  readonly merge: Merge | undefined
}

/** Entries of a manifest, in ascending order of their keys. */
interface Changes extends Pick<Addition, 'record' | 'history'> {
  readonly entries: Iterable<SegmentEntry>
}

/** New segments of a manifest. */
interface Addition {
  readonly segments: readonly BuiltSegment[]
  /** The last record of the journal that is in them. */
  readonly record: number
  /** The first block that the mirror then has whole. */
  readonly history: BlockName
}

const ZERO_HASH = new Uint8Array(32)
/** Starts of publishers at the same time. */
const MAX_RACES = 8

/**
 * All methods but {@link merge} must be called one at a time; `merge` may run beside the others. A method that failed with
 * MIRROR_UNAVAILABLE may be called again.
 */
export class Publisher {
  readonly #parts: PublisherParts
  readonly #retired: RetiredObjects
  readonly #target: SegmentTarget
  readonly #mirror: MirrorObjects
  #identity: KnownIdentity | undefined
  #tip: Tip | undefined
  #position: PublishedPosition | undefined
  /** The first block that the mirror has whole; undefined: it is not known */
  #history: BlockName | undefined
  #epoch = 0
  #attempt: Attempt | undefined
  /** A finished merge, which the next manifest contains. */
  #merged: Merge | undefined
  /** Changes when everything is published again: a merge that runs is then of no use. */
  #generation = 0
  #confirmed: Moment
  #hinted = { number: 0, atMs: Number.NEGATIVE_INFINITY }

  constructor(parts: PublisherParts) {
    this.#parts = parts
    this.#retired = new RetiredObjects(parts.objects, parts.graceMs)
    this.#mirror = new MirrorObjects(parts.objects)
    this.#target = { objects: parts.objects, hold: this.#retired.hold }
    this.#confirmed = momentOf(parts.clock)
  }

  /** The newest manifest; undefined before {@link open}. */
  get manifest(): SignedManifest | undefined {
    return this.#tip?.manifest
  }

  /** Everything that the newest manifest leads to. */
  get content(): MirrorContent {
    return this.#tip?.content ?? NO_CONTENT
  }

  /**
   * Takes the mirror over: begins it, or raises its epoch. Publishes what the mirror lacks, all if it is not known.
   * @param rewinds whether the mirror may be ahead of the database
   * @throws {NodeError} MIRROR_OF_OTHER_CHAIN, MIRROR_UNSIGNED, MIRROR_BEHIND, MIRROR_FENCED, MIRROR_DAMAGED, MIRROR_FORMAT,
   *   MIRROR_UNAVAILABLE, and those of the database
   */
  async open({ rewinds = false }: { readonly rewinds?: boolean } = {}): Promise<SignedManifest> {
    for (let race = 0; race < MAX_RACES; race++) {
      try {
        return await this.#takeOver(rewinds)
      } catch (error) {
        if (!(error instanceof LostRace)) throw error
      }
    }
    throw mirrorFenced('other publishers of the mirror start all the time')
  }

  /**
   * Publishes what has changed since the last manifest.
   * @returns undefined: nothing has, and no merge was finished
   * @throws {NodeError} MIRROR_FENCED, MIRROR_UNAVAILABLE, and those of the database
   */
  publishChanges(): Promise<SignedManifest | undefined> {
    return this.#publish((addition) => addition.segments.length > 0)
  }

  /** Publishes also when nothing has changed: readers then know that the publisher is well. */
  async publishAnyway(): Promise<SignedManifest> {
    return (await this.#publish(() => true)) as SignedManifest
  }

  /** Whether segments should be merged. */
  get needsMerge(): boolean {
    return this.#merged === undefined && nextMerge(this.content) !== undefined
  }

  /**
   * Merges segments. The next manifest names the result.
   * @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_DAMAGED
   */
  async merge(kind: 'next' | 'whole' = 'next'): Promise<void> {
    const tip = this.#tip
    const input = tip && (kind === 'next' ? nextMerge(tip.content) : wholeMerge(tip.content))
    if (tip === undefined || input === undefined || this.#merged !== undefined) return
    const generation = this.#generation
    const merged = await merge(this.#target, tip.content, input, this.#parts.yieldToHost)
    if (this.#generation === generation) this.#merged = merged
  }

  /**
   * Writes the hint at the newest manifest, at most every ten seconds, and deletes what nobody reads any more.
   * @throws {NodeError} MIRROR_UNAVAILABLE
   */
  async tidy(): Promise<void> {
    const tip = this.#tip
    if (tip === undefined) return
    const nowMs = this.#parts.clock.monotonic()
    // The hint is above every manifest that is deleted: neither a reader nor a publisher then takes up an old view.
    const hintMs = Math.min(LATEST_HINT_MS, this.#parts.graceMs / 2)
    if (nowMs - this.#hinted.atMs >= hintMs) await this.hint()
    if (!this.#retired.isDue(nowMs)) return
    const named = namesOf(tip.manifest, tip.content)
    await this.#retired.deleteDue(nowMs, (name) => named.has(name))
  }

  /** Writes the hint now. @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_FENCED */
  async hint(): Promise<void> {
    const number = this.#tip?.manifest.number
    if (number === undefined || this.#hinted.number >= number) return
    const { objects, clock } = this.#parts
    // A program whose clocks stood still does not know that it was replaced.
    const found = await this.#mirror.latest()
    if (found !== undefined && found > number) await this.#requireNewest()
    await objects.put(LATEST_NAME, encodeLatest(number))
    this.#hinted = { number, atMs: clock.monotonic() }
  }

  async #takeOver(rewinds: boolean): Promise<SignedManifest> {
    this.#attempt = undefined
    this.#merged = undefined
    this.#generation++
    return this.#reading(async (state) => {
      const identity = await openIdentity(this.#parts, state)
      this.#identity = identity
      const tip = await readTip(this.#mirror, identity)
      const position = readPosition(state)
      const continues = tip !== undefined && isContinuation(position, tip.manifest)
      if (!rewinds) requireNotBehind(state, position, tip?.manifest, continues)
      this.#tip = tip
      this.#confirmed = momentOf(this.#parts.clock)
      this.#epoch = Math.max((tip?.manifest.epoch ?? 0) + 1, this.#parts.clock.now())
      await this.#retireOlder()
      this.#position = position
      this.#history = tip && (await readHistory(this.#parts.objects, tip))
      const changes = continues && !rewinds ? this.#changes(state) : undefined
      if (changes === undefined || position === undefined) return this.#publishWhole(state)
      this.#position = { ...position, claim: this.#epoch }
      await this.#parts.database.record(this.#position)
      return this.#create(await this.#prepare(state, await additionOf(changes), true))
    })
  }

  /** Objects that an earlier publisher has not deleted. */
  async #retireOlder(): Promise<void> {
    const { objects, clock } = this.#parts
    const tip = this.#tip
    if (tip === undefined) return
    const names: string[] = []
    const newest = manifestName(tip.manifest.number)
    for await (const name of objects.list('manifests/')) if (name < newest) names.push(name)
    this.#retired.retire(names, clock.monotonic())
  }

  async #publish(isWorthwhile: (addition: Addition) => boolean): Promise<SignedManifest | undefined> {
    const repeated = this.#attempt && (await this.#create(this.#attempt))
    const published = await this.#reading(async (state) => {
      const changes = this.#changes(state)
      if (changes === undefined || this.content.recent.length >= MAX_UNMERGED_SEGMENTS) {
        this.#epoch = Math.max(this.#epoch + 1, this.#parts.clock.now())
        return this.#publishWhole(state)
      }
      const addition = await additionOf(changes)
      if (!isWorthwhile(addition) && this.#merged === undefined) return undefined
      return this.#create(await this.#prepare(state, addition, false))
    })
    return published ?? repeated
  }

  async #reading<T>(work: (state: DatabaseState) => Promise<T>): Promise<T> {
    const state = this.#parts.database.open()
    try {
      return await work(state)
    } finally {
      await state.close()
    }
  }

  /** The changes since the last manifest. @returns undefined: it is not known, or the mirror lacks what it needs */
  #changes(state: DatabaseState): Changes | undefined {
    const changes = this.#position && changesAfter(state, this.#position.record)
    const before = this.#history
    if (changes === undefined || before === undefined || !continuesFrom(state, before)) return undefined
    const history = this.#historyAt(state, before)
    if (history.number < before.number) return undefined
    return { record: changes.record, history, entries: changedEntries(state, changes.keys, before, history) }
  }

  /** The first block that the mirror keeps whole from now on. @param before the present one */
  #historyAt(state: DatabaseState, before: BlockName | undefined): BlockName {
    const { historyStart = () => before?.number ?? 0 } = this.#parts
    const { number: head } = readChainFacts(state).head
    const wanted = Math.min(head, historyStart(head))
    // A smaller number of blocks, or a shorter chain, brings nothing back that the mirror has left out.
    const number = wanted === 0 ? 0 : Math.min(head, Math.max(wanted, before?.number ?? 0))
    return historyBlock(state, Math.min(number, (before?.number ?? number) + MAX_HISTORY_STEP_BLOCKS))
  }

  /**
   * Stores all objects of the next manifest, and the manifest's bytes here.
   * @param begins whether it is the publisher's first one, which may stay the newest for long
   */
  async #prepare(state: DatabaseState, addition: Addition, begins: boolean): Promise<Attempt> {
    const merged = this.#merged
    if (merged === undefined && !begins) return this.#extend(state, this.content, addition, undefined)
    const content = merged === undefined ? this.content : await storeList(this.#target, withMerge(this.content, merged))
    // A merge may have taken the first entries away from the newest segments.
    const start = await built(startEntries(state, addition.history))
    const recent = content.recent.filter(({ hash }) => !start.some((segment) => equalBytes(segment.hash, hash)))
    const segments = [...addition.segments, ...start]
    return this.#extend(state, { ...content, recent }, { ...addition, segments }, merged)
  }

  /** Stores new segments, except a last one that fits into the manifest. */
  async #extend(
    state: DatabaseState,
    base: MirrorContent,
    { segments, record, history }: Addition,
    merged: Merge | undefined,
  ): Promise<Attempt> {
    const number = (this.#tip?.manifest.number ?? 0) + 1
    const inline = isShort(segments.at(-1)) ? segments.at(-1) : undefined
    for (const segment of segments) if (segment !== inline) await storeSegment(this.#target, segment)
    const added = segments.map((segment) => recentOf(segment, segment === inline ? number : 0))
    const content = { ...base, recent: [...base.recent, ...added] }
    const bytes = await this.#encode(state, number, content, { added: added.length, inline: inline?.content })
    return { bytes, content, record, history, merge: merged }
  }

  /** Publishes all of a database, in place of what the mirror has. */
  async #publishWhole(state: DatabaseState): Promise<SignedManifest> {
    const { yieldToHost, onProgress, signal } = this.#parts
    this.#merged = undefined
    this.#generation++
    const run: MergedSegment[] = []
    const writer = new SegmentWriter(async (segment) => {
      await storeSegment(this.#target, segment)
      run.push({ ...infoOf(segment), level: 1 })
    })
    const history = this.#historyAt(state, this.#parts.historyStart === undefined ? this.#history : undefined)
    const { record, parts } = publishedEntries(state, history)
    let keys = 0
    for (const entries of parts) {
      await writer.add(entries)
      keys += entries.length
      onProgress?.(keys)
      await yieldToHost()
      signal?.throwIfAborted()
    }
    await writer.finish()
    const content = await storeList(this.#target, { recent: [], runs: [run] })
    const addition = await additionOf({ entries: startEntries(state, history), record, history })
    const manifest = await this.#create(await this.#extend(state, content, addition, undefined))
    if (this.#position !== undefined) await this.#parts.database.record(this.#position)
    return manifest
  }

  #encode(
    state: DatabaseState,
    number: number,
    { recent, list }: MirrorContent,
    addition: Pick<Manifest, 'added' | 'inline'>,
  ): Promise<Uint8Array> {
    const { signer, clock } = this.#parts
    const manifest: Manifest = {
      number,
      previous: this.#tip?.manifest.hash ?? ZERO_HASH,
      identity: this.#identity?.hash ?? ZERO_HASH,
      epoch: this.#epoch,
      ...readChainFacts(state),
      timeMs: clock.now(),
      list,
      recent,
      ...addition,
    }
    return encodeManifest(manifest, (hash) => signer.sign(hash))
  }

  /** Creates the manifest; from then on, it is the newest one. */
  async #create(attempt: Attempt): Promise<SignedManifest> {
    const { objects, signer } = this.#parts
    const number = (this.#tip?.manifest.number ?? 0) + 1
    const name = manifestName(number)
    this.#attempt = attempt
    const begun = momentOf(this.#parts.clock)
    if (isLater(begun, this.#confirmed, this.#frozenMs)) await this.#requireNewest()
    if ((await objects.create(name, attempt.bytes)) === 'exists') await this.#requireOwn(name, number, attempt.bytes)
    if (isLater(momentOf(this.#parts.clock), begun, this.#frozenMs)) await this.#requireAboveHint(name, number)
    this.#attempt = undefined
    return this.#adopt(attempt, decodeManifest(attempt.bytes, number, signer.address))
  }

  #adopt({ content, record, history, merge: merged }: Attempt, manifest: SignedManifest): SignedManifest {
    const { clock, database } = this.#parts
    const before = this.#tip
    this.#tip = { manifest, content }
    if (merged === this.#merged) this.#merged = undefined
    this.#confirmed = momentOf(this.#parts.clock)
    if (before !== undefined) {
      const named = namesOf(manifest, content)
      const left = [...namesOf(before.manifest, before.content)].filter((name) => !named.has(name))
      this.#retired.retire(left, clock.monotonic())
    }
    const { number, hash, epoch } = manifest
    this.#position = { manifest: number, hash, epoch, claim: epoch, record }
    this.#history = history
    database.note(this.#position)
    return manifest
  }

  /** A publisher that stood still for so long may have been replaced, and the manifests of the other one deleted. */
  get #frozenMs(): number {
    return this.#parts.graceMs / 2
  }

  async #requireNewest(): Promise<void> {
    const newest = await this.#mirror.lastListed()
    const own = this.#tip?.manifest.number
    const next = (own ?? 0) + 1
    if (newest === own || (this.#attempt !== undefined && newest === next)) return
    throw await this.#fenced(newest ?? 0)
  }

  /** The manifest exists: this publisher has created it, although it was told otherwise, or another one has. */
  async #requireOwn(name: string, number: number, bytes: Uint8Array): Promise<void> {
    const found = await this.#parts.objects.get(name)
    if (found === undefined) throw mirrorUnavailable(name, 'it exists, but cannot be read')
    if (equalBytes(found, bytes)) return
    this.#attempt = undefined
    const isFirst = this.#tip?.manifest.epoch !== this.#epoch
    const { epoch } = decodeManifest(found, number, this.#parts.signer.address)
    throw isFirst && epoch < this.#epoch ? new LostRace() : await this.#fenced(number)
  }

  async #requireAboveHint(name: string, number: number): Promise<void> {
    const hint = await this.#mirror.latest()
    if (hint === undefined || hint <= number) return
    await this.#parts.objects.delete(name)
    throw await this.#fenced(hint)
  }

  async #fenced(number: number): Promise<Error> {
    const other = this.#identity && (await this.#mirror.manifest(number, this.#identity))
    const began = other === undefined ? '' : `, which began at ${new Date(other.epoch).toISOString()},`
    return mirrorFenced(
      `another publisher${began} has published ${manifestName(number)} of the mirror: this one, which began at ` +
        `${new Date(this.#epoch).toISOString()}, stops`,
    )
  }
}

/** The present values of changed keys, and what the mirror leaves behind when it begins at a later block. */
function changedEntries(
  state: DatabaseState,
  changed: readonly Uint8Array[],
  before: BlockName,
  history: BlockName,
): Iterable<SegmentEntry> {
  if (history.number === 0) return valuesOf(state, changed)
  const left = leftBehind(state, before, history)
  const kept = changed.filter((key) => isKept(key, history))
  const deleted = [...left, ...changed.filter((key) => !isKept(key, history))].map((key) => ({ key, value: undefined }))
  const moved = before.number === history.number ? [] : [historyEntry(history)]
  const all = [...valuesOf(state, kept), ...deleted, ...moved].sort((a, b) => compareBytes(a.key, b.key))
  return all.filter(({ key }, i) => i === 0 || !equalBytes(key, (all[i - 1] as SegmentEntry).key))
}

function* valuesOf(state: DatabaseState, keys: readonly Uint8Array[]): Iterable<SegmentEntry> {
  for (const key of keys) yield { key, value: state.get(key) }
}

async function additionOf({ entries, record, history }: Changes): Promise<Addition> {
  return { segments: await built(entries), record, history }
}

async function built(entries: Iterable<SegmentEntry>): Promise<BuiltSegment[]> {
  const segments: BuiltSegment[] = []
  const writer = new SegmentWriter(async (segment) => void segments.push(segment))
  await writer.add(entries)
  await writer.finish()
  return segments
}

function isShort(segment: BuiltSegment | undefined): boolean {
  return segment !== undefined && segment.content.length <= MAX_INLINE_SEGMENT_BYTES
}

/** @param manifest in which the segment lies; 0: it is an object */
function recentOf(segment: BuiltSegment, manifest: number): RecentSegment {
  return { ...infoOf(segment), manifest, filter: segment.filter }
}

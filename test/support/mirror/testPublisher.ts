/**
 * Writes mirrors for the tests of readers: one manifest for each commit, and merges on demand.
 * @module
 */
import type { Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { compareBytes } from '../../../src/base/primitives/bytes.ts'
import { publicKeyOf, publicKeyToAddress, signHash } from '../../../src/base/primitives/secp256k1.ts'
import { sha256 } from '../../../src/base/primitives/sha256.ts'
import type { SegmentEntry } from '../../../src/mirror/format/entries.ts'
import { encodeIdentity, type MirrorIdentity } from '../../../src/mirror/format/identity.ts'
import { encodeManifest, type Manifest } from '../../../src/mirror/format/manifest.ts'
import {
  encodeLatest,
  IDENTITY_NAME,
  LATEST_NAME,
  listName,
  manifestName,
  segmentName,
} from '../../../src/mirror/format/names.ts'
import { SegmentBuilder } from '../../../src/mirror/format/segmentBuilder.ts'
import type { MergedSegment, RecentSegment } from '../../../src/mirror/format/segmentInfo.ts'
import { encodeSegmentList } from '../../../src/mirror/format/segmentList.ts'
import { keyToText, textToKey } from '../../../src/storage/keyText.ts'
import type { MemoryObjects } from './memoryObjects.ts'

const HASH = new Uint8Array(32).fill(0xaa)

export const TEST_MIRROR_KEY: Uint8Array = new Uint8Array(32).fill(7)
export const TEST_MIRROR_PUBLISHER: Uint8Array = publicKeyToAddress(publicKeyOf(TEST_MIRROR_KEY))

export interface TestPublisherOptions {
  /** Default: an invented chain. */
  readonly identity?: Omit<MirrorIdentity, 'publisher'>
  /** Largest segment inside a manifest; default: 128 KiB. */
  readonly inlineBytes?: number
  /** Largest merged segment before its index; default: 64 KiB. */
  readonly segmentBytes?: number
  /** Private key, 32 bytes. */
  readonly key?: Uint8Array
  /** Default: counts up. */
  readonly now?: () => number
}

export class TestPublisher {
  readonly objects: MemoryObjects
  readonly #options: TestPublisherOptions
  readonly #identity: Uint8Array
  readonly #entries = new Map<string, Uint8Array>()
  #recent: RecentSegment[] = []
  #list: Uint8Array | undefined
  #previous: Uint8Array = new Uint8Array(32)
  #number = 0
  #time = 1_700_000_000_000
  epoch = 1
  head: Manifest['head'] = { number: 0, hash: HASH }

  constructor(objects: MemoryObjects, options: TestPublisherOptions = {}) {
    const invented = { chainId: 1n, genesisHash: HASH, genesis: '{}' }
    const publisher = publicKeyToAddress(publicKeyOf(options.key ?? TEST_MIRROR_KEY))
    this.objects = objects
    this.#options = options
    this.#identity = encodeIdentity({ ...(options.identity ?? invented), publisher })
    objects.objects.set(IDENTITY_NAME, this.#identity)
  }

  /** Number of the newest manifest. */
  get number(): number {
    return this.#number
  }

  /** Publishes a batch as one segment and one manifest. */
  async commit(batch: readonly Mutation[]): Promise<void> {
    for (const { key, value } of batch) {
      if (value === undefined) this.#entries.delete(keyToText(key))
      else this.#entries.set(keyToText(key), value)
    }
    const changed = new Map(batch.map(({ key, value }) => [keyToText(key), { key, value }]))
    if (changed.size === 0) return this.publish({})
    const sorted = [...changed.values()].sort((a, b) => compareBytes(a.key, b.key))
    const { content, ...info } = await built(sorted)
    const isInline = content.length <= (this.#options.inlineBytes ?? 131_072)
    if (!isInline) this.objects.objects.set(segmentName(info.hash), content)
    const manifest = isInline ? this.#number + 1 : 0
    this.#recent = [...this.#recent, { ...info, manifest }]
    await this.publish({ added: 1, inline: isInline ? content : undefined })
  }

  /** Merges everything into segments of level `level`, and publishes the list. */
  async merge(level = 1): Promise<void> {
    const sorted = [...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1))
    const segments: MergedSegment[] = []
    let builder = new SegmentBuilder()
    const finish = async (): Promise<void> => {
      if (builder.entries === 0) return
      const { content, filter: _, ...info } = await builder.finish()
      this.objects.objects.set(segmentName(info.hash), content)
      segments.push({ level, ...info })
      builder = new SegmentBuilder()
    }
    for (const [text, value] of sorted) {
      await builder.add({ key: textToKey(text), value })
      if (builder.bytes > (this.#options.segmentBytes ?? 65_536)) await finish()
    }
    await finish()
    const list = encodeSegmentList(segments)
    this.#list = sha256(list)
    this.objects.objects.set(listName(this.#list), list)
    this.#recent = []
    await this.publish({})
  }

  /** Publishes a manifest with the given fields. */
  async publish(changes: Partial<Manifest>): Promise<void> {
    const { key = TEST_MIRROR_KEY, now = () => (this.#time += 1000) } = this.#options
    this.#number++
    const manifest: Manifest = {
      number: this.#number,
      previous: this.#previous,
      identity: sha256(this.#identity),
      epoch: this.epoch,
      head: this.head,
      safe: undefined,
      finalized: undefined,
      stateVersion: 1,
      timeMs: now(),
      list: this.#list,
      recent: this.#recent,
      added: 0,
      inline: undefined,
      ...changes,
    }
    const bytes = await encodeManifest(manifest, (hash) => signHash(hash, key))
    this.#previous = sha256(bytes)
    await this.objects.create(manifestName(this.#number), bytes)
  }

  /** Writes the hint. */
  async hint(number = this.#number): Promise<void> {
    await this.objects.put(LATEST_NAME, encodeLatest(number))
  }
}

async function built(entries: readonly SegmentEntry[]) {
  const builder = new SegmentBuilder()
  for (const entry of entries) await builder.add(entry)
  return builder.finish()
}

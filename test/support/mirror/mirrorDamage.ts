/**
 * A mirror, and damages to it.
 * @module
 */
import { KeySigner } from '../../../src/base/ports/keySigner.ts'
import { equalBytes } from '../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../src/base/primitives/errors.ts'
import { decodeManifest, encodeManifest, type Manifest } from '../../../src/mirror/format/manifest.ts'
import { LATEST_NAME, manifestName } from '../../../src/mirror/format/names.ts'
import { SegmentBuilder } from '../../../src/mirror/format/segmentBuilder.ts'
import { infoOf } from '../../../src/mirror/publisher/segmentWriter.ts'
import { verifyMirror } from '../../../src/mirror/verify.ts'
import { keys } from '../../../src/storage/schema.ts'
import { FakeTime } from '../host/fakeTime.ts'
import type { Random } from '../host/random.ts'
import { MemoryObjects } from './memoryObjects.ts'
import { MIRROR_SIGNER, PublishedChain } from './publishedChain.ts'
import { openPublisher, RUN_GRACE_MS } from './publisherRun.ts'

const BLOCKS = 50
const STRANGER = new KeySigner(new Uint8Array(32).fill(9))

/** Copied for each damage. */
export async function buildMirror(): Promise<ReadonlyMap<string, Uint8Array>> {
  const objects = new MemoryObjects()
  objects.delay = () => 0
  const chain = new PublishedChain()
  chain.grow(200)
  const publisher = openPublisher(objects, new FakeTime(1_800_000_000_000), chain)
  await publisher.open()
  for (let i = 0; i < BLOCKS; i++) {
    chain.grow()
    await publisher.publishChanges()
    if (publisher.needsMerge) await publisher.merge()
  }
  await publisher.hint()
  return objects.objects
}

/** @returns what `mirror verify` finds */
export async function problemsOf(content: ReadonlyMap<string, Uint8Array>): Promise<string[]> {
  const objects = new MemoryObjects()
  objects.delay = () => 0
  for (const [name, bytes] of content) objects.objects.set(name, bytes)
  const problems: string[] = []
  const options = { publisher: MIRROR_SIGNER.address, graceMs: RUN_GRACE_MS }
  try {
    for await (const _ of verifyMirror(objects, options, (object, problem) => problems.push(`${object}: ${problem}`))) {
      // Only the problems count.
    }
  } catch (error) {
    if (!isNodeError(error)) throw error
    problems.push(error.message)
  }
  return problems
}

type Objects = Map<string, Uint8Array>
/** Changes a copy of the mirror. */
type Damage = (objects: Objects, random: Random) => void | Promise<void>
type Kind = 'manifests/' | 'lists/' | 'segments/'

function namesOf(objects: Objects, kind: Kind): string[] {
  return [...objects.keys()].filter((name) => name.startsWith(kind)).sort()
}

function changed(objects: Objects, name: string, change: (bytes: Uint8Array) => Uint8Array): void {
  objects.set(name, change((objects.get(name) as Uint8Array).slice()))
}

function flipped(random: Random, from: number, to: number): (bytes: Uint8Array) => Uint8Array {
  return (bytes) => {
    const start = Math.floor(from * bytes.length)
    const at = start + random.below(Math.max(1, Math.floor(to * bytes.length) - start))
    bytes[at] = (bytes[at] as number) ^ (1 << random.below(8))
    return bytes
  }
}

function onOne(kind: Kind, change: (random: Random) => (bytes: Uint8Array) => Uint8Array): Damage {
  return (objects, random) => changed(objects, random.pick(namesOf(objects, kind)), change(random))
}

function lost(kind: Kind): Damage {
  return (objects, random) => {
    const names = namesOf(objects, kind)
    // A mirror without its last manifest is the one of a block before, and one without its first was pruned.
    const needed = kind === 'manifests/' ? names.slice(1, -1) : names
    objects.delete(random.pick(needed))
  }
}

function swapped(kind: Kind): Damage {
  return (objects, random) => {
    const names = namesOf(objects, kind)
    const first = random.below(names.length)
    const [one, two] = [names[first] as string, names[(first + 1) % names.length] as string]
    const bytes = objects.get(one) as Uint8Array
    objects.set(one, objects.get(two) as Uint8Array)
    objects.set(two, bytes)
  }
}

const cut = (random: Random) => (bytes: Uint8Array) => bytes.slice(0, random.below(bytes.length))
const longer = (random: Random) => (bytes: Uint8Array) => Uint8Array.of(...bytes, random.below(256))
const page = () => () => new TextEncoder().encode('<html><body>502 Bad Gateway</body></html>')

/** Signs a manifest again, with other content or by another key. */
function signedAgain(change: (manifest: Manifest) => Manifest | Promise<Manifest>, signer = MIRROR_SIGNER): Damage {
  return async (objects, random) => {
    for (;;) {
      const number = 1 + random.below(BLOCKS)
      const name = manifestName(number)
      const bytes = objects.get(name) as Uint8Array
      const manifest = decodeManifest(bytes, number, MIRROR_SIGNER.address)
      const damaged = await encodeManifest(await change(manifest), (hash) => signer.sign(hash))
      objects.set(name, damaged)
      // Some changes do not concern each manifest, such as those of filters after a merge.
      if (!equalBytes(damaged, bytes)) return
    }
  }
}

/** A segment inside with a key that is private. */
async function withPrivateKey(manifest: Manifest): Promise<Manifest> {
  const builder = new SegmentBuilder()
  await builder.add({ key: keys.localTransaction(new Uint8Array(32).fill(1)), value: Uint8Array.of(1) })
  const segment = await builder.finish()
  const recent = { ...infoOf(segment), manifest: manifest.number, filter: segment.filter }
  return { ...manifest, recent: [...manifest.recent.slice(0, -1), recent], added: 1, inline: segment.content }
}

/** A filter that denies the keys of its segment. */
function withEmptyFilter(manifest: Manifest): Manifest {
  const recent = manifest.recent.map((segment) => ({ ...segment, filter: new Uint8Array(segment.filter.length || 1) }))
  return { ...manifest, recent }
}

export const DAMAGES: Readonly<Record<string, Damage>> = {
  'a bit of a manifest': onOne('manifests/', (random) => flipped(random, 0, 1)),
  'a bit of a signature': onOne('manifests/', (random) => flipped(random, 0.97, 1)),
  'a manifest that is cut off': onOne('manifests/', cut),
  'a manifest that is lost': lost('manifests/'),
  'two manifests that are swapped': swapped('manifests/'),
  'a manifest of another key': signedAgain((manifest) => manifest, STRANGER),
  'a manifest with a lower epoch': signedAgain((manifest) => ({ ...manifest, epoch: 1 })),
  'a manifest that follows another one': signedAgain((manifest) => ({ ...manifest, previous: manifest.identity })),
  'a manifest with a private key of the database': signedAgain(withPrivateKey),
  'filters that deny their keys': signedAgain(withEmptyFilter),
  'a page instead of a manifest': onOne('manifests/', page),
  'a bit of a list': onOne('lists/', (random) => flipped(random, 0, 1)),
  'a list that is lost': lost('lists/'),
  'two lists that are swapped': swapped('lists/'),
  'a bit in the blocks of a segment': onOne('segments/', (random) => flipped(random, 0, 0.5)),
  'a bit at the end of a segment': onOne('segments/', (random) => flipped(random, 0.9, 1)),
  'a segment that is cut off': onOne('segments/', cut),
  'a longer segment': (objects, random) => {
    const name = random.pick(namesOf(objects, 'segments/'))
    // Readers ask for the bytes that the list names, so only the list can lengthen a segment.
    changed(objects, name, (bytes) => longer(random)(bytes).slice(1))
  },
  'a segment that is lost': lost('segments/'),
  'another chain in mirror.json': (objects) => {
    changed(objects, 'mirror.json', (bytes) =>
      new TextEncoder().encode(new TextDecoder().decode(bytes).replace('1337', '1338')),
    )
  },
  'a hint beyond the last manifest': (objects, random) => {
    objects.set(LATEST_NAME, new TextEncoder().encode(String(BLOCKS + 2 + random.below(1000))))
  },
}

/** Files of a compiler in which something lies: damaged at random places of their JSON, or of their bytes. */
import type { ArtifactFolder } from '../../../src/base/ports/artifactFolder.ts'
import type { Random } from '../host/random.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

const MARKUP = '<img src=x onerror="globalThis.injected=1"><script>globalThis.injected=1</script>'
const nested = (depth: number): Json => (depth === 0 ? 1 : [nested(depth - 1)])
/** Values that fit no place. */
const VALUES: readonly (() => Json)[] = [
  () => null,
  () => true,
  () => -1,
  () => 0,
  () => 2 ** 53,
  () => 1e308,
  () => 0.5,
  () => '',
  () => [],
  () => ({}),
  () => MARKUP,
  () => '\ud800\u202e\u0000',
  () => 'x'.repeat(100_000),
  () => nested(1_500),
  () => new Array<Json>(20_000).fill(0),
  () => (10n ** 80n).toString(),
  () => `0x${'f'.repeat(65)}`,
  () => `uint8[${2n ** 255n}]`,
  () => 'tuple[][][][][][][][][][][][]',
  () => ({ __proto__: null, constructor: {}, toString: 1 }),
  () => ['toString', '__proto__', 'constructor'],
]
const RANGES = ['-1:-1:-1', '0:2147483647:0', '99999999999:1:0', '5:-5:0', '7:3:99', 'a:b:c', ':::::', '1:1:0', '']
/** Numbers and texts that name another part: a damage makes cycles, overlaps and references to nothing. */
const REFERENCES =
  /^(?:id|src|scope|type|base|key|value|slot|offset|numberOfBytes|encoding|label|referencedDeclaration)$/

/** @returns a copy in which some parts lie */
export function damaged(json: unknown, random: Random): Json {
  const copy = structuredClone(json) as Json
  const references = placesOf(copy).filter(({ name }) => REFERENCES.test(String(name)))
  const places = placesOf(copy)
  for (let left = 1 + random.below(8); left > 0; left--) {
    if (random.chance(50) && references.length > 1) {
      const { name } = random.pick(references)
      const alike = references.filter((place) => place.name === name)
      set(random.pick(alike), get(random.pick(alike)))
    } else {
      const place = random.pick(places)
      set(place, random.chance(20) ? get(random.pick(places)) : replaced(get(place), place.name, random))
    }
  }
  return copy
}

function replaced(value: Json, name: string | number, random: Random): Json {
  if (/sourceMap/i.test(String(name))) return hostileMap(random)
  if (name === 'src' || name === 'nameLocation') return random.pick(RANGES)
  if (typeof value === 'number' && random.chance(60)) return random.pick([value + 1, -value, value * 1_000_000, 0, 1])
  if (Array.isArray(value) && random.chance(40)) return [...value, ...value].reverse()
  return random.pick(VALUES)()
}

function hostileMap(random: Random): string {
  return Array.from(
    { length: random.below(2_000) },
    () => `${random.pick(RANGES)}:${random.pick(['i', 'o', '-', 'x'])}`,
  ).join(';')
}

interface Place {
  readonly owner: Record<string | number, Json>
  readonly name: string | number
}

const get = ({ owner, name }: Place): Json => structuredClone(owner[name] ?? null)

function set({ owner, name }: Place, value: Json): void {
  owner[name] = value
}

function placesOf(root: Json): Place[] {
  const places: Place[] = []
  const visit = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return
    const owner = value as unknown as Record<string | number, Json>
    for (const name of Object.keys(owner)) {
      places.push({ owner, name })
      visit(owner[name] ?? null)
    }
  }
  visit(root)
  return places
}

/** Damages the bytes of a text: what is no UTF-8, what ends too early, and what comes twice. */
export function damagedBytes(text: string, random: Random): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  for (let left = 1 + random.below(20); left > 0; left--) bytes[random.below(bytes.length)] = random.below(256)
  const end = random.chance(30) ? random.below(bytes.length) : bytes.length
  const start = random.chance(10) ? random.below(end + 1) : 0
  return random.chance(20)
    ? Uint8Array.from([...bytes.subarray(0, end), ...bytes.subarray(0, 1_000)])
    : bytes.subarray(start, end)
}

/** A folder with the given bytes in its files. */
export function folderOfBytes(files: ReadonlyMap<string, Uint8Array>): ArtifactFolder {
  const text = new TextDecoder()
  return {
    name: 'artifacts',
    files: async (max) =>
      [...files].slice(0, max).map(([path, bytes]) => ({ path, size: bytes.length, modifiedMs: 1 })),
    read: async (path) => {
      const bytes = files.get(path)
      return bytes && text.decode(bytes)
    },
    slice: async (path, start, end) => files.get(path)?.subarray(start, end),
    source: async (path) => files.get(path),
  }
}

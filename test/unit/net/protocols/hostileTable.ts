/**
 * Messages that no honest peer sends, made from valid ones: each part of a message is replaced by what is long, deep,
 * repeated or a lie. The cost of each is measured and limited.
 */
import { concatBytes } from '../../../../src/base/primitives/bytes.ts'
import { type DecodedItem, rlpDecode, rlpEncode, rlpListPrefix } from '../../../../src/base/primitives/rlp.ts'
import { cpuTimeMs } from '../../../support/host/cpuTime.ts'
import { garbageCollector } from '../../../support/host/garbageCollector.ts'

const MIB = 1_048_576
/** Largest message of RLPx after decompression. */
export const LARGEST_MESSAGE: number = 16 * MIB - 2
const LEVELS = 1000

/** Limits of one message. Heap counts beyond the bytes of the message itself. */
export const MAX_CPU_MS = 50
export const MAX_HEAP_MIB = 64
/** A measurement above the limit is repeated: another program or a collection of garbage may have disturbed it. */
const ATTEMPTS = 4

/** A message of a protocol, with the part of the node that receives it. */
export interface Target {
  readonly protocol: string
  readonly message: string
  /** A valid message, RLP. */
  readonly example: Uint8Array
  /** Longest payload that the protocol lets in. */
  readonly maxBytes: number
  /** Only the whole message is replaced: its parts are those of another target. */
  readonly isBrief?: boolean
  /** Prepares a fresh receiver. The result hands the message over, and returns what happened to the connection. */
  open(payload: Uint8Array): Promise<() => string | Promise<string>>
}

export interface Row {
  readonly protocol: string
  readonly message: string
  readonly shape: string
  readonly bytes: number
  readonly cpuMs: number
  readonly heapMiB: number
  readonly outcome: string
}

interface Shape {
  readonly name: string
  /** @param bytes that the part may take @param part the part that is replaced @returns undefined: not of this part */
  make(bytes: number, part: DecodedItem): Uint8Array | undefined
}

const filled = (length: number, byte: number): Uint8Array => new Uint8Array(Math.max(length, 0)).fill(byte)
const PREFIX = 5
const listOf = (bytes: number, item: number): Uint8Array => {
  const items = filled(bytes - PREFIX, item)
  return concatBytes(rlpListPrefix(items.length), items)
}

const SHAPES: readonly Shape[] = [
  { name: 'one-byte items', make: (bytes) => listOf(bytes, 0x01) },
  { name: 'empty lists', make: (bytes) => listOf(bytes, 0xc0) },
  { name: '1,000 levels', make: (bytes) => nested(bytes) },
  { name: 'equal bytes', make: (bytes) => rlpEncode(filled(bytes - PREFIX, 0)) },
  { name: 'longest list', make: (bytes, part) => repeated(bytes, part) },
  { name: 'a length beyond the end', make: () => Uint8Array.of(0xfb, 0x7f, 0xff, 0xff, 0xff, 0x01) },
  {
    name: 'a length of 8 bytes',
    make: () => Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01),
  },
]

/** Lists around one-byte items, each with a prefix of its real length. */
function nested(bytes: number): Uint8Array {
  const items = Math.max(bytes - LEVELS * PREFIX, 1)
  const prefixes: Uint8Array[] = []
  let length = items
  for (let i = 0; i < LEVELS; i++) {
    const prefix = rlpListPrefix(length)
    prefixes.push(prefix)
    length += prefix.length
  }
  return concatBytes(...prefixes.reverse(), filled(items, 0x01))
}

/** The first item of a list, as often as it fits. */
function repeated(bytes: number, part: DecodedItem): Uint8Array | undefined {
  if (part instanceof Uint8Array || part[0] === undefined) return undefined
  const item = rlpEncode(part[0])
  const count = Math.max(1, Math.floor((bytes - PREFIX) / item.length))
  const list = new Uint8Array(count * item.length)
  list.set(item)
  for (let length = item.length; length < list.length; length *= 2) list.copyWithin(length, 0, length)
  return concatBytes(rlpListPrefix(list.length), list)
}

/** The message itself and the parts in it: all lists, and of each list the first string. */
function* partsOf(item: DecodedItem, path: readonly number[] = []): Generator<readonly number[]> {
  yield path
  if (item instanceof Uint8Array) return
  const strings = item.findIndex((child) => child instanceof Uint8Array)
  for (const [i, child] of item.entries())
    if (!(child instanceof Uint8Array) || i === strings) yield* partsOf(child, [...path, i])
}

function partAt(item: DecodedItem, path: readonly number[]): DecodedItem {
  return path.reduce((list, i) => (list as DecodedItem[])[i] as DecodedItem, item)
}

/** The encoding with one part replaced. */
function replaced(item: DecodedItem, [at, ...path]: readonly number[], part: Uint8Array): Uint8Array {
  if (at === undefined) return part
  const items = (item as DecodedItem[]).map((child, i) => (i === at ? replaced(child, path, part) : rlpEncode(child)))
  const prefix = rlpListPrefix(items.reduce((sum, { length }) => sum + length, 0))
  return concatBytes(prefix, ...items)
}

/** Shapes of a short run, which replaces whole messages only. */
const SHORT_RUN: ReadonlySet<string> = new Set(['one-byte items', '1,000 levels', 'longest list'])

/** All hostile variants of a message, or those of a short run. */
export function* hostileVariants(
  { example, maxBytes, isBrief }: Pick<Target, 'example' | 'maxBytes' | 'isBrief'>,
  isShort = false,
): Generator<{
  readonly shape: string
  readonly payload: Uint8Array
}> {
  const tree = rlpDecode(example)
  for (const path of isBrief === true || isShort ? [[]] : partsOf(tree)) {
    const part = partAt(tree, path)
    const place = path.length === 0 ? '' : ` at ${path.join('.')}`
    const sizes =
      path.length === 0 && maxBytes < LARGEST_MESSAGE && maxBytes > MIB ? [maxBytes, LARGEST_MESSAGE] : [maxBytes]
    for (const { name, make } of SHAPES.filter((shape) => !isShort || SHORT_RUN.has(shape.name))) {
      for (const size of isShort ? [maxBytes] : sizes) {
        const content = make(size - (path.length === 0 ? 0 : example.length + PREFIX * path.length), part)
        const note = size > maxBytes ? ' (16 MiB)' : ''
        if (content !== undefined) yield { shape: `${name}${place}${note}`, payload: replaced(tree, path, content) }
      }
    }
  }
}

/** Each list in a message in turn as one of many items: cheap to send, costly to decode, and small enough for a short run. */
export function* manyItems({ example }: Pick<Target, 'example'>): ReturnType<typeof hostileVariants> {
  const tree = rlpDecode(example)
  for (const path of partsOf(tree)) {
    if (partAt(tree, path) instanceof Uint8Array) continue
    yield { shape: `1 MiB of items at ${path.join('.')}`, payload: replaced(tree, path, listOf(MIB, 0x01)) }
  }
}

const collect = garbageCollector()

interface Measured {
  readonly cpuMs: number
  readonly heapMiB: number
  readonly outcome: string
}

async function measureOnce(target: Pick<Target, 'open'>, payload: Uint8Array): Promise<Measured> {
  const receive = await target.open(payload)
  collect()
  const before = process.memoryUsage()
  const startMs = cpuTimeMs()
  const outcome = await receive()
  const cpuMs = cpuTimeMs() - startMs
  const after = process.memoryUsage()
  const bytes = after.heapUsed - before.heapUsed + after.arrayBuffers - before.arrayBuffers
  return { cpuMs, heapMiB: Math.max(0, bytes / MIB), outcome }
}

/**
 * The cost of one message. Repeated while it is above a limit, because other work of the process counts too.
 * @param tolerance factor for the time, where other programs share the machine
 */
export async function measure(
  target: Pick<Target, 'protocol' | 'message' | 'open'>,
  shape: string,
  payload: Uint8Array,
  tolerance: number,
): Promise<Row> {
  let best = await measureOnce(target, payload)
  for (let i = 1; i < ATTEMPTS && isExcessive(best, tolerance); i++) {
    const next = await measureOnce(target, payload)
    best = { ...next, cpuMs: Math.min(best.cpuMs, next.cpuMs), heapMiB: Math.min(best.heapMiB, next.heapMiB) }
  }
  const { protocol, message } = target
  return { protocol, message, shape, bytes: payload.length, ...best }
}

/** The rows of all variants of all targets. */
export async function measureAll(targets: readonly Target[], isShort: boolean, tolerance: number): Promise<Row[]> {
  const rows: Row[] = []
  for (const target of targets) {
    for (const { shape, payload } of hostileVariants(target, isShort)) {
      rows.push(await measure(target, shape, payload, tolerance))
    }
  }
  return rows
}

/** Whether a message costs more than the limits allow. @param tolerance as for {@link measure} */
export function isExcessive({ cpuMs, heapMiB }: Measured, tolerance: number): boolean {
  return cpuMs > MAX_CPU_MS * tolerance || heapMiB > MAX_HEAP_MIB
}

/** The costliest row of each message, as text. */
export function tableOf(rows: readonly Row[]): string {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const name = `${row.protocol} ${row.message}`
    groups.set(name, [...(groups.get(name) ?? []), row])
  }
  const lines = [...groups].map(([name, group]) => {
    const worst = group.reduce((a, b) => (b.cpuMs > a.cpuMs ? b : a))
    const heap = Math.max(...group.map(({ heapMiB }) => heapMiB))
    const outcomes = [...new Set(group.map(({ outcome }) => outcome))].join(', ')
    return [name, `${group.length}`, worst.cpuMs.toFixed(1), heap.toFixed(1), worst.shape, outcomes]
  })
  const head = ['message', 'variants', 'CPU ms', 'heap MiB', 'costliest', 'connection']
  const all = [head, ...lines]
  const widths = head.map((_, column) => Math.max(...all.map((line) => (line[column] as string).length)))
  return all
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] as number))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

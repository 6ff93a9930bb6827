/**
 * The runs of a store: which blocks are derived, by number on the canonical chain and by hash.
 * @module
 */

import {
  MAX_KNOWN_RUN_HASHES,
  MAX_OPEN_RUNS,
  MAX_PENDING_RUN_HASHES,
  RUN_STRETCH_CACHE_ITEMS,
} from '../../base/limits/devLimits.ts'
import type { Entry, KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { bytesToHexUnprefixed, concatBytes, equalBytes, readUint, uintBytes } from '../../base/primitives/bytes.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import { keyToText } from '../../storage/keyText.ts'
import { Column, keys, numberedParts } from '../../storage/schema.ts'
import { corrupt } from '../blockRecord.ts'
import { HISTORY_LENGTH } from '../transition/systemContracts.ts'
import { EmptyRun } from './emptyRun.ts'
import { decodeStoredRun, RUN_ID_BYTES, STRETCH_BLOCKS, type StoredRun } from './runRecord.ts'

const NUMBER_BYTES = 6
/** Blocks below the head whose hashes contracts can have seen: they are found without an index. */
const SEARCHED_BLOCKS = Number(HISTORY_LENGTH) + STRETCH_BLOCKS

/** Consecutive derived blocks of one run. */
export interface RunSegment {
  readonly run: EmptyRun
  readonly first: number
  readonly last: number
}

/** Numbers of consecutive derived blocks, and the id of their run. */
interface CanonicalRun {
  readonly first: number
  readonly last: number
  readonly id: Uint8Array
}

/** A derived block, by its hash. */
export interface RunBlock {
  readonly number: number
  readonly runId: Uint8Array
}

/** Values that the readers of one store have derived. Runs never change, so no value becomes stale. */
export class RunMemory {
  readonly stretches: LruCache<string, Uint8Array> = new LruCache(RUN_STRETCH_CACHE_ITEMS)
  readonly runs: LruCache<string, EmptyRun> = new LruCache(MAX_OPEN_RUNS)
  /** By hash as text. */
  readonly known: LruCache<string, RunBlock> = new LruCache(MAX_KNOWN_RUN_HASHES)
  /** Blocks that were read and are not in the index yet; empty unless `onPending` is set. */
  readonly pending: Map<string, RunBlock> = new Map()
  /** Called when a block is pending: the writer adds it to the index. */
  onPending: (() => void) | undefined
  /** Whether the store has runs: others are not searched for them. */
  isUsed = false

  note(hash: Uint8Array, block: RunBlock): void {
    const name = keyToText(hash)
    if (this.known.get(name) !== undefined) return
    this.known.set(name, block)
    if (this.onPending === undefined || this.pending.size >= MAX_PENDING_RUN_HASHES) return
    this.pending.set(name, block)
    this.onPending()
  }
}

export class RunTables {
  readonly memory: RunMemory
  readonly #reader: KeyValueReader

  constructor(reader: KeyValueReader, memory: RunMemory) {
    this.#reader = reader
    this.memory = memory
  }

  /** Whether the store has runs. Reads it as long as it has none. */
  refresh(): void {
    if (!this.memory.isUsed) this.memory.isUsed = this.#reader.get(keys.meta('runs')) !== undefined
  }

  /** The run of a stored record. */
  open(stored: StoredRun): EmptyRun {
    const name = bytesToHexUnprefixed(stored.id)
    const known = this.memory.runs.get(name)
    if (known !== undefined && known.stored.state.version === stored.state.version) return known
    const run = new EmptyRun(stored, this.memory.stretches)
    this.memory.runs.set(name, run)
    return run
  }

  /** Canonical chain only. */
  segmentAt(number: number): RunSegment | undefined {
    if (!this.memory.isUsed || number < 0) return undefined
    const [segment] = this.segments(number, number)
    return segment
  }

  /** Segments of the canonical chain that have blocks from `from` to `to`, ascending. */
  *segments(from: number, to: number): Generator<RunSegment, void, undefined> {
    if (!this.memory.isUsed) return
    for (const { first, last, id } of canonicalRuns(this.#reader, from, to)) {
      yield { run: this.#run(id, 'canonical'), first, last }
    }
  }

  /** The parts of a range of numbers between the derived blocks of the canonical chain, both ends inclusive, in order. */
  *gaps(
    from: number,
    to: number,
    isDescending = false,
  ): Generator<readonly [from: number, to: number], void, undefined> {
    let [low, high] = [from, to]
    if (this.memory.isUsed) {
      const runs = isDescending ? canonicalRunsDown : canonicalRuns
      for (const { first, last } of runs(this.#reader, from, to)) {
        const [begin, end] = isDescending ? [last + 1, high] : [low, first - 1]
        if (begin <= end) yield [begin, end]
        if (isDescending) high = first - 1
        else low = last + 1
      }
    }
    if (low <= high) yield [low, high]
  }

  /** The number itself, or the first one after the derived blocks of the canonical chain around it. */
  skip(number: number): number {
    let next = number
    if (this.memory.isUsed) for (const { last } of canonicalRuns(this.#reader, number, number)) next = last + 1
    return next
  }

  /** Number of derived blocks of the canonical chain from `from` to `to`. */
  count(from: number, to: number): number {
    if (!this.memory.isUsed) return 0
    let count = 0
    for (const { first, last } of canonicalRuns(this.#reader, from, to)) {
      count += Math.min(last, to) - Math.max(first, from) + 1
    }
    return count
  }

  /** Canonical chain only. */
  canonicalHash(number: number): Uint8Array | undefined {
    const segment = this.segmentAt(number)
    return segment && this.#hashOf(segment.run, number)
  }

  /** The run with this block, on any branch. */
  runOf(number: number, hash: Uint8Array): EmptyRun | undefined {
    if (!this.memory.isUsed) return undefined
    const known = this.memory.known.get(keyToText(hash)) ?? this.#indexed(hash)
    const run = known === undefined ? undefined : this.byId(known.runId)
    if (run !== undefined) return run
    const segment = this.segmentAt(number)
    return segment !== undefined && equalBytes(segment.run.hashOf(number), hash) ? segment.run : undefined
  }

  /** Number of a derived block, on any branch. */
  numberOf(hash: Uint8Array): number | undefined {
    if (!this.memory.isUsed) return undefined
    const known = this.memory.known.get(keyToText(hash)) ?? this.#indexed(hash)
    if (known !== undefined) return this.byId(known.runId) === undefined ? undefined : known.number
    return this.#search(hash)
  }

  /** Hash of a block that is about to be named to a client, which may ask for it or for its parent. */
  #hashOf(run: EmptyRun, number: number): Uint8Array {
    const hash = run.hashOf(number)
    this.memory.note(hash, { number, runId: run.id })
    if (number > run.first) this.memory.note(run.hashOf(number - 1), { number: number - 1, runId: run.id })
    return hash
  }

  /** Contracts know the hashes of the newest blocks before any client has read these. */
  #search(hash: Uint8Array): number | undefined {
    const [newest] = this.#reader.range({ prefix: Uint8Array.of(Column.canonicalRun), reverse: true, limit: 1 })
    if (newest === undefined) return undefined
    const end = readUint(newest[0], 1, NUMBER_BYTES)
    for (const { run, first, last } of this.segments(end - SEARCHED_BLOCKS, end)) {
      const number = run.find(hash, Math.max(first, end - SEARCHED_BLOCKS), last)
      if (number === undefined) continue
      this.memory.note(hash, { number, runId: run.id })
      return number
    }
    return undefined
  }

  #indexed(hash: Uint8Array): RunBlock | undefined {
    const bytes = this.#reader.get(keys.runBlock(hash))
    return bytes === undefined ? undefined : decodeRunBlock(bytes)
  }

  /** undefined when the store has no such run */
  byId(id: Uint8Array): EmptyRun | undefined {
    const known = this.memory.runs.get(bytesToHexUnprefixed(id))
    if (known !== undefined) return known
    const bytes = this.#reader.get(keys.emptyRun(id))
    return bytes === undefined ? undefined : this.open(decodeStoredRun(id, bytes))
  }

  #run(id: Uint8Array, what: string): EmptyRun {
    const run = this.byId(id)
    if (run === undefined) throw corrupt(`a ${what} run of empty blocks is missing`)
    return run
  }
}

/** Numbers of the derived blocks of the canonical chain, without the runs themselves. */
export function* canonicalRuns(
  reader: KeyValueReader,
  from: number,
  to: number,
): Generator<CanonicalRun, void, undefined> {
  const prefix = Uint8Array.of(Column.canonicalRun)
  for (let next = Math.max(0, from); next <= to; ) {
    const [entry] = reader.range({ prefix, from: keys.canonicalRun(next), limit: 1 })
    if (entry === undefined) return
    const run = decodeCanonicalRun(entry)
    if (run.first > to) return
    yield run
    next = run.last + 1
  }
}

/** {@link canonicalRuns}, descending. */
function* canonicalRunsDown(
  reader: KeyValueReader,
  from: number,
  to: number,
): Generator<CanonicalRun, void, undefined> {
  const prefix = Uint8Array.of(Column.canonicalRun)
  let next = to
  for (const entry of reader.range({ prefix, from: keys.canonicalRun(to), limit: 1 })) {
    const run = decodeCanonicalRun(entry)
    if (run.first > to) continue
    yield run
    next = run.first - 1
  }
  while (next >= Math.max(0, from)) {
    const [entry] = reader.range({ prefix, from: keys.canonicalRun(next), limit: 1, reverse: true })
    if (entry === undefined) return
    const run = decodeCanonicalRun(entry)
    if (run.last < from) return
    yield run
    next = run.first - 1
  }
}

function decodeCanonicalRun([key, value]: Entry): CanonicalRun {
  const { number: first, hash: id } = numberedParts(value, 0)
  return { first, last: readUint(key, 1, NUMBER_BYTES), id }
}

/** first block (6) ‖ id of the run (32) */
export function encodeCanonicalRun(first: number, id: Uint8Array): Uint8Array {
  return concatBytes(uintBytes(first, NUMBER_BYTES), id)
}

/** number (6) ‖ id of the run (32) */
export function encodeRunBlock({ number, runId }: RunBlock): Uint8Array {
  return concatBytes(uintBytes(number, NUMBER_BYTES), runId)
}

function decodeRunBlock(bytes: Uint8Array): RunBlock {
  if (bytes.length !== NUMBER_BYTES + RUN_ID_BYTES) throw corrupt(`index entry of ${bytes.length} bytes`)
  return { number: readUint(bytes, 0, NUMBER_BYTES), runId: bytes.slice(NUMBER_BYTES) }
}

/**
 * Looks up terms: complete sections need one row per term; other blocks are checked one by one.
 * @module
 */
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { rlpDecode } from '../../base/primitives/rlp.ts'
import { keys } from '../../storage/schema.ts'
import { BloomQuestion } from '../../types/bloom.ts'
import { decodeHeader } from '../../types/headerCodec.ts'
import { MAX_LOG_TOPICS } from '../../types/receipt.ts'
import { corrupt } from '../blockRecord.ts'
import type { ChainIndex, LogTerms } from '../contract.ts'
import type { RunTables } from '../emptyRuns/runTables.ts'
import { requireNoBlock } from '../missingBlock.ts'
import { RecentBlocks } from '../recentBlocks.ts'
import { firstAtLeast, TERM_BYTES } from './blockTerms.ts'
import { readBlocks } from './canonicalBlocks.ts'
import { decodeSectionHead, forEachBlock, partitionOf, SECTION_BLOCKS } from './section.ts'
import { accountTerm, logAddressTerm, logTopicTerm, UNKNOWN_ACCOUNTS } from './terms.ts'

/** Sections and rows that a query reads in parallel. */
const LOOKUP_SECTIONS = 32
const LOOKUP_ROWS = 256

/** Size of the first batch of blocks that is read outside complete sections. */
const FIRST_BLOCKS = 8

/** A block must contain at least one term of each list. */
type Conditions = readonly (readonly number[])[]

interface Question {
  readonly conditions: Conditions
  /** Checks the bloom of a block without an index row. */
  mayHold(bloom: Uint8Array): boolean
}

/** How blocks are read. */
interface Reading {
  readonly reader: KeyValueReader
  readonly recent: RecentBlocks
}

export class TermIndex implements ChainIndex {
  readonly #reading: Reading
  readonly #runs: Pick<RunTables, 'gaps' | 'skip'> | undefined

  /**
   * @param runs derived blocks, in which nothing is found; undefined: there are none
   * @param recent blocks of the same store
   */
  constructor(
    reader: KeyValueReader,
    runs?: Pick<RunTables, 'gaps' | 'skip'>,
    recent: RecentBlocks = new RecentBlocks(reader),
  ) {
    this.#reading = { reader, recent }
    this.#runs = runs
  }

  blocksWithLogs({ addresses, topics }: LogTerms, from: number, to: number): Iterable<number> {
    if (topics.length > MAX_LOG_TOPICS) return []
    const conditions: number[][] = []
    const lists: (readonly Uint8Array[])[] = []
    if (addresses.length > 0) {
      conditions.push(addresses.map(logAddressTerm))
      lists.push(addresses)
    }
    for (const [position, alternatives] of topics.entries()) {
      if (alternatives === undefined) continue
      conditions.push(alternatives.map((topic) => logTopicTerm(position, topic)))
      lists.push(alternatives)
    }
    const bloomQuestion = new BloomQuestion(lists)
    const question = { conditions, mayHold: (bloom: Uint8Array) => bloomQuestion.mayHold(bloom) }
    return this.#search(question, from, to, false)
  }

  blocksWithAccounts(
    addresses: readonly Uint8Array[],
    from: number,
    to: number,
    isDescending = false,
  ): Iterable<number> {
    const conditions = [[UNKNOWN_ACCOUNTS, ...addresses.map(accountTerm)]]
    return this.#search({ conditions, mayHold: () => true }, from, to, isDescending)
  }

  skipDerived(number: number): number {
    return this.#runs?.skip(number) ?? number
  }

  *#search(question: Question, from: number, to: number, isDescending: boolean): Generator<number, void, undefined> {
    const gaps = this.#runs?.gaps(from, to, isDescending) ?? [[from, to] as const]
    for (const [low, high] of gaps) yield* search(this.#reading, question, low, high, isDescending)
  }
}

function* search(
  reading: Reading,
  question: Question,
  from: number,
  to: number,
  isDescending: boolean,
): Generator<number, void, undefined> {
  const { conditions } = question
  if (conditions.some((alternatives) => alternatives.length === 0)) return
  const first = Math.max(from, 0)
  const terms = conditions.reduce((sum, { length }) => sum + length, 0)
  const most = Math.max(1, Math.min(LOOKUP_SECTIONS, Math.floor(LOOKUP_ROWS / Math.max(terms, 1))))
  const firstSection = Math.floor(first / SECTION_BLOCKS)
  const total = Math.floor(to / SECTION_BLOCKS) - firstSection + 1
  // The group grows from one section, so that a caller who stops early does not pay for many.
  for (let done = 0, group = 1; done < total; done += group, group = Math.min(most, 2 * group)) {
    const count = Math.min(group, total - done)
    const lowest = firstSection + (isDescending ? total - done - count : done)
    const sections = searchSections(reading.reader, conditions, lowest, count)
    for (let i = 0; i < count; i++) {
      const at = isDescending ? count - 1 - i : i
      const start = (lowest + at) * SECTION_BLOCKS
      const [low, high] = [Math.max(first, start), Math.min(to, start + SECTION_BLOCKS - 1)]
      const blocks = sections[at]
      if (blocks === undefined) yield* searchBlocks(reading, question, low, high, isDescending)
      else yield* flagged(blocks, start, low, high, isDescending)
    }
  }
}

/** The numbers from `low` to `high` whose flag is set, in a section that begins with block `start`. */
function* flagged(
  blocks: Uint8Array,
  start: number,
  low: number,
  high: number,
  isDescending: boolean,
): Generator<number, void, undefined> {
  for (let i = low; i <= high; i++) {
    const number = isDescending ? high + low - i : i
    if (blocks[number - start] === 1) yield number
  }
}

/** One flag per block of each section; undefined for an incomplete section. */
function searchSections(
  reader: KeyValueReader,
  conditions: Conditions,
  section: number,
  count: number,
): (Uint8Array | undefined)[] {
  const terms = conditions.flat()
  const rowKeys: Uint8Array[] = []
  const places = completeSections(reader, section, count).map((bits, i) => {
    if (bits === undefined) return undefined
    // Index of each partition's row among the rows that are read.
    const rowAt = new Map<number, number>()
    for (const partition of new Set(terms.map((term) => partitionOf(term, bits)))) {
      rowAt.set(partition, rowKeys.push(keys.termPartition(section + i, partition)) - 1)
    }
    return { bits, rowAt }
  })
  const rows = reader.getMany(rowKeys)
  for (const [i, row] of rows.entries()) if (row === undefined) reader.requireAbsent?.(rowKeys[i] as Uint8Array)
  return places.map((place) => {
    if (place === undefined) return undefined
    const { bits, rowAt } = place
    return matchSection(conditions, (term) => rows[rowAt.get(partitionOf(term, bits)) as number])
  })
}

/**
 * Bits of the partition number of each section; undefined when the section is incomplete or belongs to another branch.
 */
function completeSections(reader: KeyValueReader, section: number, count: number): (number | undefined)[] {
  const numbers = Array.from({ length: count }, (_, i) => section + i)
  const heads = reader.getMany(numbers.map((number) => keys.termSection(number)))
  const lasts = reader.getMany(numbers.map((number) => keys.canonicalHash((number + 1) * SECTION_BLOCKS - 1)))
  return heads.map((bytes, i) => {
    const last = lasts[i]
    if (bytes === undefined || last === undefined) return undefined
    const { lastHash, bits } = decodeSectionHead(bytes)
    return equalBytes(lastHash, last) ? bits : undefined
  })
}

function matchSection(conditions: Conditions, rowOf: (term: number) => Uint8Array | undefined): Uint8Array {
  let blocks = new Uint8Array(SECTION_BLOCKS).fill(1)
  for (const alternatives of conditions) {
    const matches = new Uint8Array(SECTION_BLOCKS)
    for (const term of alternatives) {
      const row = rowOf(term)
      if (row === undefined) continue
      forEachBlock(row, term, (block) => {
        matches[block] = blocks[block] as number
      })
    }
    blocks = matches
  }
  return blocks
}

/** Blocks outside complete sections. */
function* searchBlocks(
  reading: Reading,
  question: Question,
  from: number,
  to: number,
  isDescending: boolean,
): Generator<number, void, undefined> {
  const total = to - from + 1
  for (let done = 0, count = FIRST_BLOCKS; done < total; done += count, count *= 2) {
    const size = Math.min(count, total - done)
    if (isDescending) yield* searchRows(reading, question, to - done - size + 1, to - done).reverse()
    else yield* searchRows(reading, question, from + done, from + done + size - 1)
  }
}

/** Checks blocks by their index rows, or by their blooms where there is no row. */
function searchRows(
  { reader, recent }: Reading,
  { conditions, mayHold }: Question,
  from: number,
  to: number,
): number[] {
  const blocks = recent.read(from, to) ?? readBlocks(reader, from, to)
  if (blocks.length <= to - from) requireNoBlock(reader, from + blocks.length)
  const unindexed = blocks.flatMap(({ hash, terms }, i) => (terms === undefined ? [keys.header(from + i, hash)] : []))
  const headers = reader.getMany(unindexed).values()
  const found: number[] = []
  for (const [i, { terms }] of blocks.entries()) {
    const isFound = terms === undefined ? mayHold(bloomOf(headers.next().value)) : matchesBlock(terms, conditions)
    if (isFound) found.push(from + i)
  }
  return found
}

function bloomOf(header: Uint8Array | undefined): Uint8Array {
  if (header === undefined) throw corrupt('a header is missing')
  return decodeHeader(rlpDecode(header)).logsBloom
}

function matchesBlock(terms: DataView, conditions: Conditions): boolean {
  const count = terms.byteLength / TERM_BYTES
  const has = (term: number): boolean => {
    const at = firstAtLeast(terms, count, term)
    return at < count && terms.getUint32(at * TERM_BYTES) === term
  }
  return conditions.every((alternatives) => alternatives.some(has))
}

/**
 * Blocks of a remote under the keys of this node's database.
 * @module
 */
import { FORK_BLOCK_BYTES, FORK_INDEX_ENTRIES } from '../base/limits/limits.ts'
import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import { addLocation, decodeTransactionKeys, encodeNumber } from '../chain/blockRecord.ts'
import { keyToText } from '../storage/keyText.ts'
import { Column, keys as databaseKeys, numberedKey } from '../storage/schema.ts'
import { encodeHeader } from '../types/headerCodec.ts'
import { contradictedAnswer, memoryExceeded, unknownBlock } from './errors.ts'
import { type ForkHeader, recordOf } from './forkBlock.ts'
import { type ForkBody, sizeOf } from './forkContent.ts'
import { NumberWalk } from './numberWalk.ts'
import type { RemoteBlocks } from './remoteBlocks.ts'
import type { RemoteHeaders } from './remoteHeaders.ts'

/** Marks a key that the remote is known to lack. */
const ABSENT: unique symbol = Symbol('absent')
/** Estimated memory of an entry in addition to its bytes. */
const ENTRY_OVERHEAD = 160

/** undefined: not in memory, so that it has to be loaded. */
export type Found = Uint8Array | typeof ABSENT | undefined

export function isAbsent(found: Found): found is typeof ABSENT {
  return found === ABSENT
}

const PART_COLUMNS: ReadonlySet<number> = new Set([
  Column.header,
  Column.body,
  Column.receipts,
  Column.senders,
  Column.blockRecord,
])

/** Parts of the blocks of a remote in memory, loaded by the keys under which the chain looks for them. */
export class ForkBlocks {
  readonly #headers: RemoteHeaders
  readonly #blocks: RemoteBlocks
  readonly #forkNumber: number
  /** Of the parent of the fork block, which is always found. */
  readonly #parentKey: string
  /** By database key. */
  readonly #parts = new LruCache<string, Uint8Array | typeof ABSENT>(FORK_BLOCK_BYTES)
  /** By database key of an index by hash. */
  readonly #index = new LruCache<string, Uint8Array | typeof ABSENT>(FORK_INDEX_ENTRIES)

  readonly #walk = new NumberWalk()

  constructor(headers: RemoteHeaders, blocks: RemoteBlocks, forkBlock: ForkHeader) {
    this.#headers = headers
    this.#blocks = blocks
    this.#forkNumber = forkBlock.number
    this.#parentKey = keyToText(databaseKeys.numberByHash(forkBlock.header.parentHash))
    this.#indexBlock(forkBlock)
  }

  /** Whether blocks of the remote may have the key, so that a local store without it is no answer. */
  mayHave(key: Uint8Array): boolean {
    const column = key[0] as number
    if (column === Column.canonicalHash) return numberedKey(key).number < this.#forkNumber
    return PART_COLUMNS.has(column) && numberedKey(key).number <= this.#forkNumber
  }

  /** For a key of {@link mayHave}. */
  part(key: Uint8Array): Found {
    if (key[0] !== Column.canonicalHash) return this.#parts.get(keyToText(key))
    return this.#headers.canonicalHash(numberedKey(key).number)
  }

  /** For a key of an index by hash. */
  indexed(key: Uint8Array): Found {
    const text = keyToText(key)
    return text === this.#parentKey && this.#forkNumber > 0 ? encodeNumber(this.#forkNumber - 1) : this.#index.get(text)
  }

  /** @throws {NodeError} RESIDENT_MEMORY_EXCEEDED, and those of the remote */
  async load(keys: readonly Uint8Array[]): Promise<void> {
    const of = (column: number) => keys.filter((key) => key[0] === column)
    await this.#loadCanonical(of(Column.canonicalHash).map((key) => numberedKey(key).number))
    await this.#loadNumbers(of(Column.numberByHash).map((key) => key.subarray(1)))
    await this.#loadLocations(of(Column.transactionIndex).map((key) => key.subarray(1)))
    await this.#loadParts(keys.filter((key) => PART_COLUMNS.has(key[0] as number)))
    if (keys.some((key) => this.#isMissing(key))) throw memoryExceeded()
  }

  #isMissing(key: Uint8Array): boolean {
    return (this.mayHave(key) ? this.part(key) : this.indexed(key)) === undefined
  }

  async #loadCanonical(numbers: readonly number[]): Promise<void> {
    const isUnknown = (number: number): boolean => this.#headers.canonicalHash(number) === undefined
    const unknown = new Set(numbers.filter(isUnknown))
    if (unknown.size === 0) return
    const ahead = this.#walk.next(numbers).filter((number) => number < this.#forkNumber && isUnknown(number))
    for (const block of await this.#headersAt([...unknown], ahead)) this.#keepHeader(block)
  }

  /** Headers, and those ahead of them, which nobody may need, and so must not fail. */
  async #headersAt(numbers: readonly number[], ahead: readonly number[]): Promise<ForkHeader[]> {
    try {
      return await this.#headers.at([...new Set([...numbers, ...ahead])])
    } catch (error) {
      if (ahead.length === 0 || !isNodeError(error) || error.code === 'FORK_RATE_LIMITED') throw error
      return await this.#headers.at(numbers)
    }
  }

  async #loadNumbers(hashes: readonly Uint8Array[]): Promise<void> {
    if (hashes.length === 0) return
    const blocks = await this.#headers.of(hashes)
    hashes.forEach((hash, i) => {
      const block = blocks[i]
      if (block === undefined) this.#index.set(keyToText(databaseKeys.numberByHash(hash)), ABSENT)
      else this.#keepHeader(block)
    })
  }

  async #loadLocations(hashes: readonly Uint8Array[]): Promise<void> {
    if (hashes.length === 0) return
    const claims = await this.#blocks.locations(hashes)
    for (const [i, claim] of claims.entries()) {
      const hash = hashes[i] as Uint8Array
      const isVisible = claim !== undefined && claim.blockNumber <= this.#forkNumber
      const value = isVisible ? await this.#provenLocation(hash, claim.blockNumber, claim.index) : ABSENT
      this.#index.set(keyToText(databaseKeys.transactionIndex(hash)), value)
    }
  }

  /** Only a block that has the transaction proves its place. */
  async #provenLocation(hash: Uint8Array, number: number, index: number): Promise<Uint8Array> {
    const [block] = await this.#canonicalHeaders([number])
    const [body] = await this.#loadBodies([block as ForkHeader])
    const found = decodeTransactionKeys((body as ForkBody).transactionKeys).hashes[index]
    if (found !== undefined && equalBytes(found, hash)) return addLocation(undefined, number, index)
    throw contradictedAnswer(`transaction ${bytesToHex(hash)}`, `block ${number} does not have it at index ${index}`)
  }

  async #canonicalHeaders(numbers: readonly number[]): Promise<ForkHeader[]> {
    const blocks = await this.#headers.at(numbers)
    for (const block of blocks) this.#keepHeader(block)
    return blocks
  }

  async #loadParts(keys: readonly Uint8Array[]): Promise<void> {
    const missing = keys.filter((key) => this.#parts.get(keyToText(key)) === undefined)
    if (missing.length === 0) return
    const hashes = new Map(missing.map((key) => hashEntry(key)))
    const blocks = await this.#headers.of([...hashes.values()])
    const byHash = new Map<string, ForkHeader>()
    for (const [i, [text, hash]] of [...hashes].entries()) {
      const block = blocks[i]
      if (block === undefined) throw unknownBlock(`block ${bytesToHex(hash)}`)
      byHash.set(text, block)
      this.#keepHeader(block)
    }
    const needing = (...columns: readonly number[]): ForkHeader[] => {
      const texts = missing
        .filter((key) => columns.includes(key[0] as number))
        .map((key) => keyToText(numberedKey(key).hash))
      return [...new Set(texts)].map((text) => byHash.get(text) as ForkHeader)
    }
    const withReceipts = needing(Column.receipts)
    await this.#loadBodies(needing(Column.body, Column.senders).filter((block) => !withReceipts.includes(block)))
    await this.#loadReceipts(withReceipts)
    if (this.#blocks.isStrict) await this.#loadSizes(needing(Column.header, Column.blockRecord))
  }

  async #loadBodies(blocks: readonly ForkHeader[]): Promise<ForkBody[]> {
    if (blocks.length === 0) return []
    const bodies = await this.#blocks.bodies(blocks)
    if (this.#blocks.isStrict) this.#checkForkBlock(blocks, bodies)
    bodies.forEach((body, i) => {
      const { number, hash } = blocks[i] as ForkHeader
      this.#keepPart(databaseKeys.body(number, hash), body.rlp)
      const { transactionKeys } = body
      this.#keepPart(databaseKeys.senders(number, hash), transactionKeys.length === 0 ? ABSENT : transactionKeys)
    })
    return bodies
  }

  /** The local store has the size of the fork block as the remote said it. @throws {NodeError} PROOF_INVALID */
  #checkForkBlock(blocks: readonly ForkHeader[], bodies: readonly ForkBody[]): void {
    const at = blocks.findIndex(({ number }) => number === this.#forkNumber)
    const [block, body] = [blocks[at], bodies[at]]
    if (block === undefined || body === undefined) return
    const size = sizeOf(block, body)
    if (size === block.size) return
    throw contradictedAnswer(`size of block ${block.number}`, `it is ${size}, not ${block.size}`)
  }

  /** Where only proofs count, the body tells the size. */
  async #loadSizes(blocks: readonly ForkHeader[]): Promise<void> {
    const bodies = await this.#loadBodies(blocks)
    bodies.forEach((body, i) => {
      const block = blocks[i] as ForkHeader
      this.#keepParts({ ...block, size: sizeOf(block, body) })
    })
  }

  async #loadReceipts(blocks: readonly ForkHeader[]): Promise<void> {
    if (blocks.length === 0) return
    const receipts = await this.#blocks.receipts(blocks, await this.#loadBodies(blocks))
    receipts.forEach((value, i) => {
      const { number, hash } = blocks[i] as ForkHeader
      this.#keepPart(databaseKeys.receipts(number, hash), value ?? ABSENT)
    })
  }

  #keepHeader(block: ForkHeader): void {
    if (!this.#blocks.isStrict) this.#keepParts(block)
    this.#indexBlock(block)
  }

  #keepParts(block: ForkHeader): void {
    const { number, hash, header } = block
    this.#keepPart(databaseKeys.header(number, hash), encodeHeader(header))
    this.#keepPart(databaseKeys.blockRecord(number, hash), recordOf(block))
  }

  /** A block is found by its hash, and so is its parent. */
  #indexBlock({ number, hash, header, isVerified }: ForkHeader): void {
    this.#index.set(keyToText(databaseKeys.numberByHash(hash)), encodeNumber(number))
    if (number === 0 || !isVerified) return
    this.#index.set(keyToText(databaseKeys.numberByHash(header.parentHash)), encodeNumber(number - 1))
  }

  #keepPart(key: Uint8Array, value: Uint8Array | typeof ABSENT): void {
    const text = keyToText(key)
    const bytes = value === ABSENT ? 0 : value.length
    this.#parts.set(text, value, text.length + bytes + ENTRY_OVERHEAD)
  }
}

function hashEntry(key: Uint8Array): [text: string, hash: Uint8Array] {
  const { hash } = numberedKey(key)
  return [keyToText(hash), hash]
}

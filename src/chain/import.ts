/**
 * Pipeline of `blocks import`: while the writer executes one chunk of blocks, the senders of the next chunks are
 * recovered.
 * @see docs/reference/cli-and-config.md section 7
 * @module
 */

import {
  IMPORT_CHUNK_BLOCKS,
  IMPORT_CHUNK_BYTES,
  IMPORT_CHUNK_GAS,
  IMPORT_CHUNKS_AHEAD,
} from '../base/limits/limits.ts'
import type { Clock, SenderRecovery } from '../base/ports/host.ts'
import type { Residency } from '../base/ports/keyValueStore.ts'
import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import { isNodeError, type NodeError } from '../base/primitives/errors.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import { decodeBlock } from '../types/blockCodec.ts'
import type { ChainHeader, ImportOptions, ImportOutcome } from './contract.ts'
import type { BlockHasher } from './engine.ts'
import type { ImportEnd, ImportProgress, ImportReport } from './importReport.ts'
import { ImportTally } from './importTally.ts'
import { type EncodedBlock, encodedBlock, type PreparedBlock, prepareBlocks } from './preparedBlock.ts'

export type BlockSource = Uint8Array | EncodedBlock

export interface ImportPipelineOptions extends Pick<ImportOptions, 'verifySeal' | 'signal'> {
  /**
   * Blocks in order, as RLP (types/blockSplitter.ts) or decoded; a NodeError of the source ends the import at that block.
   */
  readonly blocks: AsyncIterable<BlockSource> | Iterable<BlockSource>
  /** Whether the next block of the source has to be waited for: the preceding ones are then imported without it. */
  isWaiting?(): boolean
  /** First block to import; earlier ones are skipped. */
  readonly startBlock?: bigint
  /** First block not to import. */
  readonly endBlock?: bigint
  /** Length of the source, for estimating the remaining time. */
  readonly totalBytes?: number
  onProgress?(progress: ImportProgress): void
}

/** The chain as the pipeline uses it. */
export interface ImportTarget {
  readonly genesis: ChainHeader
  readonly consensus: BlockHasher
  isCanonical(hash: Uint8Array): boolean
  importRun(run: readonly PreparedBlock[], options: ImportOptions): Promise<ImportOutcome[]>
}

export interface ImportModules {
  readonly chain: ImportTarget
  readonly senders: SenderRecovery
  readonly clock: Clock
  /** Needed over a store that is not fully resident. */
  readonly residency?: Residency
}

/** Blocks for one call of the writer. */
interface Chunk {
  readonly prepared: Promise<readonly PreparedBlock[]>
  readonly skipped: number
  readonly bytesRead: number
  /** Reason why the source ended; undefined: it continues. */
  readonly end: ImportEnd | undefined
}

/** Imports the blocks of the source up to its end or the first invalid block; the preceding blocks are kept. */
export async function importBlocks(modules: ImportModules, options: ImportPipelineOptions): Promise<ImportReport> {
  const tally = new ImportTally(modules.clock, options.totalBytes)
  const source = readChunks(modules, options)
  const readAhead = (): Promise<IteratorResult<Chunk, void>> => {
    const next = source.next()
    // Awaited later in order, or never after an earlier failure.
    next.catch(() => {})
    return next
  }
  const ahead = Array.from({ length: IMPORT_CHUNKS_AHEAD }, readAhead)
  let running: RunningChunk | undefined
  try {
    for (;;) {
      const next = await (ahead.shift() as Promise<IteratorResult<Chunk, void>>)
      ahead.push(readAhead())
      // The store writes the end of a chunk while the next one is executed.
      const before = running
      const started = next.done === true ? undefined : startChunk(modules, options, next.value, before?.isQueued)
      running = started
      const end = before && (await finishChunk(before, tally))
      if (before !== undefined) options.onProgress?.(tally.progress())
      if (end !== undefined) return { ...tally.progress(), end }
      if (started === undefined) return { ...tally.progress(), end: { kind: 'done' } }
    }
  } finally {
    await source.return(undefined)
    await Promise.allSettled([...ahead, running?.outcomes])
  }
}

/** A chunk that the writer imports. */
interface RunningChunk {
  readonly chunk: Chunk
  /** Settles when the next chunk will follow it. */
  readonly isQueued: Promise<unknown>
  /** undefined: the import was aborted before */
  readonly outcomes: Promise<ImportOutcome[] | undefined>
}

function startChunk(
  { chain }: ImportModules,
  { verifySeal, signal }: ImportPipelineOptions,
  chunk: Chunk,
  after: Promise<unknown> | undefined,
): RunningChunk {
  let onQueued = (): void => {}
  const queued = new Promise<void>((resolve) => {
    onQueued = resolve
  })
  const importChunk = async (): Promise<ImportOutcome[] | undefined> => {
    const run = await chunk.prepared
    await after
    if (signal?.aborted) return undefined
    if (run.length === 0) return []
    return chain.importRun(run, {
      ...(verifySeal === undefined ? {} : { verifySeal }),
      ...(signal === undefined ? {} : { signal }),
      onQueued,
    })
  }
  const outcomes = importChunk()
  // Awaited in order, or never after an earlier failure.
  const ended = outcomes.catch(() => {})
  return { chunk, isQueued: Promise.race([queued, ended]), outcomes }
}

async function finishChunk({ chunk, outcomes }: RunningChunk, tally: ImportTally): Promise<ImportEnd | undefined> {
  const run = await chunk.prepared
  tally.read(chunk.bytesRead, chunk.skipped)
  const ended = await outcomes
  if (ended === undefined) return { kind: 'aborted' }
  for (const [i, outcome] of ended.entries()) {
    const reason = tally.count(outcome, run[i] as PreparedBlock)
    if (reason !== undefined) return failedAt((run[i] as PreparedBlock).block.header.number, reason)
  }
  return ended.length < run.length ? { kind: 'aborted' } : chunk.end
}

function failedAt(number: bigint, reason: string): ImportEnd {
  return { kind: 'failed', number, reason: `Invalid block at block number ${number}: ${reason}` }
}

async function* readChunks(
  modules: ImportModules,
  options: ImportPipelineOptions,
): AsyncGenerator<Chunk, void, undefined> {
  const builder = new ChunkBuilder(modules)
  let next = 0n
  try {
    for await (const input of options.blocks) {
      const encoded =
        input instanceof Uint8Array ? encodedBlock(decodeBlock(input), modules.chain.consensus, input) : input
      const { number } = encoded.block.header
      next = number + 1n
      if (options.endBlock !== undefined && number >= options.endBlock) {
        yield builder.build({ kind: 'done' })
        return
      }
      const wanted = options.startBlock === undefined || number >= options.startBlock
      const reason = await retryMisses(() => builder.add(encoded, wanted), modules.residency)
      if (reason !== undefined) {
        yield builder.build(failedAt(number, reason))
        return
      }
      if (builder.isFull || options.isWaiting?.() === true) yield builder.build(undefined)
    }
  } catch (error) {
    if (!isMalformed(error)) throw error
    yield builder.build(failedAt(next, error.message))
    return
  }
  yield builder.build({ kind: 'done' })
}

/** The source contains bytes that are not a block. */
function isMalformed(error: unknown): error is NodeError {
  return isNodeError(error) && /^(?:INVALID|UNSUPPORTED)_/.test(error.code)
}

/** Collects blocks until a chunk is large enough for the writer. */
class ChunkBuilder {
  readonly #chain: ImportTarget
  readonly #senders: SenderRecovery
  #blocks: EncodedBlock[] = []
  #skipped = 0
  #gasUsed = 0n
  #bytesRead = 0
  #bytesBefore = 0

  constructor({ chain, senders }: ImportModules) {
    this.#chain = chain
    this.#senders = senders
  }

  get isFull(): boolean {
    return (
      this.#blocks.length + this.#skipped >= IMPORT_CHUNK_BLOCKS ||
      this.#bytesRead - this.#bytesBefore >= IMPORT_CHUNK_BYTES ||
      this.#gasUsed >= IMPORT_CHUNK_GAS
    )
  }

  /**
   * @returns why the block ends the import
   * @throws {StoreMiss} before anything has changed
   */
  add(encoded: EncodedBlock, wanted: boolean): string | undefined {
    const { block, hash, rlp } = encoded
    const isKnown = this.#chain.isCanonical(hash)
    this.#bytesRead += rlp.length
    const { genesis } = this.#chain
    if (block.header.number === genesis.header.number && !equalBytes(hash, genesis.hash))
      return `genesis block ${bytesToHex(hash)}, this chain has ${bytesToHex(genesis.hash)}`
    if (!wanted || isKnown) {
      this.#skipped++
      return undefined
    }
    this.#blocks.push(encoded)
    this.#gasUsed += block.header.gasUsed
    return undefined
  }

  build(end: ImportEnd | undefined): Chunk {
    const prepared = prepareBlocks(this.#blocks, this.#senders)
    // Awaited with its chunk, or never after an earlier failure.
    prepared.catch(() => {})
    const chunk: Chunk = { prepared, skipped: this.#skipped, bytesRead: this.#bytesRead, end }
    this.#blocks = []
    this.#skipped = 0
    this.#gasUsed = 0n
    this.#bytesBefore = this.#bytesRead
    return chunk
  }
}

/**
 * Traces the transactions of a block, each into a separate file.
 * @see docs/reference/debug-and-trace.md section 6
 * @module
 */

import type { Clock } from '../base/ports/host.ts'
import type { TraceFile, TraceFiles } from '../base/ports/traceFiles.ts'
import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import { JsonWriter } from '../base/primitives/jsonWriter.ts'
import type { ChainHeader } from '../chain/contract.ts'
import type { Block } from '../types/block.ts'
import { transactionHash } from '../types/transactionCodec.ts'
import type { BlockTracePlan, BlockTracing, TraceLimits, Tracer } from './contract.ts'
import { eip3155Tracer } from './structLog/eip3155.ts'

/** Number of hash characters in a file name, including `0x`. */
const HASH_PREFIX = 10

export interface TracedBlock {
  readonly block: Block
  /** 32 bytes */
  readonly hash: Uint8Array
  /** The stored header; undefined for a rejected block, which runs on top of `parent`. */
  readonly stored: ChainHeader | undefined
  readonly parent: ChainHeader
}

export interface TraceFileOptions {
  /** Trace only this transaction; undefined for all. */
  readonly transactionHash: Uint8Array | undefined
  readonly showsMemory: boolean
}

export class BlockTraceFiles {
  readonly #files: TraceFiles
  readonly #tracing: BlockTracing
  readonly #clock: Clock

  constructor(files: TraceFiles, tracing: BlockTracing, clock: Clock) {
    this.#files = files
    this.#tracing = tracing
    this.#clock = clock
  }

  /**
   * Writes all the files or none.
   * @returns their absolute paths, in transaction order
   * @throws {NodeError} TRACE_DISK_FULL, TRACE_FILES_FULL, TRACE_FILE_FAILED, and the errors of tracing
   */
  async write(target: TracedBlock, options: TraceFileOptions, limits: TraceLimits): Promise<readonly string[]> {
    const selectedNames = namesOf(target, options, this.#clock.now())
    if (selectedNames.length === 0) return []
    const run = new TraceFileWriter(this.#files, this.#clock, options, selectedNames)
    try {
      const { block, stored, parent } = target
      const plan = await run.plan()
      if (stored !== undefined) await this.#tracing.block(stored, plan, limits)
      else await this.#tracing.blockOn(parent, block, plan, limits)
      return await run.publish()
    } catch (error) {
      await run.discard()
      throw error
    }
  }
}

interface NamedTransaction {
  readonly index: number
  readonly name: string
}

/** The files of one request; at most one is open at a time. */
class TraceFileWriter {
  readonly #files: TraceFiles
  readonly #clock: Clock
  readonly #options: TraceFileOptions
  readonly #wanted: readonly NamedTransaction[]
  readonly #made: TraceFile[] = []
  #out: JsonWriter | undefined

  constructor(files: TraceFiles, clock: Clock, options: TraceFileOptions, wanted: readonly NamedTransaction[]) {
    this.#files = files
    this.#clock = clock
    this.#options = options
    this.#wanted = wanted
  }

  async plan(): Promise<BlockTracePlan> {
    await this.#openNext()
    return {
      tracerFor: (index) => (this.#wanted[this.#made.length - 1]?.index === index ? this.#tracer() : undefined),
      traced: async () => {
        this.#out?.flush()
        await this.#made.at(-1)?.close()
        await this.#openNext()
      },
      end: (this.#wanted.at(-1)?.index ?? -1) + 1,
    }
  }

  async publish(): Promise<readonly string[]> {
    for (const file of this.#made) await file.publish()
    return this.#made.map(({ path }) => path)
  }

  async discard(): Promise<void> {
    for (const file of this.#made) await file.discard()
  }

  async #openNext(): Promise<void> {
    const next = this.#wanted[this.#made.length]
    this.#out = undefined
    if (next === undefined) return
    const file = await this.#files.create(next.name)
    this.#made.push(file)
    this.#out = new JsonWriter(file.sink)
  }

  #tracer(): Tracer | undefined {
    const { showsMemory } = this.#options
    const monotonic = (): number => this.#clock.monotonic()
    return this.#out && eip3155Tracer({ showsMemory, monotonic })(this.#out)
  }
}

function namesOf(
  { block, hash }: TracedBlock,
  { transactionHash: wanted }: TraceFileOptions,
  now: number,
): readonly NamedTransaction[] {
  return block.transactions.flatMap((transaction, index) => {
    const ownHash = transactionHash(transaction)
    if (wanted !== undefined && !equalBytes(ownHash, wanted)) return []
    return [{ index, name: `block_${prefixOf(hash)}-${index}-${prefixOf(ownHash)}-${now}` }]
  })
}

function prefixOf(hash: Uint8Array): string {
  return bytesToHex(hash).slice(0, HASH_PREFIX)
}

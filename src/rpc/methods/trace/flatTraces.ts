/**
 * Flat traces of stored transactions and of block rewards.
 * @module
 */

import type { LoadedBlock } from '../../../api/views.ts'
import type { JsonWriter } from '../../../base/primitives/jsonWriter.ts'
import type { FlatEntry } from '../../../tracing/besu/flatTrace.ts'
import { FlatTracer } from '../../../tracing/besu/flatTracer.ts'
import { FlatEntryWriter, type FlatTraceLocation } from '../../../tracing/besu/flatTraceText.ts'
import { rewardTraces } from '../../../tracing/besu/rewardTrace.ts'
import type { BlockTracePlan, TraceLimits } from '../../../tracing/contract.ts'
import type { TraceBackend } from './traceBackend.ts'

/** Writes entries sequentially, as items of a JSON array. */
export class FlatList {
  readonly #out: JsonWriter
  #isEmpty = true

  constructor(out: JsonWriter) {
    this.#out = out
  }

  /** Writes the entries of one transaction. */
  entries(block: LoadedBlock, index: number, entries: Iterable<FlatEntry>): void {
    const writer = new FlatEntryWriter(this.#out, { location: placeOf(block, index), creationMethod: true })
    for (const entry of entries) {
      this.#separate()
      writer.write(entry)
    }
  }

  rewards(backend: TraceBackend, block: LoadedBlock): void {
    for (const text of rewardTexts(backend, block)) this.text(text)
  }

  text(json: string): void {
    this.#separate()
    this.#out.ascii(json)
  }

  #separate(): void {
    if (!this.#isEmpty) this.#out.ascii(',')
    this.#isEmpty = false
  }
}

function placeOf({ header, transactionHashes }: LoadedBlock, transactionIndex: number): FlatTraceLocation {
  const { hash: blockHash } = header
  const transactionHash = transactionHashes[transactionIndex] as Uint8Array
  return { blockHash, blockNumber: header.header.number, transactionHash, transactionIndex }
}

export function rewardTexts({ chain, consensus }: TraceBackend, { header, body }: LoadedBlock): readonly string[] {
  const block = { header: header.header, ommers: body.ommers }
  return rewardTraces(block, header.hash, consensus.claimedBy(header.header), chain.config.rulesAt(header.header))
}

/** Selects transactions and consumes their entries. */
export interface FlatPlan {
  /** Absent: all. */
  readonly wants?: (index: number) => boolean
  /** Transactions from this index on are not executed. */
  readonly end?: number
  use(index: number, entries: readonly FlatEntry[]): void
}

/** Executes a block; waits after each transaction until the output can accept more. */
export function traceCalls(
  { tracing }: TraceBackend,
  { header }: LoadedBlock,
  { wants, end, use }: FlatPlan,
  limits: TraceLimits,
  out: JsonWriter,
): Promise<void> {
  const plan: BlockTracePlan = {
    tracerFor: (index) => (wants?.(index) === false ? undefined : new FlatTracer((entries) => use(index, entries))),
    traced: () => (out.isFull ? out.drained() : undefined),
    ...(end === undefined ? {} : { end }),
  }
  return tracing.block(header, plan, limits)
}

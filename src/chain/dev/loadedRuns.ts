/**
 * The derived blocks of a loaded chain.
 * @module
 */

import { MAX_MINED_NUMBER, MAX_MINED_TIMESTAMP } from '../../base/limits/limits.ts'
import { bytesToHexUnprefixed, equalBytes } from '../../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../../base/primitives/keccak.ts'
import type { StateRoot, StoredState } from '../../state/contract.ts'
import { requireState } from '../../state/errors.ts'
import { keys } from '../../storage/schema.ts'
import { corrupt, decodeBlockRecord, encodeBlockRecord } from '../blockRecord.ts'
import type { StoredHeader } from '../blockTables.ts'
import type { EmptyRun } from '../emptyRuns/emptyRun.ts'
import { linkStretches } from '../emptyRuns/runHeaders.ts'
import { decodeRunRecord, type RunRecord, runId } from '../emptyRuns/runRecord.ts'
import { putRun, putRunBlock } from '../emptyRuns/runWrites.ts'
import type { WriteTask } from '../writeTask.ts'
import type { DumpedRun } from './dump.ts'
import { invalidDump } from './invalidDump.ts'

export type LoadedRun = Omit<DumpedRun, 'lastHash'>

export class LoadedRuns {
  readonly #task: WriteTask
  /** By number of the first derived block. */
  readonly #announced = new Map<number, LoadedRun>()
  /** States of the runs so far, by id. */
  readonly #states = new Map<string, StateRoot>()

  constructor(task: WriteTask) {
    this.#task = task
  }

  announce(run: LoadedRun): void {
    this.#announced.set(run.first, run)
  }

  /**
   * Adds the derived blocks after a block, if there are any.
   * @returns the last block
   * @throws {NodeError} INVALID_DUMP
   */
  after(block: StoredHeader): StoredHeader {
    const next = Number(block.header.number) + 1
    const loaded = this.#announced.get(next)
    if (loaded === undefined) return block
    const { blocks, stage } = this.#task
    const run = this.#open(loaded.record, block.stateRoot)
    const isHere = equalBytes(run.hashOf(next - 1), block.hash) && next >= run.first
    if (!isHere || loaded.last < next || loaded.last > run.last)
      throw invalidDump(`the derived blocks from ${next} on do not follow the block before`)
    putRunBlock(stage, run, loaded.last)
    return blocks.runBlock(run, loaded.last)
  }

  /**
   * Marks a loaded block that belongs to a run.
   * @param state before the block
   * @throws {NodeError} INVALID_DUMP
   */
  mark(block: StoredHeader, record: Uint8Array, state: StoredState): StoredHeader {
    const number = Number(block.header.number)
    const { blocks, stage } = this.#task
    const run = this.#open(record, state)
    if (number < run.first || number > run.last || !equalBytes(run.hashOf(number), block.hash))
      throw invalidDump(`block ${number} is not in its run`)
    const key = keys.blockRecord(number, block.hash)
    const stored = stage.get(key)
    if (stored === undefined) throw corrupt(`block ${number} has no record`)
    stage.put(key, encodeBlockRecord({ ...decodeBlockRecord(stored), isInRun: true }))
    putRunBlock(stage, run, number)
    const marked = { ...block, run: run.position(number, true) }
    blocks.rememberHeader(marked)
    return marked
  }

  /** @param present the state of the run, unless an earlier block had it */
  #open(encoded: Uint8Array, present: StoredState): EmptyRun {
    const id = runId(encoded)
    const name = bytesToHexUnprefixed(id)
    const record = checkedRecord(encoded)
    const state = this.#states.get(name) ?? requireState(present)
    if (!equalBytes(state.hash, record.header.stateRoot))
      throw invalidDump(`the state of the derived blocks from ${record.header.number} on is missing`)
    this.#states.set(name, state)
    const { stage, blocks } = this.#task
    const run = blocks.runs.open({ id, record, state })
    blocks.runs.memory.isUsed = true
    putRun(stage, run)
    return run
  }
}

function checkedRecord(encoded: Uint8Array): RunRecord {
  let record: RunRecord
  try {
    record = decodeRunRecord(encoded)
  } catch (error) {
    throw invalidDump(error instanceof Error ? error.message : String(error))
  }
  const { header, count, interval, anchors } = record
  const isEmpty =
    equalBytes(header.transactionsRoot, EMPTY_TRIE_ROOT) && equalBytes(header.receiptsRoot, EMPTY_TRIE_ROOT)
  const isBounded =
    Number(header.number) + count <= MAX_MINED_NUMBER &&
    header.timestamp + BigInt(count) * interval <= MAX_MINED_TIMESTAMP
  const areLinked = isBounded && count > 0 && interval > 0n && equalBytes(linkStretches(record).record.anchors, anchors)
  if (isEmpty && areLinked) return record
  throw invalidDump(`the run of empty blocks from ${header.number} on is not valid`)
}

/**
 * Checks a whole database: blocks, indexes, the state of the head and its flat view. Reads only, and continues after a problem.
 * @module
 */
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import type { StateRoot } from '../../state/contract.ts'
import { checkState, type ReportProblem, type StateTotals } from '../../state/stateCheck.ts'
import { isSameRoot, readFlatPosition } from '../../state/stateContext.ts'
import { Column, keys, numberedKey } from '../../storage/schema.ts'
import { BlockStore } from '../blockStore.ts'
import type { StoredHeader } from '../blockTables.ts'
import type { BlockHasher } from '../engine.ts'
import { BlockCheck } from './blockCheck.ts'
import { IndexCheck } from './indexCheck.ts'

/** Keys between two reports of the progress: some milliseconds. */
const STEP_KEYS = 256

export interface VerifyProgress {
  readonly work: 'checking blocks' | 'checking indexes' | 'checking the state'
  /** Completed part of this work, 0 to 1. */
  readonly fraction: number
}

export interface VerifiedStore extends StateTotals {
  /** undefined: the head cannot be read */
  readonly head: number | undefined
  readonly blocks: number
  readonly transactions: number
  /** Whether the flat view belongs to the head's state; otherwise states are read from the trie. */
  readonly hasFlatView: boolean
}

/**
 * Memory is bounded by one block and one path of a trie.
 * @param hasher of the chain
 */
export function* verifyStore(
  reader: KeyValueReader,
  hasher: BlockHasher,
  report: ReportProblem,
): Generator<VerifyProgress, VerifiedStore> {
  const head = readHead(reader, report)
  const last = head === undefined ? lastCanonical(reader) : Number(head.header.number)
  const blocks = new BlockCheck(reader, hasher, report)
  for (const _ of blocks.all()) {
    const fraction = Math.min(1, blocks.number / (last + 1))
    if (blocks.blocks % STEP_KEYS === 0) yield { work: 'checking blocks', fraction }
  }
  let count = 0
  for (const fraction of new IndexCheck(reader, last, report).all()) {
    if (++count % STEP_KEYS === 0) yield { work: 'checking indexes', fraction }
  }
  const hasFlatView = head !== undefined && hasFlatViewOf(reader, head)
  const isOverBase = isFork(reader)
  const state = head === undefined ? undefined : stateOf(head, report)
  const walk = state && checkState(reader, state, { hasFlatView, isOverBase }, report)
  for (let step = walk?.next(); ; step = walk?.next()) {
    if (step === undefined || step.done === true) {
      const { nodes, accounts, slots } = step?.value ?? { nodes: 0, accounts: 0, slots: 0 }
      const { blocks: count, transactions } = blocks
      return { head: head && last, blocks: count, transactions, nodes, accounts, slots, hasFlatView }
    }
    yield { work: 'checking the state', fraction: step.value }
  }
}

function readHead(reader: KeyValueReader, report: ReportProblem): StoredHeader | undefined {
  try {
    const head = new BlockStore(reader).pointer('head')
    if (head === undefined) report('meta', keys.meta('head'), 'it is missing')
    return head
  } catch (error) {
    report('meta', keys.meta('head'), (error as Error).message)
    return undefined
  }
}

function lastCanonical(reader: KeyValueReader): number {
  for (const [key] of reader.range({ prefix: Uint8Array.of(Column.canonicalHash), reverse: true, limit: 1 })) {
    return numberedKey(key).number
  }
  return 0
}

/** A damaged record of the first block has been reported with it. */
function isFork(reader: KeyValueReader): boolean {
  try {
    return new BlockStore(reader).isFork
  } catch {
    return false
  }
}

function hasFlatViewOf(reader: KeyValueReader, { stateRoot }: StoredHeader): boolean {
  return stateRoot.isMissing !== true && isSameRoot(readFlatPosition(reader).root, stateRoot)
}

function stateOf({ header, hash, stateRoot }: StoredHeader, report: ReportProblem): StateRoot | undefined {
  if (stateRoot.isMissing !== true) return stateRoot
  report('blockRecord', keys.blockRecord(Number(header.number), hash), 'the state of the head is missing')
  return undefined
}

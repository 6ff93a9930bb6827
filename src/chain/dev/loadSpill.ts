/**
 * Commits the bulk of a loaded chain in slices, before the batch that makes it the chain: trie nodes, code and
 * preimages, which nothing refers to until then. A mark in the store names the versions of the nodes; when the load does
 * not complete, they are deleted, at the latest at the next start.
 * @module
 */
import { LOAD_SLICE_KEYS } from '../../base/limits/limits.ts'
import type { KeyValueStore, Mutation, Residency } from '../../base/ports/keyValueStore.ts'
import { concatBytes, EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { Column, keys } from '../../storage/schema.ts'
import type { StagedStore } from '../../storage/stagedStore.ts'
import { decodeNumber, encodeNumber } from '../blockRecord.ts'

const COLUMNS: ReadonlySet<number> = new Set([Column.trieNode, Column.code, Column.preimage])
const MARK = keys.meta('loading')
const NODES = Uint8Array.of(Column.trieNode)
const VERSION_BYTES = encodeNumber(0).length

export class LoadSpill {
  readonly #kv: KeyValueStore
  readonly #firstVersion: number
  readonly #lastVersion: () => number
  #isMarked = false
  /** Keys that remain in the stage. */
  #remainingKeys = 0

  /**
   * @param firstVersion lowest version of the load's trie nodes
   * @param lastVersion highest version so far
   */
  constructor(kv: KeyValueStore, firstVersion: number, lastVersion: () => number) {
    this.#kv = kv
    this.#firstVersion = firstVersion
    this.#lastVersion = lastVersion
  }

  /** Commits everything that nothing refers to yet, once enough is staged. */
  async spill(stage: StagedStore): Promise<void> {
    if (stage.size - this.#remainingKeys < LOAD_SLICE_KEYS) return
    const mutations = stage.take(({ key }) => COLUMNS.has(key[0] as number))
    this.#remainingKeys = stage.size
    const last = encodeNumber(this.#lastVersion())
    this.#isMarked = true
    await this.#kv.commit([
      ...mutations,
      { key: MARK, value: concatBytes(encodeNumber(this.#firstVersion), last) },
      // A version is never used again, even after a crash.
      { key: keys.meta('stateVersion'), value: last },
    ])
  }

  /** Removes the mark, in the batch that completes the load. */
  complete(stage: StagedStore): void {
    if (this.#isMarked) stage.delete(MARK)
  }
}

/** Deletes the trie nodes of a load that did not complete. */
export async function removeUnfinishedLoad(kv: KeyValueStore, residency: Residency | undefined): Promise<void> {
  const mark = await retryMisses(() => kv.get(MARK), residency)
  if (mark === undefined) return
  const first = decodeNumber(mark.subarray(0, VERSION_BYTES))
  const end = keys.trieNode(decodeNumber(mark.subarray(VERSION_BYTES)) + 1, EMPTY_BYTES, EMPTY_BYTES)
  for (let from = keys.trieNode(first, EMPTY_BYTES, EMPTY_BYTES); ; ) {
    const entries = await retryMisses(() => [...kv.range({ prefix: NODES, from, limit: LOAD_SLICE_KEYS })], residency)
    const deleted: Mutation[] = []
    for (const [key] of entries) if (isBefore(key, end)) deleted.push({ key, value: undefined })
    const isLast = deleted.length < LOAD_SLICE_KEYS
    await kv.commit(isLast ? [...deleted, { key: MARK, value: undefined }] : deleted)
    if (isLast) return
    from = (deleted.at(-1) as Mutation).key
  }
}

function isBefore(key: Uint8Array, end: Uint8Array): boolean {
  for (let i = 0; i < end.length; i++) {
    const difference = (key[i] as number) - (end[i] as number)
    if (difference !== 0) return difference < 0
  }
  return false
}

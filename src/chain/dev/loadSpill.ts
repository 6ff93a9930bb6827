/**
 * Commits the bulk of a loaded chain in slices, before the batch that makes it the chain: trie nodes, code and
 * preimages, which nothing refers to until then. A mark in the store names the versions of the nodes, and a list for each
 * slice the code and the preimages that were not there before. When the load does not complete, all of it is deleted, at the
 * latest at the next start.
 * @module
 */
import { LOAD_SLICE_KEYS } from '../../base/limits/limits.ts'
import type { KeyValueStore, Mutation, Residency } from '../../base/ports/keyValueStore.ts'
import { concatBytes, EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { Column, keys } from '../../storage/schema.ts'
import type { StagedStore } from '../../storage/stagedStore.ts'
import { decodeNumber, encodeNumber } from '../blockRecord.ts'
import { LOAD_MARK } from './loadMark.ts'

const COLUMNS: ReadonlySet<number> = new Set([Column.trieNode, Column.code, Column.preimage])
const NODES = Uint8Array.of(Column.trieNode)
/** Prefix of the lists of all slices. */
const LISTS = listKey('')
/** Of code and preimages. */
const CONTENT_KEY_BYTES = 33
const VERSION_BYTES = encodeNumber(0).length

export class LoadSpill {
  readonly #kv: KeyValueStore
  readonly #firstVersion: number
  readonly #lastVersion: () => number
  readonly #residency: Residency | undefined
  /** Number of slices committed. */
  #slices = 0
  /** Keys that remain in the stage. */
  #remainingKeys = 0

  /**
   * @param firstVersion lowest version of the load's trie nodes
   * @param lastVersion highest version so far
   */
  constructor(kv: KeyValueStore, residency: Residency | undefined, firstVersion: number, lastVersion: () => number) {
    this.#kv = kv
    this.#residency = residency
    this.#firstVersion = firstVersion
    this.#lastVersion = lastVersion
  }

  /** Commits everything that nothing refers to yet, once enough is staged. */
  async spill(stage: StagedStore): Promise<void> {
    if (stage.size - this.#remainingKeys < LOAD_SLICE_KEYS) return
    const mutations = stage.take(({ key }) => COLUMNS.has(key[0] as number))
    this.#remainingKeys = stage.size
    const last = encodeNumber(this.#lastVersion())
    const content = mutations.map(({ key }) => key).filter(([column]) => column !== Column.trieNode)
    const known = await retryMisses(() => this.#kv.getMany(content), this.#residency)
    const added = content.filter((_, i) => known[i] === undefined)
    await this.#kv.commit([
      ...mutations,
      { key: listKey(this.#slices++), value: concatBytes(...added) },
      { key: LOAD_MARK, value: concatBytes(encodeNumber(this.#firstVersion), last) },
      // A version is never used again, even after a crash.
      { key: keys.meta('stateVersion'), value: last },
    ])
  }

  /** Removes the mark and the lists, in the batch that completes the load. */
  complete(stage: StagedStore): void {
    if (this.#slices > 0) stage.delete(LOAD_MARK)
    for (let slice = 0; slice < this.#slices; slice++) stage.delete(listKey(slice))
  }
}

/** @param slice empty: the prefix of all lists */
function listKey(slice: number | ''): Uint8Array {
  return keys.meta(`loaded:${slice}`)
}

/**
 * Deletes what a load that did not complete has committed.
 * @param mark of the load
 */
export async function removeLoad(kv: KeyValueStore, residency: Residency | undefined, mark: Uint8Array): Promise<void> {
  await removeContent(kv, residency)
  const first = decodeNumber(mark.subarray(0, VERSION_BYTES))
  const end = keys.trieNode(decodeNumber(mark.subarray(VERSION_BYTES)) + 1, EMPTY_BYTES, EMPTY_BYTES)
  for (let from = keys.trieNode(first, EMPTY_BYTES, EMPTY_BYTES); ; ) {
    const entries = await retryMisses(() => [...kv.range({ prefix: NODES, from, limit: LOAD_SLICE_KEYS })], residency)
    const deleted: Mutation[] = []
    for (const [key] of entries) if (isBefore(key, end)) deleted.push({ key, value: undefined })
    const isLast = deleted.length < LOAD_SLICE_KEYS
    await kv.commit(isLast ? [...deleted, { key: LOAD_MARK, value: undefined }] : deleted)
    if (isLast) return
    from = (deleted.at(-1) as Mutation).key
  }
}

/** Deletes code and preimages that the load has added. */
async function removeContent(kv: KeyValueStore, residency: Residency | undefined): Promise<void> {
  for (;;) {
    const [list] = await retryMisses(() => [...kv.range({ prefix: LISTS, limit: 1 })], residency)
    if (list === undefined) return
    const [key, added] = list
    const deleted: Mutation[] = [{ key, value: undefined }]
    for (let at = 0; at < added.length; at += CONTENT_KEY_BYTES) {
      deleted.push({ key: added.slice(at, at + CONTENT_KEY_BYTES), value: undefined })
    }
    await kv.commit(deleted)
  }
}

function isBefore(key: Uint8Array, end: Uint8Array): boolean {
  for (let i = 0; i < end.length; i++) {
    const difference = (key[i] as number) - (end[i] as number)
    if (difference !== 0) return difference < 0
  }
  return false
}

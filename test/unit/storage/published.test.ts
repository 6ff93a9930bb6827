import { describe, expect, it } from 'vitest'
import { isPublishedKey, PUBLISHED_COLUMNS } from '../../../src/storage/published.ts'
import { COLUMNS, type ColumnName, keys } from '../../../src/storage/schema.ts'

/** Never published: what is private, what only the writer needs, and what the node keeps for itself. */
const KEPT: readonly ColumnName[] = [
  'clientRequest',
  'stateDiff',
  'erasedStorage',
  'localTransaction',
  'bftVote',
  'privateTrieNode',
  'privateCode',
  'privateRoots',
  'privateReceipt',
  'enclavePayload',
  'enclaveGroup',
  'enclaveGroupMembers',
  'enclaveQuota',
  'mirrorJournal',
]

const hash = new Uint8Array(32).fill(1)

describe('what a mirror may contain', () => {
  it('is decided for every column', () => {
    const all = Object.keys(COLUMNS)
    expect([...PUBLISHED_COLUMNS, ...KEPT].sort()).toEqual(all.sort())
  })

  it('is no private state, no payload, no vote and no local transaction', () => {
    for (const column of KEPT) expect(isPublishedKey(Uint8Array.of(COLUMNS[column].byte, ...hash))).toBe(false)
    expect(isPublishedKey(keys.mirrorPosition())).toBe(false)
    expect(isPublishedKey(Uint8Array.of(0xff))).toBe(false)
    expect(isPublishedKey(new Uint8Array(0))).toBe(false)
  })

  it('is of the metadata what readers need', () => {
    for (const name of [
      'genesis',
      'head',
      'finalized',
      'flatRoot',
      'callTable',
      'migratingFrom',
      'derived:termSection',
    ] as const) {
      expect(isPublishedKey(keys.meta(name))).toBe(true)
    }
    for (const name of ['nodeRecord', 'keptNodes', 'loading', 'migration:x'] as const) {
      expect(isPublishedKey(keys.meta(name))).toBe(false)
    }
  })

  it('is blocks and states', () => {
    for (const key of [
      keys.header(1, hash),
      keys.flatAccount(hash),
      keys.flatStorage(hash, 2, hash),
      keys.code(hash),
    ]) {
      expect(isPublishedKey(key)).toBe(true)
    }
  })
})

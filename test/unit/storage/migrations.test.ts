import { describe, expect, test } from 'vitest'
import type { KeyValueStore, Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { type IndexColumn, IndexColumns } from '../../../src/storage/indexColumns.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { readFormat, schemaVersionMutation } from '../../../src/storage/metadata.ts'
import { type MigrationStep, migrate, type Rewrite } from '../../../src/storage/migrations.ts'
import { bytes, put } from './contract.ts'

const OLD = 0x70
const NEW = 0x71
const ITEMS = 100

/** Copies one column to another, ten keys at a time, incrementing each value; `calls` counts the computed batches. */
function copyRewrite(from: number, to: number, calls: { count: number }): Rewrite {
  return (reader, position) => {
    calls.count++
    const start = position?.[0] ?? 0
    const entries = [...reader.range({ prefix: bytes(from), from: bytes(from, start), limit: 10 })]
    const mutations = entries.map(([key, value]) => put(bytes(to, key[1] ?? 0), bytes((value[0] ?? 0) + 1)))
    const next = start + 10
    return { mutations, position: next < ITEMS ? bytes(next) : undefined, progress: next / ITEMS }
  }
}

function storeOfVersion(version: number): MemoryStore {
  const store = new MemoryStore()
  const items = Array.from({ length: ITEMS }, (_, i) => put(bytes(OLD, i), bytes(i)))
  store.commit([schemaVersionMutation(version), ...items])
  return store
}

/** The same store, whose commits fail after `commits` successful ones. */
function failingAfter(store: MemoryStore, commits: number): KeyValueStore {
  let left = commits
  return {
    get: (key) => store.get(key),
    getMany: (keys) => store.getMany(keys),
    range: (options) => store.range(options),
    commit: (batch: readonly Mutation[]) => {
      if (left-- <= 0) throw new Error('killed')
      store.commit(batch)
    },
    close: () => store.close(),
  }
}

const column = (store: KeyValueStore, byte: number) => [...store.range({ prefix: bytes(byte) })].map(([, v]) => v[0])
const copied = (by: number) => Array.from({ length: ITEMS }, (_, i) => i + by)

describe('migrate', () => {
  const twoSteps = (calls: { count: number }): MigrationStep[] => [
    { name: 'copy', to: 2, rewrite: copyRewrite(OLD, NEW, calls) },
    { name: 'copy-back', to: 3, rewrite: copyRewrite(NEW, OLD, calls) },
  ]

  test('runs the steps in order and reports progress', async () => {
    const store = storeOfVersion(1)
    const reports: string[] = []
    await migrate(store, twoSteps({ count: 0 }), ({ step, progress }) => void reports.push(`${step} ${progress}`), 3)
    expect(readFormat(store, 3)).toEqual({ version: 3, migratingFrom: undefined })
    expect(column(store, OLD)).toEqual(copied(2))
    expect([reports[0], reports[9], reports[10], reports.length]).toEqual(['copy 0.1', 'copy 1', 'copy-back 0.1', 20])
  })

  test('resumes after an interruption at any commit', async () => {
    for (let commits = 0; commits <= 22; commits++) {
      const store = storeOfVersion(1)
      const calls = { count: 0 }
      const steps = twoSteps(calls)
      const cut = migrate(failingAfter(store, commits), steps, undefined, 3)
      if (commits < 22) await expect(cut).rejects.toThrow('killed')
      else await cut
      await migrate(store, steps, undefined, 3)
      expect(column(store, OLD)).toEqual(copied(2))
      // The batch whose commit failed is computed again; the two marks need no computation.
      expect(calls.count).toBe([0, 11, 22].includes(commits) ? 20 : 21)
      expect([...store.range({ prefix: bytes(1) })]).toHaveLength(1)
    }
  })

  test('does not change an empty store or one of the current format', async () => {
    const empty = new MemoryStore()
    await migrate(empty, twoSteps({ count: 0 }), undefined, 3)
    expect([...empty.range({ prefix: bytes() })]).toEqual([])
    await expect(migrate(storeOfVersion(3), [], undefined, 3)).resolves.toBeUndefined()
  })

  test('refuses a newer format and a format without a migration step', async () => {
    await expect(migrate(storeOfVersion(4), [], undefined, 3)).rejects.toMatchObject({ code: 'FORMAT_TOO_NEW' })
    await expect(migrate(storeOfVersion(1), [], undefined, 3)).rejects.toMatchObject({ code: 'MIGRATION_MISSING' })
  })
})

describe('IndexColumns', () => {
  const inTurn = async (turn: () => void | Promise<void>) => turn()
  const index = (version: number, calls = { count: 0 }): IndexColumn => ({
    name: 'index',
    column: NEW,
    version,
    rewrite: copyRewrite(OLD, NEW, calls),
  })

  test('a column is building until it is complete, and then remains complete', async () => {
    const store = storeOfVersion(1)
    const columns = new IndexColumns(store, [index(1)])
    const states: string[] = []
    expect(columns.state('index')).toBe('building')
    await columns.build({ inTurn, report: (name, progress) => states.push(`${progress} ${columns.state(name)}`) })
    expect([states[0], states.at(-2), states.at(-1)]).toEqual(['0.1 building', '0.9 building', '1 complete'])
    expect(column(store, NEW)).toEqual(copied(1))
    expect(new IndexColumns(store, [index(1)]).state('index')).toBe('complete')
  })

  test('a build that failed or was stopped continues after its last batch', async () => {
    const store = storeOfVersion(1)
    const calls = { count: 0 }
    const failing = new IndexColumns(failingAfter(store, 4), [index(1, calls)])
    await expect(failing.build({ inTurn })).rejects.toThrow('killed')
    const stop = new AbortController()
    const stopped = new IndexColumns(store, [index(1, calls)])
    await stopped.build({ inTurn, signal: stop.signal, report: () => stop.abort() })
    expect(stopped.state('index')).toBe('building')
    await stopped.build({ inTurn })
    expect([stopped.state('index'), calls.count]).toEqual(['complete', 11])
    expect(column(store, NEW)).toEqual(copied(1))
  })

  test('another version is built from scratch', async () => {
    const store = storeOfVersion(1)
    await new IndexColumns(store, [index(1)]).build({ inTurn })
    store.commit([put(bytes(NEW, 200), bytes(99))])
    const columns = new IndexColumns(store, [index(2)])
    expect(columns.state('index')).toBe('building')
    await columns.build({ inTurn })
    expect([columns.state('index'), column(store, NEW)]).toEqual(['complete', copied(1)])
  })

  test('an unknown name is an error', () => {
    expect(() => new IndexColumns(new MemoryStore(), []).state('nothing')).toThrow('no derived column nothing')
  })
})

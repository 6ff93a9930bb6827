import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { open } from 'lmdb'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { LmdbStore } from '../../../../../adapters/server/data/lmdbStore.ts'
import { MIGRATION_BATCH_KEYS } from '../../../../../src/base/limits/limits.ts'
import { bytesToHex } from '../../../../../src/base/primitives/bytes.ts'
import { addChecksums } from '../../../../../src/storage/migrations.ts'
import { bytes, put } from '../../../storage/contract.ts'

const root = mkdtempSync(path.join(tmpdir(), 'isonode-checksums-'))
let directories = 0
const freshDirectory = (): string => path.join(root, `${directories++}`)
const opened: LmdbStore[] = []

function openStore(directory: string, readOnly = false): LmdbStore {
  const store = new LmdbStore({ directory, durability: 'process', readOnly })
  opened.push(store)
  return store
}

function openRaw(directory: string) {
  return open<Uint8Array, Uint8Array>({
    path: directory,
    noSubdir: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    maxDbs: 1,
  })
}

/** Changes stored bytes, around the store. */
async function change(directory: string, edit: (database: ReturnType<typeof openRaw>) => void): Promise<void> {
  const database = openRaw(directory)
  database.transactionSync(() => edit(database))
  await database.close()
}

async function close(store: LmdbStore): Promise<void> {
  await store.close()
  opened.splice(opened.indexOf(store), 1)
}

async function storeWith(entries: readonly (readonly [Uint8Array, Uint8Array])[]): Promise<string> {
  const directory = freshDirectory()
  const store = openStore(directory)
  store.commit(entries.map(([key, value]) => put(key, value)))
  await close(store)
  return directory
}

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const KEY = bytes(0x26, 1)
const OTHER = bytes(0x26, 2)
const damaged = (key: Uint8Array) =>
  expect.objectContaining({
    code: 'STORE_DAMAGED',
    details: { code: 'STORE_DAMAGED', column: 'flatAccount', key: bytesToHex(key) },
  })

describe('a damaged value', () => {
  const ENTRIES = [
    [KEY, Uint8Array.from({ length: 60 }, (_, i) => i)],
    [OTHER, Uint8Array.from({ length: 60 }, (_, i) => 2 * i)],
  ] as const

  test.each<[string, (value: Buffer) => Uint8Array]>([
    [
      'with another bit',
      (value) => Buffer.concat([value.subarray(0, 9), bytes((value[9] as number) ^ 4), value.subarray(10)]),
    ],
    ['that was cut', (value) => value.subarray(0, -1)],
    ['that was emptied', () => bytes()],
  ])('%s is an error that names its column and key; the others are read', async (_, edit) => {
    const directory = await storeWith(ENTRIES)
    await change(directory, (database) => database.putSync(KEY, edit(Buffer.from(database.get(KEY) as Uint8Array))))
    for (const readOnly of [false, true]) {
      const store = openStore(directory, readOnly)
      expect(() => store.get(KEY)).toThrow(damaged(KEY))
      expect(() => store.getMany([OTHER, KEY])).toThrow(damaged(KEY))
      expect(() => [...store.range({ prefix: bytes(0x26) })]).toThrow(damaged(KEY))
      expect(store.get(OTHER)).toEqual(ENTRIES[1][1])
    }
  })

  test('at the place of another is an error', async () => {
    const directory = await storeWith(ENTRIES)
    await change(directory, (database) => database.putSync(KEY, Buffer.from(database.get(OTHER) as Uint8Array)))
    expect(() => openStore(directory).get(KEY)).toThrow(damaged(KEY))
  })

  test('is replaced by a new one', async () => {
    const directory = await storeWith(ENTRIES)
    await change(directory, (database) => database.putSync(KEY, bytes(1)))
    const store = openStore(directory)
    store.commit([put(KEY, bytes(7))])
    expect(store.get(KEY)).toEqual(bytes(7))
  })
})

test('a key that may have been lost to damage beside it is an error when the store looks closer', async () => {
  const directory = await storeWith(
    [bytes(0x15, 1), bytes(0x15, 3), bytes(0x15, 5)].map((key) => [key, bytes(9)] as const),
  )
  const intact = openStore(directory)
  for (const absent of [bytes(0x15, 0), bytes(0x15, 4), bytes(0x15, 6)]) intact.requireAbsent(absent)
  await close(intact)
  await change(directory, (database) => {
    database.putSync(bytes(0x15, 2), Buffer.from(database.get(bytes(0x15, 3)) as Uint8Array))
    database.removeSync(bytes(0x15, 3))
  })
  const store = openStore(directory)
  expect(() => store.requireAbsent(bytes(0x15, 3))).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }))
  store.requireAbsent(bytes(0x15, 6))
})

describe('a database without checksums', () => {
  const COUNT = 2 * MIGRATION_BATCH_KEYS + 10
  const key = (i: number): Uint8Array => bytes(0x26, i >> 16, (i >> 8) & 255, i & 255)
  const value = (i: number): Uint8Array => Uint8Array.from({ length: i % 90 }, () => i)

  async function oldDatabase(): Promise<string> {
    const directory = freshDirectory()
    await change(directory, (database) => {
      for (let i = 0; i < COUNT; i++) database.putSync(key(i), value(i))
    })
    return directory
  }

  function expectAll(store: LmdbStore): void {
    expect(store.get(key(5))).toEqual(value(5))
    expect(store.get(key(COUNT - 1))).toEqual(value(COUNT - 1))
    let i = 0
    for (const entry of store.range({ prefix: bytes() })) {
      if (Buffer.compare(entry[0], key(i)) !== 0 || Buffer.compare(entry[1], value(i)) !== 0)
        throw new Error(`entry ${i}`)
      i++
    }
    expect(i).toBe(COUNT)
  }

  test('gets them in slices; between them, everything can be read and written', async () => {
    const directory = await oldDatabase()
    const progress: number[] = []
    for (;;) {
      const store = openStore(directory)
      const reader = openStore(directory, true)
      expectAll(store)
      if (store.hasChecksums) break
      progress.push(store.addChecksums())
      store.commit([put(key(3), value(3)), put(key(COUNT - 1), value(COUNT - 1))])
      reader.renewSnapshot()
      expectAll(store)
      expectAll(reader)
      await close(store)
      await close(reader)
    }
    expect(progress).toHaveLength(4)
    expect(progress.at(-1)).toBe(1)
    expect([...progress].sort((a, b) => a - b)).toEqual(progress)
    await close(opened[0] as LmdbStore)
    await change(directory, (database) => database.putSync(key(7), bytes(1, 2, 3, 4, 5)))
    expect(() => openStore(directory).get(key(7))).toThrow(damaged(key(7)))
  })

  test('gets all of them in one call that reports its progress', async () => {
    const store = openStore(await oldDatabase())
    const reports: number[] = []
    await addChecksums(store, ({ progress }) => void reports.push(progress))
    expect(store.hasChecksums).toBe(true)
    expect(reports.at(-1)).toBe(1)
    expectAll(store)
  })

  test.each<[string, (database: ReturnType<typeof openRaw>) => void]>([
    ['lost', (database) => database.removeSync(Buffer.from('\0checksums'))],
    ['damaged', (database) => database.putSync(Buffer.from('\0checksums'), bytes(1, 2, 3, 4, 5))],
  ])('is not what a database is whose mark is %s', async (_, edit) => {
    const directory = await storeWith([[KEY, bytes(1)]])
    await change(directory, edit)
    expect(() => openStore(directory)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }))
  })
})

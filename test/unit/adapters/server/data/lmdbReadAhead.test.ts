import { afterEach, expect, test, vi } from 'vitest'
import { LmdbStore } from '../../../../../adapters/server/data/lmdbStore.ts'

const GIB = 2 ** 30
const host = vi.hoisted(() => ({
  fileBytes: undefined as number | undefined,
  memoryBytes: 0,
  opened: [] as { noReadAhead?: boolean }[],
}))

vi.mock('node:fs', () => ({
  statSync: (file: string) => {
    expect(file).toMatch(/^.data.database.data\.mdb$/)
    return host.fileBytes === undefined ? undefined : { size: host.fileBytes }
  },
}))
vi.mock('node:os', () => ({ availableParallelism: () => 2, totalmem: () => host.memoryBytes }))
vi.mock('lmdb', () => ({
  open: (options: { noReadAhead?: boolean }) => {
    host.opened.push(options)
    return { getBinary: () => undefined, getRange: () => [], close: async () => {} }
  },
}))

/** Whether each store that is opened reads ahead. */
async function readsAhead(fileBytes: number | undefined, memoryBytes: number, limit: number): Promise<boolean[]> {
  Object.assign(host, { fileBytes, memoryBytes, opened: [] })
  vi.spyOn(process, 'constrainedMemory').mockReturnValue(limit)
  for (const readOnly of [false, true])
    await new LmdbStore({ directory: '/data/database', durability: 'process', readOnly }).close()
  return host.opened.map(({ noReadAhead }) => noReadAhead === false)
}

afterEach(() => void vi.restoreAllMocks())

test('a database that fits into half of the memory is read ahead', async () => {
  expect(await readsAhead(undefined, 16 * GIB, 0)).toEqual([true, true])
  expect(await readsAhead(8 * GIB, 16 * GIB, 0)).toEqual([true, true])
  expect(await readsAhead(8 * GIB, 16 * GIB, 2 ** 63)).toEqual([true, true])
})

test('a larger one is not', async () => {
  expect(await readsAhead(8 * GIB + 1, 16 * GIB, 0)).toEqual([false, false])
  expect(await readsAhead(3 * GIB, 16 * GIB, 4 * GIB)).toEqual([false, false])
})

import { describe, expect, test, vi } from 'vitest'
import { LmdbStore } from '../../../../../adapters/server/data/lmdbStore.ts'
import { bytes, put } from '../../../storage/contract.ts'

const disk = vi.hoisted(() => ({ freeBytes: 0, failure: {} as object }))

vi.mock('node:fs', () => ({
  statfsSync: () => ({ bavail: disk.freeBytes / 4096, bsize: 4096 }),
  statSync: () => undefined,
}))
vi.mock('lmdb', () => ({
  open: () => ({
    getBinary: () => undefined,
    getRange: () => [],
    transactionSync: () => {
      throw Object.assign(new Error('Input/output error'), disk.failure)
    },
    close: async () => {},
  }),
}))

describe('a failed commit', () => {
  const commit = (failure: object, freeBytes: number) => {
    Object.assign(disk, { failure, freeBytes })
    new LmdbStore({ directory: '/data/database', durability: 'process' }).commit([put(bytes(1), bytes(1))])
  }
  const full = expect.objectContaining({
    code: 'DISK_FULL',
    message: 'no space left for the database in /data/database',
  })

  test('means a full disk when LMDB says so, or reports an I/O error and no space is left', () => {
    expect(() => commit({ code: 28 }, 1e9)).toThrow(full)
    expect(() => commit({ code: -30792 }, 1e9)).toThrow(full)
    expect(() => commit({ code: 5 }, 4096)).toThrow(full)
  })

  test('is otherwise reported as a failing store, with the reason', () => {
    expect(() => commit({ code: 5 }, 1e9)).toThrow(
      expect.objectContaining({ code: 'STORE_FAILED', message: expect.stringContaining('Input/output error') }),
    )
  })
})

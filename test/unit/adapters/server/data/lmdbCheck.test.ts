// slow: many databases
/**
 * Databases that were damaged while closed. A worker process opens them, because LMDB itself would die from a signal.
 */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDataDirectory } from '../../../../../adapters/server/data/dataDirectory.ts'
import { damageOf } from '../../../../../adapters/server/data/lmdbCheck.ts'
import { LmdbStore } from '../../../../../adapters/server/data/lmdbStore.ts'
import { Random } from '../../../../support/host/random.ts'
import { bytes, put } from '../../../storage/contract.ts'

const PAGE = 4096
const ENTRIES = 3000

describe('a database file', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'isonode-check-'))
  const original = path.join(root, 'original')
  const file = (directory: string): string => path.join(directory, 'database', 'data.mdb')
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  const key = (i: number): Uint8Array => bytes(1, i >> 8, i & 0xff)
  beforeAll(async () => {
    const data = openDataDirectory(original, 'process')
    for (let from = 0; from < ENTRIES; from += 500) {
      const batch = Array.from({ length: 500 }, (_, i) => put(key(from + i), new Uint8Array(i % 50 === 0 ? 6000 : 100)))
      data.store.commit(batch)
    }
    await data.close()
    writeFileSync(path.join(original, 'key'), '')
  })

  let serial = 0
  /** A copy of the directory with a changed database. */
  function damaged(change: (content: Buffer) => Buffer | undefined): string {
    const directory = path.join(root, `copy-${serial++}`)
    mkdirSync(path.join(directory, 'database'), { recursive: true })
    copyFileSync(path.join(original, 'key'), path.join(directory, 'key'))
    const content = readFileSync(file(original))
    writeFileSync(file(directory), change(content) ?? content)
    return directory
  }

  const refusal = (directory: string, what: RegExp) =>
    expect.objectContaining({
      code: 'STORE_DAMAGED',
      message: expect.stringMatching(new RegExp(`^the database ${file(directory)} is damaged: ${what.source}`)),
    })

  it('that is intact is opened, after any commits', async () => {
    expect(damageOf(file(original))).toBeUndefined()
    const directory = path.join(root, 'random')
    const source = new Random(7)
    const random = (bound: number): number => source.below(bound)
    for (let round = 0; round < 12; round++) {
      const store = new LmdbStore({ directory: path.join(directory, 'database'), durability: 'process' })
      for (let commit = 0; commit < 20; commit++) {
        const keys = Array.from({ length: 80 }, () => key(random(2000)))
        store.commit(
          keys.map((at) => (random(2) === 0 ? { key: at, value: undefined } : put(at, new Uint8Array(random(9000))))),
        )
      }
      await store.close()
      expect(damageOf(file(directory))).toBeUndefined()
    }
  })

  it.each<[string, (content: Buffer) => Buffer | undefined, RegExp]>([
    ['with zeros over its beginning', (content) => content.fill(0, 0, 2 * PAGE), /its first meta page is invalid/],
    ['with zeros over its second page', (content) => content.fill(0, PAGE, 2 * PAGE), /its second meta page/],
    ['of another kind', () => Buffer.from('hello'.repeat(10_000)), /its first meta page is invalid/],
    ['that was halved', (content) => content.subarray(0, content.length / 2), /it is truncated/],
    ['that lost its last page', (content) => content.subarray(0, content.length - PAGE), /it is truncated|page/],
    ['of one page', (content) => content.subarray(0, PAGE), /it ends before its second meta page/],
    ['that is empty beside a node key', () => Buffer.alloc(0), /it is empty/],
    ['of one byte', () => Buffer.alloc(1), /it ends before its first meta page/],
  ])('%s is refused', (_what, change, message) => {
    const directory = damaged(change)
    expect(() => openDataDirectory(directory, 'process')).toThrow(refusal(directory, message))
  })

  it('that is empty is initialized if there is no sign of a chain', async () => {
    const directory = damaged(() => Buffer.alloc(0))
    rmSync(path.join(directory, 'key'))
    const data = openDataDirectory(directory, 'process')
    data.store.commit([put(bytes(1), bytes(2))])
    await data.close()
  })

  it('is refused, or can be read, wherever its first pages are damaged', () => {
    const source = new Random(11)
    const random = (bound: number): number => source.below(bound)
    const directories: string[] = []
    for (let i = 0; i < 120; i++) {
      const directory = damaged((content) => {
        const at = random(12 * PAGE)
        const length = 1 + random(64)
        for (let j = at; j < at + length; j++) content[j] = random(256)
        return content
      })
      if (damageOf(file(directory)) === undefined) directories.push(path.join(directory, 'database'))
    }
    expect(directories.length).toBeLessThan(120)
    const reader = path.join(import.meta.dirname, 'readDatabases.mjs')
    const { status, signal, stderr } = spawnSync(process.execPath, [reader, ...directories], { encoding: 'utf8' })
    expect([status, signal], stderr).toEqual([0, null])
  })

  it('and its folder are accessible only to their owner', async () => {
    const directory = path.join(root, 'private')
    const data = openDataDirectory(directory, 'process')
    await data.close()
    const mode = (name: string): number => statSync(path.join(directory, name)).mode & 0o777
    expect(['.', 'database'].map(mode)).toEqual([0o700, 0o700])
    expect(['database/data.mdb', 'database/lock.mdb'].map(mode)).toEqual([0o600, 0o600])
  })

  it('that is truncated within a page is refused', () => {
    const directory = damaged((content) => content)
    truncateSync(file(directory), statSync(file(original)).size - 3 * PAGE + 100)
    expect(() => openDataDirectory(directory, 'process')).toThrow(refusal(directory, /it is truncated|page/))
  })
})

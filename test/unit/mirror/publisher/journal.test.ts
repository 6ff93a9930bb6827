/** The journal of a database that is published. */
import { describe, expect, it } from 'vitest'
import { MAX_JOURNAL_BYTES, MAX_JOURNAL_RECORD_BYTES } from '../../../../src/base/limits/limits.ts'
import type { Mutation } from '../../../../src/base/ports/keyValueStore.ts'
import { uintBytes } from '../../../../src/base/primitives/bytes.ts'
import { changesAfter, lastRecord, readPosition } from '../../../../src/mirror/publisher/journal.ts'
import { dropJournal, JournaledStore } from '../../../../src/mirror/publisher/journaledStore.ts'
import { keys } from '../../../../src/storage/schema.ts'
import { MemoryDisk } from '../../../support/mirror/publishedChain.ts'

const account = (n: number): Uint8Array => keys.flatAccount(new Uint8Array(32).fill(n))
const put = (key: Uint8Array): Mutation => ({ key, value: Uint8Array.of(1) })
const at = (record: number) => ({ manifest: 1, hash: new Uint8Array(32), epoch: 5, claim: 5, record })

function open() {
  const disk = new MemoryDisk()
  let commits = 0
  const store = new JournaledStore(disk, () => commits++)
  return { disk, store, commits: () => commits }
}

describe('the journal', () => {
  it('names the published keys of each batch, in the same batch', () => {
    const { disk, store, commits } = open()
    store.commit([put(account(2)), put(account(1)), put(keys.localTransaction(new Uint8Array(32)))])
    store.commit([{ key: account(2), value: undefined }])
    expect(changesAfter(disk, 0)).toEqual({ keys: [account(1), account(2)], record: 2 })
    expect(changesAfter(disk, 1)).toEqual({ keys: [account(2)], record: 2 })
    expect(commits()).toBe(2)
  })

  it('writes nothing for a batch without published keys', () => {
    const { disk, store, commits } = open()
    store.commit([put(keys.localTransaction(new Uint8Array(32)))])
    expect(lastRecord(disk)).toBe(0)
    expect(commits()).toBe(0)
  })

  it('deletes what is published with the next batch, and goes on after a restart', () => {
    const { disk, store } = open()
    store.commit([put(account(1))])
    store.publishedTo(at(1))
    store.commit([put(account(2))])
    expect(readPosition(disk)).toEqual(at(1))
    expect(disk.get(keys.mirrorJournal(1))).toBeUndefined()
    const again = new JournaledStore(disk, () => {})
    again.commit([put(account(3))])
    expect(changesAfter(disk, 1)).toEqual({ keys: [account(2), account(3)], record: 3 })
  })

  it('counts on after everything is published and deleted', async () => {
    const { disk, store } = open()
    store.commit([put(account(1))])
    store.publishedTo(at(1))
    await store.flush()
    expect(lastRecord(disk)).toBe(0)
    new JournaledStore(disk, () => {}).commit([put(account(2))])
    expect(changesAfter(disk, 1)).toEqual({ keys: [account(2)], record: 2 })
  })

  it('divides a large batch', () => {
    const { disk, store } = open()
    const count = Math.ceil((2.5 * MAX_JOURNAL_RECORD_BYTES) / 33)
    store.commit(
      Array.from({ length: count }, (_, i) =>
        put(keys.flatAccount(new Uint8Array([...uintBytes(i, 4), ...new Uint8Array(28)]))),
      ),
    )
    expect(lastRecord(disk)).toBe(3)
    expect(changesAfter(disk, 0)?.keys).toHaveLength(count)
  })

  it('has a bound: the oldest records go, and what changed is then not known', () => {
    const { disk, store } = open()
    const keyCount = 4000
    const batch = Array.from({ length: keyCount }, (_, i) =>
      put(keys.flatAccount(new Uint8Array([...uintBytes(i, 4), ...new Uint8Array(28)]))),
    )
    const batches = Math.ceil((1.2 * MAX_JOURNAL_BYTES) / (33 * keyCount))
    for (let i = 0; i < batches; i++) store.commit(batch)
    let bytes = 0
    for (const [key, value] of disk.range({ prefix: keys.mirrorPosition() })) bytes += key.length + value.length
    expect(bytes).toBeLessThan(1.02 * MAX_JOURNAL_BYTES)
    expect(changesAfter(disk, 0)).toBeUndefined()
  }, 20_000)

  it('is forgotten by a node that does not publish', async () => {
    const { disk, store } = open()
    store.commit([put(account(1))])
    store.publishedTo(at(1))
    store.commit([put(account(2))])
    await dropJournal(disk)
    expect(readPosition(disk)).toBeUndefined()
    expect(lastRecord(disk)).toBe(0)
    expect(disk.get(account(2))).toEqual(Uint8Array.of(1))
  })
})

import { describe, expect, it } from 'vitest'
import { ClientRecords } from '../../../../../adapters/browser/sharing/clientRecords.ts'
import { ClientRequests, type OnceRequest } from '../../../../../adapters/browser/sharing/clientRequests.ts'
import { MAX_CLIENT_ANSWER_BYTES, MAX_CLIENT_REQUESTS } from '../../../../../src/base/limits/limits.ts'
import type { Mutation } from '../../../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, concatBytes } from '../../../../../src/base/primitives/bytes.ts'
import { MemoryStore } from '../../../../../src/storage/memoryStore.ts'
import { Column, keys } from '../../../../../src/storage/schema.ts'

class ResidentMemory extends MemoryStore {
  async load(): Promise<void> {}
}

const hash = (byte: number) => new Uint8Array(32).fill(byte)
const header = { key: keys.header(1, hash(1)), value: hash(0) }
const amendment = { key: keys.devAmendment(1, hash(1)), value: hash(0) }
const senders = (...transactions: number[]): Mutation => ({
  key: keys.senders(1, hash(1)),
  value: concatBytes(...transactions.map((byte) => concatBytes(new Uint8Array(20), hash(byte)))),
})
const journal = (byte: number): Mutation => ({ key: keys.localTransaction(hash(byte)), value: hash(0) })

const request = (id: string, kind: OnceRequest['kind'], run: OnceRequest['run']): OnceRequest => ({
  id,
  kind,
  run,
  receiptOf: async (transaction) => ({ transaction }),
})
/** The work of a request that must not run. */
const never = async () => {
  throw new Error('it ran again')
}

/** A worker over the store. It commits what it is told, and may end before it answers. */
async function openWorker(store = new ResidentMemory()) {
  const records = await ClientRecords.open(store)
  return { store, records, requests: new ClientRequests(records) }
}

/** Runs a request whose worker ends after it has committed the batches. @returns the next worker */
async function endAfter(batches: readonly (readonly Mutation[])[], kind: OnceRequest['kind'], id = 'tab:1') {
  const { store, records, requests } = await openWorker()
  await new Promise<void>((resolve) => {
    const run = async () => {
      for (const batch of batches) await records.commit(batch)
      resolve()
      return new Promise(() => {})
    }
    void requests.once(request(id, kind, run))
  })
  return openWorker(store)
}

describe('a request whose worker has ended', () => {
  it('is answered with the hash of the transaction that its batch had', async () => {
    const mined = await endAfter([[header, senders(7)]], 'send')
    expect(await mined.requests.once(request('tab:1', 'send', never))).toBe(bytesToHex(hash(7)))
    const waiting = await endAfter([[journal(8)]], 'send')
    expect(await waiting.requests.once(request('tab:1', 'send', never))).toBe(bytesToHex(hash(8)))
  })

  it('is answered with the receipt if it waits for it', async () => {
    const { requests } = await endAfter([[journal(8)]], 'sendAndWait')
    const answer = await requests.once(request('tab:1', 'sendAndWait', never))
    expect(answer).toEqual({ transaction: bytesToHex(hash(8)) })
  })

  it.each([
    ['blocks', [header]],
    ['change', [amendment]],
    ['change', [header, senders(7)]],
    ['send', [header, senders(7, 8)]],
  ] as const)('%s: says that it was applied, if its answer is unknown', async (kind, batch) => {
    const { requests } = await endAfter([batch], kind)
    await expect(requests.once(request('tab:1', kind, never))).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining('was applied'),
    })
  })

  it.each([
    ['blocks', [amendment]],
    ['change', [header]],
    ['send', [header]],
  ] as const)('%s: runs again after a batch that it has not caused', async (kind, batch) => {
    const { requests } = await endAfter([batch], kind)
    expect(await requests.once(request('tab:1', kind, async () => 'run'))).toBe('run')
  })

  it('does not claim a transaction that waited before', async () => {
    const { store } = await endAfter([[journal(8)]], 'send')
    const { records, requests } = await openWorker(store)
    void requests.once(
      request('tab:2', 'send', async () => {
        await records.commit([header, senders(8)])
        return new Promise(() => {})
      }),
    )
    await new Promise((resolve) => setTimeout(resolve, 0))
    const next = await openWorker(store)
    expect(await next.requests.once(request('tab:2', 'send', async () => 'run'))).toBe('run')
  })

  it('runs again if it had no effect', async () => {
    const { requests } = await endAfter([], 'send')
    expect(await requests.once(request('tab:1', 'send', async () => 'run'))).toBe('run')
  })
})

describe('a request that has ended', () => {
  it('is answered by the next worker as by the first', async () => {
    const { store, records, requests } = await openWorker()
    const mine = async () => {
      await records.commit([header])
      return { blocks: 3 }
    }
    await requests.once(request('tab:1', 'blocks', mine))
    const next = await openWorker(store)
    expect(await next.requests.once(request('tab:1', 'blocks', never))).toEqual({ blocks: 3 })
  })

  it('is known as applied if its answer is large', async () => {
    const { store, records, requests } = await openWorker()
    const mine = async () => {
      await records.commit([header])
      return 'x'.repeat(MAX_CLIENT_ANSWER_BYTES)
    }
    await requests.once(request('tab:1', 'blocks', mine))
    const next = await openWorker(store)
    await expect(next.requests.once(request('tab:1', 'blocks', never))).rejects.toThrow('was applied')
  })

  it('runs once when it is asked twice', async () => {
    const { requests } = await openWorker()
    let runs = 0
    const run = async () => ++runs
    const asked = request('tab:1', 'change', run)
    expect(await Promise.all([requests.once(asked), requests.once(asked)])).toEqual([1, 1])
  })
})

describe('the records', () => {
  it('are as many as the limit allows', async () => {
    const { store, records, requests } = await openWorker()
    for (let i = 0; i < MAX_CLIENT_REQUESTS + 5; i++) {
      await requests.once(request(`tab:${i}`, 'send', async () => records.commit([header, senders(i % 256)])))
    }
    const stored = [...store.range({ prefix: Uint8Array.of(Column.clientRequest) })]
    expect(stored.length).toBe(MAX_CLIENT_REQUESTS)
    const next = await openWorker(store)
    expect(next.records.recordOf('tab:4')).toBeUndefined()
    expect(next.records.recordOf('tab:5')).toBeDefined()
    // Numbers go on after those that are stored.
    await next.requests.once(request('new', 'send', async () => next.records.commit([header, senders(1)])))
    expect([...store.range({ prefix: Uint8Array.of(Column.clientRequest) })].length).toBe(MAX_CLIENT_REQUESTS)
  })

  it('are not kept of a batch that the store refuses', async () => {
    const { store, records, requests } = await openWorker()
    store.commit = () => {
      throw new Error('full')
    }
    const send = async () => records.commit([header, senders(1)])
    await expect(requests.once(request('tab:1', 'send', send))).rejects.toThrow('full')
    expect(records.recordOf('tab:1')).toBeUndefined()
  })
})

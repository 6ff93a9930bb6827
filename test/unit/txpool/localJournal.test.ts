import { describe, expect, it } from 'vitest'
import type { Logger } from '../../../src/base/ports/host.ts'
import type { KeyValueStore, Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { keys } from '../../../src/storage/schema.ts'
import type { PooledTransaction } from '../../../src/txpool/contract.ts'
import { LocalJournal } from '../../../src/txpool/localJournal.ts'
import { decodeTransaction, encodeTransaction } from '../../../src/types/transactionCodec.ts'
import { accountAddress, admitted, openPool } from '../../support/chains/pool.ts'
import { ALICE, openDevChain, plannedOf, signed } from '../../support/nodes/devChain.ts'

async function pooled(nonce: number, values: Partial<PooledTransaction> = {}): Promise<PooledTransaction> {
  const candidate = plannedOf(await signed(ALICE, { nonce }))
  const encoding = encodeTransaction(candidate.transaction)
  return { ...candidate, encoding, isLocal: true, addedAtMs: 1000, sequence: 0, ...values }
}

/** Commits complete when they are released. */
function slowStore() {
  const inner = new MemoryStore()
  const batches: (readonly Mutation[])[] = []
  const endings: ((error?: Error) => void)[] = []
  const commit = (batch: readonly Mutation[]): Promise<void> => {
    batches.push(batch)
    return new Promise((resolve, reject) => {
      endings.push((error) => {
        if (error) return reject(error)
        inner.commit(batch)
        resolve()
      })
    })
  }
  const kv: KeyValueStore = {
    get: (key) => inner.get(key),
    getMany: (all) => inner.getMany(all),
    range: (options) => inner.range(options),
    commit,
    close: () => {},
  }
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
  const end = async (error?: Error): Promise<void> => {
    endings.shift()?.(error)
    await turn()
  }
  return { kv, batches, end, turn }
}

describe('local transactions', () => {
  it('are kept across a restart, oldest first', async () => {
    const kv = new MemoryStore()
    const journal = new LocalJournal({ kv, logger: silentLogger })
    const later = await pooled(0, { addedAtMs: 2_000_000_000_000 })
    const [second, first] = [await pooled(2), await pooled(1)]
    await Promise.all([journal.record(later), journal.record(second), journal.record(first)])
    const kept = new LocalJournal({ kv, logger: silentLogger }).load()
    expect(kept).toEqual(
      [first, second, later].map(({ hash, transaction, addedAtMs }) => ({
        hash,
        incoming: { transaction, isLocal: true },
        addedAtMs,
      })),
    )
  })

  it('are kept with their impersonated sender and with their blobs', async () => {
    const kv = new MemoryStore()
    const journal = new LocalJournal({ kv, logger: silentLogger })
    await journal.record(await pooled(1, { sender: accountAddress(7), isImpersonated: true }))
    const raw = await ALICE.signTransaction({
      type: 'eip4844',
      chainId: 31337,
      nonce: 2,
      to: ALICE.address,
      maxFeePerGas: 1n,
      maxFeePerBlobGas: 1n,
      blobVersionedHashes: [`0x01${'00'.repeat(31)}`],
      sidecars: false,
    })
    const sidecar = {
      version: 0 as const,
      blobs: [new Uint8Array(131_072).fill(3)],
      commitments: [new Uint8Array(48).fill(4)],
      proofs: [new Uint8Array(48).fill(5)],
    }
    const transaction = decodeTransaction(hexToBytes(raw))
    await journal.record(await pooled(2, { transaction, hash: new Uint8Array(32), sidecar }))
    const [impersonated, blob] = journal.load()
    expect(impersonated?.incoming.impersonatedSender).toEqual(accountAddress(7))
    expect(blob?.incoming).toEqual({ transaction, sidecar, isLocal: true })
  })

  it('can be deleted', async () => {
    const journal = new LocalJournal({ kv: new MemoryStore(), logger: silentLogger })
    const entry = await pooled(1)
    await journal.record(entry)
    journal.forget(entry.hash)
    await journal.settled()
    expect(journal.load()).toEqual([])
  })

  it('that are not stored cost nothing to delete', async () => {
    const { kv, batches, turn } = slowStore()
    new LocalJournal({ kv, logger: silentLogger }).forget(new Uint8Array(32))
    await turn()
    expect(batches).toEqual([])
  })

  it('that cannot be read are deleted', async () => {
    const kv = new MemoryStore()
    const journal = new LocalJournal({ kv, logger: silentLogger })
    const entry = await pooled(1)
    await journal.record(entry)
    for (const value of [new Uint8Array(0), new Uint8Array(9), new Uint8Array(40).fill(1)]) {
      kv.commit([{ key: keys.localTransaction(new Uint8Array(32).fill(value.length)), value }])
    }
    expect(journal.load().map(({ hash }) => hash)).toEqual([entry.hash])
    await journal.settled()
    expect([...kv.range({ prefix: keys.localTransaction(new Uint8Array(0)) })]).toHaveLength(1)
  })
})

describe('commits', () => {
  it('run one at a time, with everything recorded meanwhile', async () => {
    const { kv, batches, end, turn } = slowStore()
    const journal = new LocalJournal({ kv, logger: silentLogger })
    const entries = await Promise.all([0, 1, 2, 3].map((nonce) => pooled(nonce)))
    const done: number[] = []
    for (const [i, entry] of entries.entries()) {
      journal.record(entry).then(() => done.push(i))
      if (i === 0) await turn()
    }
    journal.forget((entries[2] as PooledTransaction).hash)
    await turn()
    expect(batches.map((batch) => batch.length)).toEqual([1])
    expect(done).toEqual([])
    await end()
    expect(done).toEqual([0])
    expect(batches.map((batch) => batch.length)).toEqual([1, 3])
    await end()
    expect(done).toEqual([0, 1, 2, 3])
    expect(journal.load()).toHaveLength(3)
  })

  it('that fail are reported to the caller, and do not stop the next ones', async () => {
    const { kv, end, turn } = slowStore()
    const warnings: string[] = []
    const logger: Logger = { ...silentLogger, warn: (message) => void warnings.push(message) }
    const journal = new LocalJournal({ kv, logger })
    const kept = await pooled(2)
    journal.record(kept)
    await turn()
    await end()
    const outcome = journal.record(await pooled(0)).catch((error: Error) => error.message)
    journal.forget(kept.hash)
    await turn()
    const next = journal.record(await pooled(1))
    await end(new Error('disk full'))
    expect(await outcome).toBe('disk full')
    expect(warnings).toHaveLength(1)
    await end()
    await next
    expect(journal.load()).toHaveLength(2)
  })
})

it('stored transactions are admitted again with the time of their first admission', async () => {
  const chain = await openDevChain()
  const journal = new LocalJournal({ kv: new MemoryStore(), logger: silentLogger })
  const first = openPool(chain)
  const addedAtMs = Date.UTC(2029, 11, 31, 23)
  const entry = admitted(first, { transaction: (await pooled(0)).transaction, isLocal: true }, addedAtMs)
  await journal.record(entry)
  const second = openPool(chain)
  for (const kept of journal.load()) admitted(second, kept.incoming, kept.addedAtMs)
  expect([...second.transactions()]).toEqual([entry])
})

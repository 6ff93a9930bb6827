// slow: opens databases
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { IdbStore } from '../../../../adapters/browser/idbStore.ts'
import { type BrowserNode, type BrowserNodeOptions, createBrowserNode } from '../../../../adapters/browser/index.ts'
import { keys } from '../../../../src/storage/schema.ts'
import { eventually } from '../../../support/host/eventually.ts'
import { bytes, put } from '../../storage/contract.ts'

interface Report {
  readonly usage: number
  readonly isEvicted: boolean | null
}

const QUOTA = { usage: 1_000, quota: 5_000 }
let databases = 0
const logged: string[] = []
const notes = new Map<string, string>()
const persist = vi.fn(async () => true)
const opened: BrowserNode[] = []

/** A window of a browser: with storage, locks and notes. */
beforeEach(() => {
  vi.stubGlobal('navigator', {
    locks: { request: (_: string, __: unknown, use: () => Promise<void>) => use() },
    storage: { estimate: async () => QUOTA, persisted: async () => persist.mock.calls.length > 0, persist },
  })
  vi.stubGlobal('document', {})
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => notes.get(name) ?? null,
    setItem: (name: string, value: string) => void notes.set(name, value),
  })
})
afterEach(async () => {
  for (const node of opened.splice(0)) await node.close()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  persist.mockClear()
  logged.length = 0
})

async function open(options: BrowserNodeOptions): Promise<BrowserNode> {
  const node = await createBrowserNode({ log: (entry) => logged.push(entry), ...options })
  opened.push(node)
  return node
}

const report = (node: BrowserNode) => node.request<Report>('isonode_database')

/** The browser removes a database while no page uses it. */
async function evict(name: string): Promise<void> {
  await new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = resolve
    request.onerror = reject
  })
}

describe('isonode_database', () => {
  it('tells where the chain is and what the browser gives it', async () => {
    expect(await report(await open({ dataPath: `report-${databases++}` }))).toEqual({
      kind: 'indexeddb',
      durability: 'process',
      usage: 1_000,
      available: 4_000,
      isPersisted: false,
      isEvicted: null,
    })
    const kept = await open({ dataPath: `report-${databases++}`, durability: 'power', persist: true })
    expect(await report(kept)).toMatchObject({ durability: 'power', isPersisted: true })
    expect(await report(await open({ storage: 'memory' }))).toMatchObject({
      kind: 'memory',
      durability: null,
      usage: null,
    })
  })

  it('says null where a browser has no such functions', async () => {
    const { navigator } = globalThis as unknown as { navigator: object }
    vi.stubGlobal('navigator', { ...navigator, storage: undefined })
    const node = await open({ dataPath: `report-${databases++}`, persist: true })
    expect(await report(node)).toMatchObject({ kind: 'indexeddb', usage: null, available: null, isPersisted: null })
    expect(logged.join('\n')).toContain('the browser does not promise to keep the database')
  })
})

describe('the options', () => {
  it.each([['process', undefined] as const, ['power', { durability: 'strict' }] as const])(
    'of durability %s: transactions with %j',
    async (durability, expected) => {
      const node = await open({ dataPath: `durable-${databases++}`, durability })
      const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction')
      await node.request('evm_mine')
      const writes = transaction.mock.calls.filter(([, mode]) => mode === 'readwrite')
      expect(writes.length).toBeGreaterThan(0)
      for (const [, , options] of writes) expect(options).toEqual(expected)
    },
  )

  it('persist asks the browser, and says when it does not agree', async () => {
    await open({ dataPath: `persist-${databases++}` })
    expect(persist).not.toHaveBeenCalled()
    persist.mockResolvedValueOnce(false)
    await open({ dataPath: `persist-${databases++}`, persist: true })
    await eventually(() => expect(logged.join('\n')).toContain('the browser does not promise to keep the database'))
  })

  it.each<[BrowserNodeOptions, string]>([
    [{ durability: 'disk' } as never, "option 'durability': disk is not 'process' or 'power'"],
    [{ persist: 1 } as never, "option 'persist'"],
    [{ storage: 'memory', durability: 'power' }, "'durability' needs a database"],
    [{ storage: 'memory', persist: true }, "'persist' needs a database"],
  ])('%j is refused', async (options, message) => {
    await expect(open(options)).rejects.toThrow(message)
  })
})

describe('a database that the browser removed', () => {
  it('between two visits: the chain begins again, with a warning that names it', async () => {
    const dataPath = `evicted-${databases++}`
    const first = await open({ dataPath })
    await first.request('evm_mine')
    await first.close()
    await evict(dataPath)
    const second = await open({ dataPath })
    expect(logged.join('\n')).toMatch(new RegExp(`has removed the database since the last visit.*${dataPath}`))
    expect(await second.request('eth_blockNumber')).toBe('0x0')
    expect((await report(second)).isEvicted).toBe(true)
    await second.close()
    expect((await report(await open({ dataPath }))).isEvicted).toBe(false)
  })

  it('is not known in a worker, which has no notes', async () => {
    Reflect.deleteProperty(globalThis, 'document')
    expect((await report(await open({ dataPath: `worker-${databases++}` }))).isEvicted).toBe(null)
  })

  it('while it was open: nothing is written into an empty one', async () => {
    const name = `removed-${databases++}`
    let connection: IDBDatabase | undefined
    const { transaction } = IDBDatabase.prototype
    vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (this: IDBDatabase, ...call) {
      connection = this
      return transaction.apply(this, call)
    })
    const store = new IdbStore(name)
    await store.commit([put(bytes(1), bytes(1))])
    connection?.close()
    await evict(name)
    connection?.onclose?.call(connection, new Event('close'))
    const message = `the browser has removed the database ${name} while it was open: load the page again`
    await expect(store.commit([put(bytes(2), bytes(2))])).rejects.toMatchObject({ code: 'STORE_FAILED', message })
    await expect(store.getMany([bytes(1)])).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect((await indexedDB.databases()).map((database) => database.name)).not.toContain(name)
  })
})

describe('a full browser', () => {
  it('refuses the write, says what is needed, and goes on when there is space', async () => {
    const node = await open({ dataPath: `full-${databases++}` })
    const [from, to] = node.accounts.map(({ address }) => address)
    const send = () => node.request('eth_sendTransaction', [{ from, to, value: '0x1' }])
    await send()
    const full = new DOMException('no space', 'QuotaExceededError')
    const puts = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw full
    })
    vi.stubGlobal('navigator', { ...navigator, storage: { estimate: async () => ({ usage: 4_900, quota: 5_000 }) } })
    await expect(node.request('evm_mine')).rejects.toMatchObject({
      code: -32000,
      data: expect.stringMatching(/in this browser: \d+ bytes are needed, 100 left$/),
    })
    expect(await node.request('eth_blockNumber')).toBe('0x1')
    expect(await node.request('eth_getBalance', [to, 'latest'])).toBe('0x21e19e0c9bab2400001')
    puts.mockRestore()
    await send()
    expect(await node.request('eth_getBalance', [to, 'latest'])).toBe('0x21e19e0c9bab2400002')
    await node.close()
  })
})

describe('a database of a newer version', () => {
  it('is refused, and not changed', async () => {
    const name = `newer-${databases++}`
    await (await open({ dataPath: name })).close()
    const store = new IdbStore(name)
    const version = keys.meta('schemaVersion')
    await store.commit([put(version, bytes(0xff, 0xff))])
    const metadata = { prefix: version.subarray(0, 1) }
    const before = await store.range(metadata)
    await store.close()
    await expect(open({ dataPath: name })).rejects.toMatchObject({ code: 'FORMAT_TOO_NEW' })
    const after = new IdbStore(name)
    expect(await after.range(metadata)).toEqual(before)
    await after.close()
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createStorage, type Driver } from 'unstorage'
import memoryDriver from 'unstorage/drivers/memory'
import { afterAll, describe, expect, it } from 'vitest'
import { openDriver, openUnstorage } from '../../../../adapters/server/objects/unstorageObjects.ts'
import type { ObjectStore } from '../../../../src/base/ports/objectStore.ts'
import { all, objectStoreContract, pattern } from './contract.ts'

const home = mkdtempSync(path.join(tmpdir(), 'isonode-unstorage-'))
let folders = 0
afterAll(() => rmSync(home, { recursive: true, force: true }))

objectStoreContract('unstorage over files', async () => {
  const url = new URL(`unstorage:fs-lite?base=${encodeURIComponent(path.join(home, String(folders++)))}`)
  return [await openUnstorage(url, {}), await openUnstorage(url, {})]
})

/** Two stores over a new driver, which closing one of them does not empty. */
function openShared(name: string, changes: (driver: Driver) => Partial<Driver> = () => ({})): ObjectStore[] {
  const driver = memoryDriver()
  const lasting = { ...driver, dispose: () => {}, ...changes(driver) }
  return [openDriver(createStorage({ driver: lasting }), name), openDriver(createStorage({ driver: lasting }), name)]
}

objectStoreContract('unstorage over a service of texts', async () => {
  const { getItemRaw: _, setItemRaw: __, ...driver } = memoryDriver()
  const open = (): ObjectStore => openDriver(createStorage({ driver: { ...driver, dispose: () => {} } }), 'texts')
  return [open(), open()]
})

objectStoreContract('unstorage over a service of small values', async () => {
  const limit = (bytes: number): void => {
    if (bytes > 65_536) throw new Error('value too large')
  }
  const [first, second] = openShared('deno-kv', (driver) => ({
    setItemRaw: (key: string, value: Uint8Array, options) => {
      limit(value.length)
      return driver.setItemRaw?.(key, value, options)
    },
  }))
  return [first as ObjectStore, second as ObjectStore]
})

describe('objects over unstorage', () => {
  it('reads bytes in every form that drivers return, and nothing else', async () => {
    const forms: readonly ((bytes: Uint8Array<ArrayBuffer>) => unknown)[] = [
      (bytes) => Buffer.from(bytes),
      (bytes) => bytes.buffer,
      (bytes) => new DataView(bytes.buffer),
      (bytes) => new Blob([bytes]),
    ]
    for (const form of forms) {
      const [store] = openShared('forms', (driver) => ({
        setItemRaw: (key: string, value: Uint8Array, options) =>
          driver.setItemRaw?.(key, form(new Uint8Array(value)), options),
      }))
      await store?.create('a', pattern(700))
      expect(await store?.get('a', 3, 5)).toEqual(pattern(700).slice(3, 8))
    }
    const storage = createStorage({ driver: memoryDriver() })
    await storage.setItemRaw('a', { is: 'no bytes' })
    await storage.setItemRaw('b', Uint8Array.of(1, 2))
    await storage.setItemRaw('c:d', new Uint8Array(9))
    const store = openDriver(storage, 'memory')
    await expect(store.get('a')).rejects.toThrow('a of unstorage:memory is not available: the value is not bytes')
    await expect(store.get('b')).rejects.toThrow('part 0 has another length than it should')
    await expect(store.get('c/d')).rejects.toThrow('the object is cut into parts of 0 bytes')
  })

  it('names a part that is lost, and does not take it for the end', async () => {
    const storage = createStorage({ driver: memoryDriver() })
    const store = openDriver(storage, 'memory')
    await store.create('a', pattern(2_000_000))
    expect((await storage.getKeys()).sort()).toEqual(['a', 'a_1', 'a_2', 'a_3'])
    await storage.removeItem('a_2')
    const lost = { code: 'MIRROR_UNAVAILABLE', message: expect.stringContaining('part 2 is missing') }
    await expect(store.get('a')).rejects.toMatchObject(lost)
    await expect(store.get('a', 1_100_000, 10)).rejects.toMatchObject(lost)
    expect(await store.get('a', 10, 3)).toEqual(pattern(13).slice(10))
  })

  it('shows an object only when it is complete', async () => {
    let seen: string[] = []
    const [store, other] = openShared('slow', (driver) => ({
      setItemRaw: async (key: string, value: unknown, options) => {
        if (other !== undefined && key === 'a') seen = await all(other.list(''))
        return driver.setItemRaw?.(key, value, options)
      },
    }))
    await store?.create('a', pattern(2_000_000))
    expect(seen).toEqual([])
    expect(await all((other as ObjectStore).list(''))).toEqual(['a'])
  })

  it('says what a driver says, without secrets', async () => {
    const storage = createStorage({
      driver: {
        ...memoryDriver(),
        getItemRaw: () => Promise.reject(new Error('401 for https://host/?token=secret-word\n')),
      },
    })
    await expect(openDriver(storage, 'memory', ['secret-word']).get('a')).rejects.toMatchObject({
      code: 'MIRROR_UNAVAILABLE',
      message: expect.stringMatching(/^a of unstorage:memory is not available: 401 for https:\/\/host\/\?token=…/),
    })
  })

  it.each([
    ['unstorage:', 'expected unstorage:DRIVER'],
    ['unstorage:../x', 'expected unstorage:DRIVER'],
    ['unstorage:nothing', 'unstorage has no driver nothing'],
    ['unstorage:github?repo=a/b', 'cannot write'],
    ['unstorage:fs?base=/a&base=/b', 'the option base of unstorage: is given twice'],
    ['unstorage:upstash?token=secret', 'the option token of unstorage: is a secret'],
    ['unstorage:upstash?token=env:NOT_THERE', 'the environment has no NOT_THERE'],
  ])('refuses %s', async (url, reason) => {
    const failure = await openUnstorage(new URL(url), {}).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringContaining(reason) })
    expect(String(failure)).not.toContain('=secret')
  })

  it('names a package that a driver needs', async () => {
    const failure = openUnstorage(new URL('unstorage:mongodb?databaseName=a'), {})
    await expect(failure).rejects.toMatchObject({ code: 'MISSING_PACKAGE', details: { package: 'mongodb' } })
  })
})

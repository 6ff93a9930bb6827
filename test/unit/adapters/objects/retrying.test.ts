import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { unavailable } from '../../../../adapters/shared/objects/errors.ts'
import { HttpObjects } from '../../../../adapters/shared/objects/httpObjects.ts'
import { retryingReader, retryingStore } from '../../../../adapters/shared/objects/retrying.ts'
import { MAX_OBJECT_RETRY_MS } from '../../../../src/base/limits/limits.ts'
import type { Creation, ObjectStore } from '../../../../src/base/ports/objectStore.ts'
import { ObjectServer } from '../../../support/mirror/objectServer.ts'
import { pattern } from './contract.ts'

const server = await ObjectServer.start()
afterAll(() => server.stop())
beforeEach(() => {
  server.objects.clear()
  server.requests.length = 0
})

const FAST = { retries: 2, delayMs: 1 }

/** Fails this many times with this status. */
function failing(times: number, status: number, headers: Readonly<Record<string, string>> = {}): void {
  let failures = 0
  server.fault = () => (failures++ < times ? { status, headers } : undefined)
}

describe('a retrying reader', () => {
  const open = () => retryingReader(new HttpObjects(server.origin), FAST)

  it('repeats what an overloaded service refuses, as late as it asks', async () => {
    server.objects.set('a', pattern(3))
    failing(2, 503, { 'retry-after': '0.01' })
    expect(await open().get('a')).toEqual(pattern(3))
    expect(server.requests).toHaveLength(3)
  })

  it('gives up after some attempts', async () => {
    failing(3, 500)
    await expect(open().get('a')).rejects.toThrow('the service answers 500')
    expect(server.requests).toHaveLength(3)
  })

  it('does not wait longer than a request may take', async () => {
    failing(1, 429, { 'retry-after': String(MAX_OBJECT_RETRY_MS / 1000 + 1) })
    await expect(open().get('a')).rejects.toMatchObject({ details: { retryAfterMs: MAX_OBJECT_RETRY_MS + 1000 } })
    expect(server.requests).toHaveLength(1)
  })

  it.each([401, 403, 400, 501])('does not repeat what is refused with %s', async (status) => {
    failing(1, status)
    await expect(open().get('a')).rejects.toMatchObject({ code: 'MIRROR_UNAVAILABLE' })
    expect(server.requests).toHaveLength(1)
  })
})

describe('a retrying store', () => {
  /** A store whose first answer to `create` is lost. */
  function forgetful(existing: Uint8Array | undefined): ObjectStore {
    let object = existing
    let isLost = false
    return {
      label: 'test',
      createsOnce: true,
      get: async () => object,
      list: async function* () {},
      put: async () => {},
      delete: async () => {},
      close: async () => {},
      create: async (name, bytes): Promise<Creation> => {
        const creation = object === undefined ? 'created' : 'exists'
        object ??= bytes
        if (isLost) return creation
        isLost = true
        throw unavailable('test', name, 'no answer in time', { isTransient: true })
      },
    }
  }

  it('knows its own object after an answer was lost', async () => {
    const store = retryingStore(forgetful(undefined), FAST)
    expect(await store.create('manifests/1', pattern(4))).toBe('created')
  })

  it('does not take the object of another for its own', async () => {
    const store = retryingStore(forgetful(pattern(5)), FAST)
    expect(await store.create('manifests/1', pattern(4))).toBe('exists')
  })
})

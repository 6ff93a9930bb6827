import { type ServerType, serve } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WorkerObjects } from '../../../../adapters/shared/objects/workerObjects.ts'
import { answerPublish } from '../../../../adapters/workers/publish.ts'
import type { ObjectStore } from '../../../../src/base/ports/objectStore.ts'
import { MemoryObjects } from '../../../support/mirror/memoryObjects.ts'
import { objectStoreContract, pattern } from './contract.ts'

const TOKEN = 'token-of-the-publisher'
const stores = new Map<string, MemoryObjects>()
const created: string[] = []
let server: ServerType
let origin = ''
let token: string | undefined = TOKEN

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    const fetch = (request: Request): Promise<Response> => {
      const name = new URL(request.url).pathname
      const store = stores.get(name) ?? new MemoryObjects()
      stores.set(name, store)
      return answerPublish({ store, token, onCreated: (object) => created.push(object) }, request)
    }
    server = serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
      origin = `http://127.0.0.1:${port}`
      resolve()
    })
  })
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

let paths = 0
const open = (path: string, given = TOKEN): Promise<ObjectStore> =>
  WorkerObjects.open(new URL(`${origin}/${path}`), given)

objectStoreContract('the store of a Worker', async () => {
  const path = `publish-${paths++}`
  return [await open(path), await open(path)]
})

describe('POST /publish', () => {
  it('reports new objects', async () => {
    const store = await open('reported')
    created.length = 0
    await store.create('manifests/1', pattern(3))
    await store.create('manifests/1', pattern(3))
    await store.put('latest', pattern(1))
    expect(created).toEqual(['manifests/1'])
  })

  it('needs the token', async () => {
    for (const given of ['other', `${TOKEN}x`, TOKEN.slice(1)]) {
      const failure = await open('guarded', given).catch((error: unknown) => error)
      expect(failure).toMatchObject({
        code: 'MIRROR_UNAVAILABLE',
        message: `the store of ${origin} is not available: the service answers 401`,
      })
    }
    const plain = await fetch(`${origin}/guarded?do=list`, { method: 'POST' })
    expect(plain.status).toBe(401)
    await expect(WorkerObjects.open(new URL(origin), undefined)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  })

  it('is absent without a token of the Worker', async () => {
    token = undefined
    const answer = await fetch(`${origin}/none?do=list`, { method: 'POST', headers: { authorization: 'Bearer ' } })
    expect([answer.status, await answer.json()]).toEqual([404, { message: 'this Worker has no ISONODE_PUBLISH_TOKEN' }])
    token = TOKEN
  })

  it('names what is wrong with a request', async () => {
    const post = async (query: string, method = 'POST'): Promise<[number, unknown]> => {
      const response = await fetch(`${origin}/wrong?${query}`, {
        method,
        headers: { authorization: `Bearer ${TOKEN}` },
      })
      return [response.status, await response.json()]
    }
    expect(await post('do=nothing')).toEqual([400, { message: 'there is no such operation' }])
    expect(await post('do=toString')).toEqual([400, { message: 'there is no such operation' }])
    expect(await post('do=list', 'GET')).toEqual([405, { message: 'only POST is allowed' }])
    stores.set('/wrong', new MemoryObjects())
    const store = stores.get('/wrong') as MemoryObjects
    store.writeFault = () => {
      throw new TypeError('secret detail')
    }
    expect(await post('do=create&name=a')).toEqual([503, { message: 'the store failed' }])
  })
})

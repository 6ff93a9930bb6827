/**
 * `POST /publish`: the store of the Worker, for the publisher of the mirror. `adapters/shared/objects/workerObjects.ts` is its
 * client.
 * @module
 */
import { MAX_OBJECT_BYTES, OBJECT_LIST_NAMES } from '../../src/base/limits/limits.ts'
import type { ObjectStore } from '../../src/base/ports/objectStore.ts'
import { isNodeError } from '../../src/base/primitives/errors.ts'
import { boundedBody } from '../shared/objects/http.ts'

export interface PublishAccess {
  readonly store: ObjectStore
  /** Of the publisher; undefined: there is none. */
  readonly token: string | undefined
  /** A new object exists. */
  readonly onCreated?: ((name: string) => void) | undefined
}

type Operation = (access: PublishAccess, query: URLSearchParams, request: Request) => Promise<Response>

const OPERATIONS: Readonly<Record<string, Operation>> = {
  describe: async ({ store }) => Response.json({ createsOnce: store.createsOnce }),
  get: async ({ store }, query) => {
    const bytes = await store.get(nameIn(query), numberIn(query, 'offset'), numberIn(query, 'length'))
    const headers = { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' }
    return bytes === undefined ? refusal(404, 'no such object') : new Response(bytes.slice(), { headers })
  },
  list: async ({ store }, query) => {
    const names: string[] = []
    for await (const name of store.list(query.get('prefix') ?? '', query.get('after') ?? undefined)) {
      names.push(name)
      if (names.length === OBJECT_LIST_NAMES) break
    }
    return Response.json({ names, isWhole: names.length < OBJECT_LIST_NAMES })
  },
  create: async ({ store, onCreated }, query, request) => {
    const name = nameIn(query)
    const creation = await store.create(name, await bodyOf(request))
    if (creation === 'created') onCreated?.(name)
    return Response.json({ creation })
  },
  put: async ({ store }, query, request) => {
    await store.put(nameIn(query), await bodyOf(request))
    return Response.json({})
  },
  delete: async ({ store }, query) => {
    await store.delete(nameIn(query))
    return Response.json({})
  },
}

/** @returns never rejects */
export async function answerPublish(access: PublishAccess, request: Request): Promise<Response> {
  const { token } = access
  if (token === undefined || token === '') return refusal(404, 'this Worker has no ISONODE_PUBLISH_TOKEN')
  if (!(await isBearer(request.headers.get('authorization'), token))) return refusal(401, 'another token is needed')
  if (request.method !== 'POST') return refusal(405, 'only POST is allowed')
  const query = new URL(request.url).searchParams
  const name = query.get('do') ?? ''
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined
  if (operation === undefined) return refusal(400, 'there is no such operation')
  try {
    return await operation(access, query, request)
  } catch (error) {
    if (error instanceof RangeError) return refusal(400, error.message)
    return refusal(503, isNodeError(error) ? error.message : 'the store failed')
  }
}

function refusal(status: number, message: string): Response {
  return Response.json({ message }, { status, headers: { 'cache-control': 'no-store' } })
}

function nameIn(query: URLSearchParams): string {
  return query.get('name') ?? ''
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  return text === null ? undefined : Number(text)
}

async function bodyOf(request: Request): Promise<Uint8Array> {
  const bytes = await boundedBody(request, MAX_OBJECT_BYTES)
  if (bytes === undefined) throw new RangeError(`an object has at most ${MAX_OBJECT_BYTES} bytes`)
  return bytes
}

/** Compares hashes, so that the time says nothing about the token. */
async function isBearer(authorization: string | null, token: string): Promise<boolean> {
  const [given, expected] = await Promise.all([digest(authorization ?? ''), digest(`Bearer ${token}`)])
  let difference = 0
  for (const [i, byte] of expected.entries()) difference |= byte ^ (given[i] ?? 0)
  return difference === 0
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

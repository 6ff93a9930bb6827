/**
 * One request to a service of objects: limited in time and bytes, without redirections.
 * @module
 */
import { MAX_OBJECT_LIST_BYTES } from '../../../src/base/limits/limits.ts'
import { isUnavailable, reasonOf, unavailable } from './errors.ts'

export interface ObjectRequest {
  /** Name of the object, for messages. */
  readonly object: string
  readonly url: string
  readonly method?: 'GET' | 'HEAD' | 'PUT' | 'DELETE' | 'POST'
  readonly headers?: HeadersInit
  readonly body?: Uint8Array<ArrayBuffer>
  readonly timeoutMs: number
  /** Bytes of an answer with status 200 or 206. */
  readonly maxBytes: number
  readonly cache?: RequestCache
}

export interface ObjectAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

/** The statuses of a service that is overloaded or restarts. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504])

/**
 * @param label of the store
 * @throws {NodeError} MIRROR_UNAVAILABLE when there is no complete answer, or one that asks to try again
 */
export async function exchange(label: string, request: ObjectRequest): Promise<ObjectAnswer> {
  const { object, url, method = 'GET', headers = {}, body, timeoutMs, maxBytes, cache } = request
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(cache === undefined ? {} : { cache }),
      // A redirection would send credentials to an address that nobody named.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { status } = response
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      await response.body?.cancel()
      throw unavailable(label, object, 'the service redirects, which is refused: give its final address')
    }
    const content = await boundedBody(response, status < 300 ? maxBytes : MAX_OBJECT_LIST_BYTES)
    if (content === undefined) throw unavailable(label, object, `the answer has more than ${maxBytes} bytes`)
    if (TRANSIENT.has(status)) throw refusal(label, object, { status, headers: response.headers, body: content })
    return { status, headers: response.headers, body: content }
  } catch (error) {
    if (isUnavailable(error)) throw error
    throw unavailable(label, object, reasonOf(error), { isTransient: true })
  }
}

/** An answer that is neither the object nor its absence. */
export function refusal(label: string, object: string, { status, headers, body }: ObjectAnswer): Error {
  const code = /<Code>([\w.]{1,64})<\/Code>/.exec(new TextDecoder().decode(body))?.[1]
  const reason = `the service answers ${status}${code === undefined ? '' : ` ${code}`}`
  return unavailable(label, object, reason, {
    isTransient: TRANSIENT.has(status),
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
  })
}

/** @returns undefined when it is longer */
export async function boundedBody(message: Pick<Response, 'body'>, maxBytes: number): Promise<Uint8Array | undefined> {
  const reader = message.body?.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done || value === undefined) return joined(chunks, length)
    length += value.length
    if (length > maxBytes) {
      await reader?.cancel()
      return undefined
    }
    chunks.push(value)
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks
  if (chunks.length === 1 && first !== undefined) return first
  const all = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

/** @param header seconds, or a date */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+(?:\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

/**
 * The store of a Worker, by its publish address.
 * @module
 */
import { MAX_OBJECT_LIST_BYTES, OBJECT_READ_MS, OBJECT_WRITE_MS } from '../../../src/base/limits/limits.ts'
import type { Creation, ObjectStore } from '../../../src/base/ports/objectStore.ts'
import { EMPTY_BYTES } from '../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { unavailable } from './errors.ts'
import { exchange, type ObjectAnswer, refusal } from './http.ts'
import { isObjectName, requireObjectName, requireRange } from './names.ts'
import { maxAnswerBytes } from './ranges.ts'
import { retried } from './retrying.ts'

interface Operation {
  readonly query: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Default: that of a short answer. */
  readonly maxBytes?: number
}

const MAX_STATUS_BYTES = 64 * 1024
/** Stands for the store itself in messages. */
const STORE = 'the store'

export class WorkerObjects implements ObjectStore {
  readonly label: string
  readonly createsOnce: boolean
  readonly #url: string
  readonly #token: string

  private constructor(url: URL, token: string, createsOnce: boolean) {
    this.label = url.origin
    this.createsOnce = createsOnce
    this.#url = url.href
    this.#token = token
  }

  /**
   * @param url of `/publish`
   * @throws {NodeError} INVALID_OPTION without a token; MIRROR_UNAVAILABLE
   */
  static async open(url: URL, token: string | undefined): Promise<WorkerObjects> {
    if (!token) throw invalid('the publish address of a Worker needs a token in ISONODE_MIRROR_TOKEN')
    if (url.username !== '' || url.password !== '' || url.search !== '') {
      throw invalid(`${url.origin}: the publish address of a Worker has neither credentials nor a query`)
    }
    const stranger = new WorkerObjects(url, token, false)
    const description = await retried(() => stranger.#json(STORE, { query: { do: 'describe' } }))
    return new WorkerObjects(url, token, description['createsOnce'] === true)
  }

  async get(name: string, offset = 0, length?: number): Promise<Uint8Array | undefined> {
    requireObjectName(name)
    requireRange(offset, length)
    const range: Readonly<Record<string, string>> = length === undefined ? {} : { length: String(length) }
    const answer = await this.#send(name, {
      query: { do: 'get', name, offset: String(offset), ...range },
      maxBytes: maxAnswerBytes({ offset, length }),
    })
    if (answer.status === 404) return undefined
    if (answer.status !== 200) throw refusal(this.label, name, answer)
    return answer.body
  }

  async create(name: string, bytes: Uint8Array): Promise<Creation> {
    requireObjectName(name)
    const { creation } = await this.#json(name, { query: { do: 'create', name }, body: bytes })
    if (creation === 'created' || creation === 'exists') return creation
    throw unavailable(this.label, name, 'the service does not say whether it created the object')
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    requireObjectName(name)
    await this.#json(name, { query: { do: 'put', name }, body: bytes })
  }

  async delete(name: string): Promise<void> {
    requireObjectName(name)
    await this.#json(name, { query: { do: 'delete', name } })
  }

  async *list(prefix: string, after = ''): AsyncIterable<string> {
    let last = after
    for (;;) {
      const query = { do: 'list', prefix, after: last }
      const page = await retried(() => this.#json(prefix, { query, maxBytes: MAX_OBJECT_LIST_BYTES }))
      const names: readonly unknown[] = Array.isArray(page['names']) ? page['names'] : []
      for (const name of names) {
        if (typeof name !== 'string' || !isObjectName(name) || name <= last) {
          throw unavailable(this.label, prefix, 'the service sends a list that is none')
        }
        yield name
        last = name
      }
      if (page['isWhole'] === true) return
      if (names.length === 0) throw unavailable(this.label, prefix, 'the service ends a list without its end')
    }
  }

  async close(): Promise<void> {}

  async #json(object: string, operation: Operation): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.#send(object, operation)
    if (answer.status !== 200) throw refusal(this.label, object, answer)
    const value = parsed(new TextDecoder().decode(answer.body))
    if (value === undefined) throw unavailable(this.label, object, 'the service does not answer with JSON')
    return value
  }

  #send(object: string, { query, body, maxBytes = MAX_STATUS_BYTES }: Operation): Promise<ObjectAnswer> {
    return exchange(this.label, {
      object,
      url: `${this.#url}?${new URLSearchParams(query)}`,
      method: 'POST',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/octet-stream' },
      body: (body ?? EMPTY_BYTES).slice(),
      timeoutMs: body === undefined ? OBJECT_READ_MS : OBJECT_WRITE_MS,
      maxBytes,
    })
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function invalid(message: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message)
}

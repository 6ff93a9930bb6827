/**
 * Objects that a web server serves as files.
 * @module
 */
import { OBJECT_READ_MS } from '../../../src/base/limits/limits.ts'
import type { ObjectReader } from '../../../src/base/ports/objectStore.ts'
import { EMPTY_BYTES } from '../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { exchange } from './http.ts'
import { requireObjectName, requireRange } from './names.ts'
import { maxAnswerBytes, objectOf, rangeHeader } from './ranges.ts'

export interface HttpObjectsOptions {
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string | undefined
}

/** Objects that are named by their hash never change, so caches may keep them. */
const NAMED_BY_HASH = /[0-9a-f]{64}$/

export class HttpObjects implements ObjectReader {
  /** Scheme, host and port; the path may be a secret. */
  readonly label: string
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>

  /**
   * @param url of the folder of the objects
   * @throws {NodeError} INVALID_OPTION, without the URL
   */
  constructor(url: string, { token }: HttpObjectsOptions = {}) {
    const address = URL.canParse(url) ? new URL(url) : undefined
    if (address === undefined || !/^https?:$/.test(address.protocol)) {
      throw new NodeError({ code: 'INVALID_OPTION' }, 'the address of a mirror is not a URL of http: or https:')
    }
    if (address.username !== '' || address.password !== '' || address.search !== '' || address.hash !== '') {
      const message = `${address.origin}: the address of a mirror has neither credentials nor a query`
      throw new NodeError({ code: 'INVALID_OPTION' }, message)
    }
    this.label = address.origin
    this.#base = address.href.endsWith('/') ? address.href : `${address.href}/`
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  async get(name: string, offset = 0, length?: number): Promise<Uint8Array | undefined> {
    requireObjectName(name)
    requireRange(offset, length)
    if (length === 0) return (await this.get(name, 0, 1)) && EMPTY_BYTES
    const range = { offset, length }
    const header = rangeHeader(range)
    const answer = await exchange(this.label, {
      object: name,
      url: `${this.#base}${name}`,
      headers: header === undefined ? this.#headers : { ...this.#headers, range: header },
      timeoutMs: OBJECT_READ_MS,
      maxBytes: maxAnswerBytes(range),
      cache: NAMED_BY_HASH.test(name) ? 'default' : 'no-store',
    })
    return objectOf(this.label, name, range, answer)
  }

  /** The runtime keeps connections; what is in flight ends at its deadline. */
  async close(): Promise<void> {}
}

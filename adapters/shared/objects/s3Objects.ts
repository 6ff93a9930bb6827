/**
 * Objects of a bucket of S3, R2 or any service with the same interface.
 * @module
 */
import { AwsV4Signer } from 'aws4fetch'
import {
  MAX_OBJECT_LIST_BYTES,
  OBJECT_LIST_NAMES,
  OBJECT_READ_MS,
  OBJECT_WRITE_MS,
} from '../../../src/base/limits/limits.ts'
import type { Creation, ObjectStore } from '../../../src/base/ports/objectStore.ts'
import { EMPTY_BYTES } from '../../../src/base/primitives/bytes.ts'
import { reasonOf, unavailable } from './errors.ts'
import { exchange, type ObjectAnswer, type ObjectRequest, refusal } from './http.ts'
import { isObjectName, requireObjectName, requireRange } from './names.ts'
import { maxAnswerBytes, objectOf, rangeHeader } from './ranges.ts'
import { retried } from './retrying.ts'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface S3Bucket {
  /** `https://` host and port, without a path. */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /** Beginning of all keys; empty, or with a slash at its end. */
  readonly prefix: string
}

interface S3Request extends Omit<ObjectRequest, 'url' | 'headers'> {
  /** Key in the bucket; the bucket itself without one. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers to a request that writes are short. */
const MAX_STATUS_BYTES = 64 * 1024

export class S3Objects implements ObjectStore {
  readonly label: string
  readonly createsOnce = true
  readonly #bucket: S3Bucket
  readonly #credentials: () => Promise<S3Credentials>
  #conditions: Promise<void> | undefined

  /** @param credentials asked for each request, since they expire; rejects with the reason if there are none */
  constructor(bucket: S3Bucket, credentials: () => Promise<S3Credentials>) {
    this.label = `s3://${bucket.bucket}/${bucket.prefix}`
    this.#bucket = bucket
    this.#credentials = credentials
  }

  async get(name: string, offset = 0, length?: number): Promise<Uint8Array | undefined> {
    requireRange(offset, length)
    if (length === 0) return (await this.get(name, 0, 1)) && EMPTY_BYTES
    const range = { offset, length }
    const header = rangeHeader(range)
    const answer = await this.#send({
      ...this.#about(name),
      ...(header === undefined ? {} : { headers: { range: header } }),
      timeoutMs: OBJECT_READ_MS,
      maxBytes: maxAnswerBytes(range),
    })
    // Also a bucket that does not exist is answered with 404.
    if (answer.status === 404 && !/<Code>NoSuchKey</.test(textOf(answer))) throw refusal(this.label, name, answer)
    // Few services say with the refusal how long the object is.
    if (answer.status === 416 && (await this.#sizeOf(name)) <= offset) return EMPTY_BYTES
    return objectOf(this.label, name, range, answer)
  }

  async create(name: string, bytes: Uint8Array): Promise<Creation> {
    this.#conditions ??= this.#requireConditions()
    try {
      await this.#conditions
    } catch (error) {
      this.#conditions = undefined
      throw error
    }
    return this.#create(name, bytes)
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const answer = await this.#write(name, bytes)
    if (answer.status !== 200) throw refusal(this.label, name, answer)
  }

  async delete(name: string): Promise<void> {
    const answer = await this.#send({
      ...this.#about(name),
      method: 'DELETE',
      timeoutMs: OBJECT_READ_MS,
      maxBytes: MAX_STATUS_BYTES,
    })
    const isGone = answer.status === 200 || answer.status === 204 || /<Code>NoSuchKey</.test(textOf(answer))
    if (!isGone) throw refusal(this.label, name, answer)
  }

  async *list(prefix: string, after?: string): AsyncIterable<string> {
    const { prefix: base } = this.#bucket
    const first: Readonly<Record<string, string>> = after === undefined ? {} : { 'start-after': `${base}${after}` }
    let next: Readonly<Record<string, string>> | undefined = first
    let last = after ?? ''
    while (next !== undefined) {
      const page = await this.#page(prefix, next)
      for (const key of page.keys) {
        const name = key.slice(base.length)
        if (!key.startsWith(`${base}${prefix}`) || !isObjectName(name)) continue
        if (name <= last) throw unavailable(this.label, prefix, 'the service lists names out of order')
        yield name
        last = name
      }
      next = page.next === undefined ? undefined : { 'continuation-token': page.next }
    }
  }

  /** The runtime keeps connections; what is in flight ends at its deadline. */
  async close(): Promise<void> {}

  async #page(
    prefix: string,
    position: Readonly<Record<string, string>>,
  ): Promise<{ readonly keys: readonly string[]; readonly next?: string }> {
    const answer = await retried(() =>
      this.#send({
        object: prefix,
        query: {
          'list-type': '2',
          'max-keys': String(OBJECT_LIST_NAMES),
          prefix: `${this.#bucket.prefix}${prefix}`,
          ...position,
        },
        timeoutMs: OBJECT_READ_MS,
        maxBytes: MAX_OBJECT_LIST_BYTES,
      }),
    )
    const text = textOf(answer)
    const isList = answer.status === 200 && text.includes('<ListBucketResult')
    if (!isList) throw refusal(this.label, prefix, answer)
    const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key)
    if (!/<IsTruncated>true</.test(text)) return { keys }
    const next = /<NextContinuationToken>([^<]+)</.exec(text)?.[1]
    if (next === undefined) throw unavailable(this.label, prefix, 'the service ends a list without its end')
    return { keys, next }
  }

  /** Some services overwrite an object although they are told not to, so two publishers would. */
  async #requireConditions(): Promise<void> {
    const name = `probe/${crypto.randomUUID()}`
    await this.#create(name, EMPTY_BYTES)
    const again = await this.#create(name, EMPTY_BYTES)
    await this.delete(name)
    if (again !== 'exists') {
      throw unavailable(this.label, name, 'the service overwrites objects: it does not know If-None-Match')
    }
  }

  async #create(name: string, bytes: Uint8Array): Promise<Creation> {
    const answer = await this.#write(name, bytes, { 'if-none-match': '*' })
    if (answer.status === 412) return 'exists'
    if (answer.status !== 200) throw refusal(this.label, name, answer)
    return 'created'
  }

  #write(name: string, bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<ObjectAnswer> {
    return this.#send({
      ...this.#about(name),
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream', ...headers },
      body: bytes.slice(),
      timeoutMs: OBJECT_WRITE_MS,
      maxBytes: MAX_STATUS_BYTES,
    })
  }

  #about(name: string): { readonly object: string; readonly key: string } {
    requireObjectName(name)
    return { object: name, key: `${this.#bucket.prefix}${name}` }
  }

  async #send({ key, query = {}, headers = {}, ...request }: S3Request): Promise<ObjectAnswer> {
    const { endpoint, bucket, region } = this.#bucket
    const url = new URL(`${endpoint}/${bucket}${key === undefined ? '' : `/${key}`}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const signer = new AwsV4Signer({
      ...(await this.#credentialsFor(request.object)),
      service: 's3',
      region,
      url: url.href,
      method: request.method ?? 'GET',
      headers,
    })
    const signed = await signer.sign()
    return exchange(this.label, { ...request, url: signed.url.href, headers: signed.headers })
  }

  /** Infinity when the service does not say. */
  async #sizeOf(name: string): Promise<number> {
    const request = { ...this.#about(name), method: 'HEAD', timeoutMs: OBJECT_READ_MS, maxBytes: 0 } as const
    const { status, headers } = await this.#send(request)
    const size = headers.get('content-length')
    return status === 200 && size !== null ? Number(size) : Number.POSITIVE_INFINITY
  }

  async #credentialsFor(object: string): Promise<S3Credentials> {
    try {
      return await this.#credentials()
    } catch (error) {
      throw unavailable(this.label, object, reasonOf(error))
    }
  }
}

function textOf({ body }: ObjectAnswer): string {
  return new TextDecoder().decode(body)
}

/**
 * Objects in a bucket of R2 that is bound to a Worker.
 * @module
 */
import { MAX_OBJECT_BYTES, OBJECT_LIST_NAMES } from '../../../src/base/limits/limits.ts'
import type { Creation, ObjectStore } from '../../../src/base/ports/objectStore.ts'
import { EMPTY_BYTES } from '../../../src/base/primitives/bytes.ts'
import { reasonOf, unavailable } from './errors.ts'
import { isObjectName, requireObjectName, requireRange } from './names.ts'

interface ObjectPage {
  readonly objects: readonly { readonly key: string }[]
  readonly truncated: boolean
  readonly cursor?: string
}

interface Body {
  readonly size: number
  arrayBuffer(): Promise<ArrayBuffer>
}

/** The used part of a bucket's binding. */
export interface R2Binding {
  head(key: string): Promise<{ readonly size: number } | null>
  get(
    key: string,
    options?: { readonly range: { readonly offset: number; readonly length?: number } },
  ): Promise<Body | null>
  put(
    key: string,
    value: ArrayBuffer,
    options?: { readonly onlyIf: { readonly etagDoesNotMatch: string } },
  ): Promise<unknown>
  delete(key: string): Promise<void>
  list(options: {
    readonly prefix: string
    readonly limit: number
    readonly startAfter?: string
    readonly cursor?: string
  }): Promise<ObjectPage>
}

export class R2Objects implements ObjectStore {
  readonly label = 'R2'
  readonly createsOnce = true
  readonly #bucket: R2Binding

  constructor(bucket: R2Binding) {
    this.#bucket = bucket
  }

  async get(name: string, offset = 0, length?: number): Promise<Uint8Array | undefined> {
    requireObjectName(name)
    requireRange(offset, length)
    if (length === 0) return (await this.#about(name, () => this.#bucket.head(name))) === null ? undefined : EMPTY_BYTES
    const isWhole = offset === 0 && length === undefined
    const options = isWhole ? undefined : { range: { offset, ...(length === undefined ? {} : { length }) } }
    return this.#about(name, async () => {
      const found = await this.#bucket
        .get(name, options)
        .catch((error: unknown) => this.#beyondEnd(name, offset, error))
      if (found === null) return undefined
      if (found === 'end') return EMPTY_BYTES
      const bytes = Math.min(found.size - offset, length ?? found.size)
      if (bytes > MAX_OBJECT_BYTES) throw new Error(`the object has more than ${MAX_OBJECT_BYTES} bytes`)
      const content = new Uint8Array(await found.arrayBuffer())
      if (content.length !== bytes) throw new Error('the bucket sends another range than the one asked for')
      return content
    })
  }

  async create(name: string, bytes: Uint8Array): Promise<Creation> {
    requireObjectName(name)
    const options = { onlyIf: { etagDoesNotMatch: '*' } }
    const made = await this.#about(name, () => this.#bucket.put(name, new Uint8Array(bytes).buffer, options))
    return made === null ? 'exists' : 'created'
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    requireObjectName(name)
    await this.#about(name, () => this.#bucket.put(name, new Uint8Array(bytes).buffer))
  }

  async delete(name: string): Promise<void> {
    requireObjectName(name)
    await this.#about(name, () => this.#bucket.delete(name))
  }

  async *list(prefix: string, after?: string): AsyncIterable<string> {
    let position: { readonly startAfter?: string; readonly cursor?: string } =
      after === undefined ? {} : { startAfter: after }
    for (;;) {
      const options = { prefix, limit: OBJECT_LIST_NAMES, ...position }
      const page: ObjectPage = await this.#about(prefix, () => this.#bucket.list(options))
      yield* page.objects.map(({ key }) => key).filter(isObjectName)
      if (!page.truncated || page.cursor === undefined) return
      position = { cursor: page.cursor }
    }
  }

  async close(): Promise<void> {}

  /** The bucket refuses a range behind the end. */
  async #beyondEnd(name: string, offset: number, error: unknown): Promise<'end' | null> {
    const found = await this.#bucket.head(name)
    if (found === null) return null
    if (found.size <= offset) return 'end'
    throw error
  }

  async #about<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw unavailable(this.label, name, reasonOf(error), { isTransient: true })
    }
  }
}

/**
 * Objects in a namespace of Workers KV.
 * @module
 */
import { OBJECT_LIST_NAMES, OBJECT_PART_BYTES } from '../../../src/base/limits/limits.ts'
import { reasonOf, unavailable } from './errors.ts'
import { PartedObjects, type PartValues } from './partedObjects.ts'

interface KeyPage {
  readonly keys: readonly { readonly name: string }[]
  readonly list_complete: boolean
  readonly cursor?: string
}

/** The used part of a namespace's binding. */
export interface KvNamespace {
  get(key: string, type: 'arrayBuffer'): Promise<ArrayBuffer | null>
  put(key: string, value: ArrayBuffer): Promise<void>
  delete(key: string): Promise<void>
  list(options: { readonly prefix: string; readonly limit: number; readonly cursor?: string }): Promise<KeyPage>
}

/** An answer of a namespace about an absent key, too, may be a minute old. */
export function openKvObjects(namespace: KvNamespace): PartedObjects {
  return new PartedObjects(new KvValues(namespace), OBJECT_PART_BYTES)
}

class KvValues implements PartValues {
  readonly label = 'Workers KV'
  readonly #namespace: KvNamespace

  constructor(namespace: KvNamespace) {
    this.#namespace = namespace
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const value = await this.#about(key, () => this.#namespace.get(key, 'arrayBuffer'))
    return value === null ? undefined : new Uint8Array(value)
  }

  set(key: string, value: Uint8Array): Promise<void> {
    return this.#about(key, () => this.#namespace.put(key, new Uint8Array(value).buffer))
  }

  delete(key: string): Promise<void> {
    return this.#about(key, () => this.#namespace.delete(key))
  }

  async *keys(prefix: string): AsyncIterable<string> {
    let cursor: string | undefined
    for (;;) {
      const position = cursor === undefined ? {} : { cursor }
      const page: KeyPage = await this.#about(prefix, () =>
        this.#namespace.list({ prefix, limit: OBJECT_LIST_NAMES, ...position }),
      )
      yield* page.keys.map(({ name }) => name)
      if (page.list_complete) return
      cursor = page.cursor
    }
  }

  async close(): Promise<void> {}

  async #about<T>(key: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw unavailable(this.label, key, reasonOf(error), { isTransient: true })
    }
  }
}

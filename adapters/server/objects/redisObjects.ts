/**
 * Objects in Redis or a cluster of it.
 * @module
 */
import type { Cluster, Redis } from 'ioredis'
import { MAX_OBJECT_BYTES, MAX_UNORDERED_NAMES, OBJECT_LIST_NAMES } from '../../../src/base/limits/limits.ts'
import type { Creation, ObjectStore } from '../../../src/base/ports/objectStore.ts'
import { EMPTY_BYTES } from '../../../src/base/primitives/bytes.ts'
import { reasonOf, unavailable } from '../../shared/objects/errors.ts'
import { isObjectName, requireObjectName, requireRange } from '../../shared/objects/names.ts'

/** Answers that a repetition does not change. */
const LASTING = /^(?:NOAUTH|WRONGPASS|NOPERM|OOM|WRONGTYPE|READONLY)\b/

export class RedisObjects implements ObjectStore {
  readonly label: string
  readonly createsOnce = true
  readonly #client: Redis | Cluster
  readonly #prefix: string

  /** @param prefix beginning of all keys, and of the name of the channel */
  constructor(client: Redis | Cluster, label: string, prefix: string) {
    this.label = label
    this.#client = client
    this.#prefix = prefix
  }

  async get(name: string, offset = 0, length?: number): Promise<Uint8Array | undefined> {
    const key = this.#keyOf(name)
    requireRange(offset, length)
    const wanted = Math.min(length ?? MAX_OBJECT_BYTES + 1, MAX_OBJECT_BYTES + 1)
    return this.#about(name, async () => {
      const found = await this.#range(key, offset, wanted)
      if (found.length > 0) return found
      // Redis has an empty range of an absent key. The object may have appeared since.
      return (await this.#client.exists(key)) === 0 ? undefined : this.#range(key, offset, wanted)
    })
  }

  async #range(key: string, offset: number, length: number): Promise<Uint8Array> {
    if (length === 0) return EMPTY_BYTES
    const found = await this.#client.getrangeBuffer(key, offset, offset + length - 1)
    if (found.length > MAX_OBJECT_BYTES) throw new Error(`the object has more than ${MAX_OBJECT_BYTES} bytes`)
    return new Uint8Array(found)
  }

  async create(name: string, bytes: Uint8Array): Promise<Creation> {
    const key = this.#keyOf(name)
    return this.#about(name, async () => {
      const made = await this.#client.set(key, Buffer.from(bytes), 'NX')
      if (made === null) return 'exists'
      this.#client.publish(this.#channel, name).catch(() => {})
      return 'created'
    })
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const key = this.#keyOf(name)
    await this.#about(name, () => this.#client.set(key, Buffer.from(bytes)))
  }

  async delete(name: string): Promise<void> {
    const key = this.#keyOf(name)
    await this.#about(name, () => this.#client.del(key))
  }

  /** Redis lists keys without order, and some of them twice. */
  async *list(prefix: string, after = ''): AsyncIterable<string> {
    const names = new Set<string>()
    await this.#about(prefix, async () => {
      for (const node of await this.#nodes()) {
        for await (const name of this.#namesOf(node, prefix)) {
          if (name > after) names.add(name)
          if (names.size > MAX_UNORDERED_NAMES) throw new Error(`there are more than ${MAX_UNORDERED_NAMES} objects`)
        }
      }
    })
    yield* [...names].sort()
  }

  watch(onChange: () => void): () => void {
    const subscriber = this.#client.duplicate()
    subscriber.on('error', () => {})
    subscriber.on('message', () => onChange())
    // Events before the connection existed went unnoticed.
    subscriber.on('ready', () => onChange())
    subscriber.subscribe(this.#channel).catch(() => {})
    return () => subscriber.disconnect()
  }

  async close(): Promise<void> {
    this.#client.disconnect()
  }

  get #channel(): string {
    return `${this.#prefix}changes`
  }

  #keyOf(name: string): string {
    requireObjectName(name)
    return `${this.#prefix}${name}`
  }

  async #nodes(): Promise<readonly Redis[]> {
    if (!('nodes' in this.#client)) return [this.#client]
    // The nodes of a cluster are known after a first command.
    await this.#client.exists(this.#channel)
    return this.#client.nodes('master')
  }

  async *#namesOf(node: Redis, prefix: string): AsyncIterable<string> {
    let cursor = '0'
    do {
      const [next, keys] = await node.scan(
        cursor,
        'MATCH',
        `${escaped(this.#prefix)}${escaped(prefix)}*`,
        'COUNT',
        OBJECT_LIST_NAMES,
      )
      yield* keys.map((key) => key.slice(this.#prefix.length)).filter(isObjectName)
      cursor = next
    } while (cursor !== '0')
  }

  async #about<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const reason = reasonOf(error)
      throw unavailable(this.label, name, reason, { isTransient: !LASTING.test(reason) })
    }
  }
}

/** Special characters of a pattern of SCAN. */
function escaped(text: string): string {
  return text.replaceAll(/[*?[\]\\]/g, '\\$&')
}

/**
 * A store of objects in memory that counts what is asked of it, and lies or fails as a test demands.
 * @module
 */
import type { Creation, ObjectStore } from '../../../src/base/ports/objectStore.ts'
import { mirrorUnavailable } from '../../../src/mirror/errors.ts'

/** One read, as a fault sees it. */
export interface ObjectRead {
  readonly name: string
  readonly offset: number
  /** Infinity: up to the end */
  readonly length: number
}

/** Changes an answer: returns other bytes, undefined for an absent object, or throws. */
export type ReadFault = (read: ObjectRead, bytes: Uint8Array | undefined) => Uint8Array | undefined

export class MemoryObjects implements ObjectStore {
  readonly label = 'memory'
  readonly createsOnce = true
  readonly objects = new Map<string, Uint8Array>()
  /** All reads so far, oldest first. */
  readonly reads: ObjectRead[] = []
  /** Groups of reads that ran at the same time. */
  waves = 0
  /** Bytes that were read. */
  readBytes = 0
  readFault: ReadFault | undefined
  /** Called before an object is created, put or deleted; may throw. */
  writeFault: ((operation: 'create' | 'put' | 'delete', name: string) => void) | undefined
  /** Turns of the event loop that an answer takes. */
  delay: () => number = () => 1
  #pending = 0
  readonly #watchers = new Set<() => void>()

  async get(name: string, offset = 0, length = Number.POSITIVE_INFINITY): Promise<Uint8Array | undefined> {
    const read = { name, offset, length }
    this.reads.push(read)
    if (this.#pending++ === 0) this.waves++
    try {
      for (let turn = this.delay(); turn > 0; turn--) await new Promise<void>((resolve) => setTimeout(resolve))
      const bytes = this.objects.get(name)?.slice(offset, Math.min(offset + length, Number.MAX_SAFE_INTEGER))
      this.readBytes += bytes?.length ?? 0
      return this.readFault === undefined ? bytes : this.readFault(read, bytes)
    } finally {
      this.#pending--
    }
  }

  async *list(prefix: string, after = ''): AsyncGenerator<string, void, undefined> {
    const names = [...this.objects.keys()].filter((name) => name.startsWith(prefix) && name > after)
    yield* names.sort()
  }

  watch(onChange: () => void): () => void {
    this.#watchers.add(onChange)
    return () => this.#watchers.delete(onChange)
  }

  async create(name: string, bytes: Uint8Array): Promise<Creation> {
    await Promise.resolve()
    this.writeFault?.('create', name)
    if (this.objects.has(name)) return 'exists'
    this.#store(name, bytes)
    return 'created'
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await Promise.resolve()
    this.writeFault?.('put', name)
    this.#store(name, bytes)
  }

  async delete(name: string): Promise<void> {
    await Promise.resolve()
    this.writeFault?.('delete', name)
    this.objects.delete(name)
  }

  async close(): Promise<void> {
    this.#watchers.clear()
  }

  /** Forgets the counts. */
  resetCounts(): void {
    this.reads.length = 0
    this.waves = 0
    this.readBytes = 0
  }

  #store(name: string, bytes: Uint8Array): void {
    this.objects.set(name, bytes.slice())
    for (const watcher of this.#watchers) watcher()
  }
}

/** A fault: the store does not answer. */
export const unavailable: ReadFault = ({ name }) => {
  throw mirrorUnavailable(name, 'the store is down')
}

import type { Creation, ObjectStore } from '../../base/ports/objectStore.ts'

/** A store that counts what is written to it. */
export class CountedObjects implements ObjectStore {
  /** Objects that were created or replaced. */
  writes = 0
  /** Their bytes. */
  writtenBytes = 0
  readonly #objects: ObjectStore

  constructor(objects: ObjectStore) {
    this.#objects = objects
  }

  get label(): string {
    return this.#objects.label
  }

  get createsOnce(): boolean {
    return this.#objects.createsOnce
  }

  get(name: string, offset?: number, length?: number): Promise<Uint8Array | undefined> {
    return this.#objects.get(name, offset, length)
  }

  list(prefix: string, after?: string): AsyncIterable<string> {
    return this.#objects.list(prefix, after)
  }

  async create(name: string, bytes: Uint8Array): Promise<Creation> {
    const creation = await this.#objects.create(name, bytes)
    if (creation === 'created') this.#count(bytes)
    return creation
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.#objects.put(name, bytes)
    this.#count(bytes)
  }

  delete(name: string): Promise<void> {
    return this.#objects.delete(name)
  }

  close(): Promise<void> {
    return this.#objects.close()
  }

  #count({ length }: Uint8Array): void {
    this.writes++
    this.writtenBytes += length
  }
}

/**
 * Objects that the newest manifest no longer names. They stay for a while, for readers of older manifests.
 * @module
 */
import { MAX_RETIRED_OBJECTS } from '../../base/limits/limits.ts'
import type { ObjectStore } from '../../base/ports/objectStore.ts'

export class RetiredObjects {
  readonly #objects: Pick<ObjectStore, 'delete'>
  readonly #graceMs: number
  /** Name → time from which it may be deleted, earliest first. */
  readonly #due = new Map<string, number>()
  #deletion: { readonly name: string; readonly ended: Promise<void> } | undefined

  constructor(objects: Pick<ObjectStore, 'delete'>, graceMs: number) {
    this.#objects = objects
    this.#graceMs = graceMs
  }

  /** A name that waits already waits from the beginning. @param nowMs never less than before */
  retire(names: Iterable<string>, nowMs: number): void {
    for (const name of names) {
      this.#due.delete(name)
      this.#due.set(name, nowMs + this.#graceMs)
    }
    for (const name of this.#due.keys()) {
      if (this.#due.size <= MAX_RETIRED_OBJECTS) break
      this.#due.delete(name)
    }
  }

  /** The object is needed again. Resolves when a deletion that runs has ended. */
  readonly hold = async (name: string): Promise<void> => {
    this.#due.delete(name)
    if (this.#deletion?.name === name) await this.#deletion.ended
  }

  /** Whether one may be deleted. */
  isDue(nowMs: number): boolean {
    return this.#next(nowMs) !== undefined
  }

  /**
   * Deletes what nobody reads any more.
   * @param isNamed whether the newest manifest names the object
   * @throws {NodeError} MIRROR_UNAVAILABLE; the rest waits for the next call
   */
  async deleteDue(nowMs: number, isNamed: (name: string) => boolean): Promise<void> {
    for (let name = this.#next(nowMs); name !== undefined; name = this.#next(nowMs)) {
      if (!isNamed(name)) await this.#delete(name)
      this.#due.delete(name)
    }
  }

  async #delete(name: string): Promise<void> {
    const deleted = this.#objects.delete(name)
    const ended = deleted.catch(() => {})
    this.#deletion = { name, ended }
    try {
      await deleted
    } finally {
      this.#deletion = undefined
    }
  }

  #next(nowMs: number): string | undefined {
    for (const [name, dueMs] of this.#due) return dueMs <= nowMs ? name : undefined
    return undefined
  }
}

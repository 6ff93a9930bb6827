import type { MissCause, MissRequest, Residency } from '../base/ports/keyValueStore.ts'

/**
 * Loads the keys that the fields of one request miss at the same time together. The executor resolves sibling fields
 * one after the other before anything is loaded, so their misses form one batch.
 */
export class BatchedResidency implements Residency {
  readonly #residency: Residency
  #keys: Uint8Array[] = []
  #loading: Promise<void> | undefined

  constructor(residency: Residency) {
    this.#residency = residency
  }

  load(request: MissRequest, cause?: MissCause): Promise<void> {
    // A request without keys asks for data that the residency computes.
    if (request.kind !== 'keys' || request.keys.length === 0) return this.#residency.load(request, cause)
    for (const key of request.keys) this.#keys.push(key)
    this.#loading ??= this.#loadTogether()
    return this.#loading
  }

  async #loadTogether(): Promise<void> {
    await undefined
    const keys = this.#keys
    this.#keys = []
    this.#loading = undefined
    await this.#residency.load({ kind: 'keys', keys })
  }
}

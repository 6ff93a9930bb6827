/**
 * Pieces of segments, decoded and kept in memory.
 * @module
 */
import { LruCache } from '../../base/primitives/lruCache.ts'
import type { ReadBudget } from './readBudget.ts'

export interface PieceKind<Ref, Value> {
  /** Name among the pieces of this kind. */
  nameOf(ref: Ref): string
  /** The bytes of pieces, in their order. */
  read(refs: readonly Ref[], budget: ReadBudget | undefined): Promise<Uint8Array[]>
  /** Checks and decodes. @throws {NodeError} MIRROR_DAMAGED */
  decode(ref: Ref, bytes: Uint8Array): Value | Promise<Value>
  /** Memory of a decoded piece (estimate). */
  sizeOf(value: Value): number
}

export class Pieces<Ref, Value> {
  readonly #kind: PieceKind<Ref, Value>
  readonly #kept: LruCache<string, Value>
  /** So that the same piece is read once. */
  readonly #loading = new Map<string, Promise<Value>>()
  /** Pieces that were in memory when they were wanted. */
  hits = 0
  misses = 0

  constructor(kind: PieceKind<Ref, Value>, cacheBytes: number) {
    this.#kind = kind
    this.#kept = new LruCache(cacheBytes)
  }

  /**
   * @returns the pieces in the order of `refs`
   * @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_DAMAGED, READS_EXCEEDED
   */
  async loadAll(refs: readonly Ref[], budget?: ReadBudget): Promise<Value[]> {
    const names = refs.map((ref) => this.#kind.nameOf(ref))
    const found = new Map<string, Value | Promise<Value>>()
    const missing = new Map<string, Ref>()
    refs.forEach((ref, i) => {
      const name = names[i] as string
      if (found.has(name) || missing.has(name)) return
      const present = this.#kept.get(name) ?? this.#loading.get(name)
      if (present === undefined) missing.set(name, ref)
      else found.set(name, present)
    })
    this.hits += found.size
    this.misses += missing.size
    for (const [name, value] of this.#load(missing, budget)) found.set(name, value)
    return Promise.all(names.map((name) => found.get(name) as Value | Promise<Value>))
  }

  #load(missing: ReadonlyMap<string, Ref>, budget: ReadBudget | undefined): [string, Promise<Value>][] {
    if (missing.size === 0) return []
    const reading = this.#kind.read([...missing.values()], budget)
    return [...missing].map(([name, ref], i) => {
      const value = reading
        .then((all) => this.#kind.decode(ref, all[i] as Uint8Array))
        .then((decoded) => {
          this.#kept.set(name, decoded, this.#kind.sizeOf(decoded))
          return decoded
        })
        .finally(() => this.#loading.delete(name))
      this.#loading.set(name, value)
      return [name, value]
    })
  }
}

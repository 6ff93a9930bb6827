/**
 * Several sources of one fork, the fastest or most trusted first.
 * @module
 */
import type { ForkSource } from './contract.ts'

/** A source with its name in isonode_forkStatus. */
export interface NamedSource {
  readonly name: string
  readonly source: ForkSource
}

/** Answers of a source so far. */
export interface SourceUse {
  readonly name: string
  /** Values, and their bytes. */
  readonly hits: number
  readonly bytes: number
}

export interface LayeredSource extends ForkSource {
  readonly uses: readonly SourceUse[]
  /** Values that no source had. */
  readonly misses: number
}

/**
 * One source made of several: the first that has a key answers, and the sources before it receive the value. Entries that are
 * put go to all of them.
 */
export function layered(sources: readonly NamedSource[]): LayeredSource {
  return new Layers(sources)
}

class Layers implements LayeredSource {
  readonly #sources: readonly ForkSource[]
  readonly #uses: { readonly name: string; hits: number; bytes: number }[]
  #misses = 0

  constructor(sources: readonly NamedSource[]) {
    this.#sources = sources.map(({ source }) => source)
    this.#uses = sources.map(({ name }) => ({ name, hits: 0, bytes: 0 }))
  }

  get uses(): readonly SourceUse[] {
    return this.#uses.map((use) => ({ ...use }))
  }

  get misses(): number {
    return this.#misses
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    const values = new Array<Uint8Array | undefined>(keys.length).fill(undefined)
    let missing = [...keys.keys()]
    for (let level = 0; level < this.#sources.length && missing.length > 0; level++) {
      const answers = await (this.#sources[level] as ForkSource).getMany(missing.map((at) => keys[at] as Uint8Array))
      const found: [Uint8Array, Uint8Array][] = []
      const left: number[] = []
      for (const [i, at] of missing.entries()) {
        const value = answers[i]
        values[at] = value
        if (value === undefined) left.push(at)
        else found.push([keys[at] as Uint8Array, value])
      }
      this.#count(level, found)
      missing = left
    }
    this.#misses += missing.length
    return values
  }

  #count(level: number, found: readonly (readonly [Uint8Array, Uint8Array])[]): void {
    if (found.length === 0) return
    const use = this.#uses[level] as { hits: number; bytes: number }
    use.hits += found.length
    for (const [, value] of found) use.bytes += value.length
    for (const earlier of this.#sources.slice(0, level)) earlier.put(found)
  }

  put(entries: readonly (readonly [key: Uint8Array, value: Uint8Array])[]): void {
    for (const source of this.#sources) source.put(entries)
  }

  /** Closes all of them, also when one fails. */
  async close(): Promise<void> {
    const ends = await Promise.allSettled(this.#sources.map((source) => source.close()))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}

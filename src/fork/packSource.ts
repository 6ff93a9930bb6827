/**
 * A pack as a source: it answers from the entries of its file, and records what other sources had to supply.
 * @module
 */
import { MAX_FORK_PACK_BYTES } from '../base/limits/limits.ts'
import type { Logger } from '../base/ports/host.ts'
import { keyToText } from '../storage/keyText.ts'
import { packKey } from './cacheKeys.ts'
import type { ForkSource } from './contract.ts'
import {
  encodeForkPack,
  type ForkPack,
  type ForkPackHeader,
  type PackEntry,
  packSize,
  requireSameFork,
} from './forkPack.ts'

export interface PackSourceOptions {
  /** undefined: there is none yet */
  readonly pack: ForkPack | undefined
  /** Writes the pack at the end of a run that has added to it. undefined: nothing is recorded */
  readonly save: ((source: PackSource) => Promise<void>) | undefined
  readonly logger: Logger
}

export class PackSource implements ForkSource {
  readonly #entries = new Map<string, PackEntry>()
  readonly #options: PackSourceOptions
  #header: ForkPackHeader | undefined
  #entryBytes = 0
  #hasGrown = false
  #isFull = false

  constructor(options: PackSourceOptions) {
    this.#options = options
    if (options.pack !== undefined) this.#take(options.pack)
  }

  /** Chain and block of the pack, which a fork without a named block continues; undefined for a new pack. */
  get header(): ForkPackHeader | undefined {
    return this.#header
  }

  /**
   * Says which chain and block are forked.
   * @throws {NodeError} FORK_PACK_INVALID when the pack is of others
   */
  begin(header: ForkPackHeader): void {
    if (this.#header !== undefined) requireSameFork(this.#header, header)
    this.#header = header
  }

  /**
   * Adds the entries of another pack of the same fork: of a process that has written the file meanwhile.
   * @throws {NodeError} FORK_PACK_INVALID
   */
  merge(pack: ForkPack): void {
    if (this.#header !== undefined) requireSameFork(pack.header, this.#header)
    this.#take(pack)
  }

  /** The file; undefined before {@link begin}. */
  encode(): Uint8Array | undefined {
    return this.#header && encodeForkPack(this.#header, [...this.#entries.values()])
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return keys.map((key) => {
      const packed = packKey(key)
      return packed && this.#entries.get(keyToText(packed))?.[1]
    })
  }

  put(entries: readonly PackEntry[]): void {
    if (this.#options.save === undefined) return
    for (const [key, value] of entries) {
      const packed = packKey(key)
      if (packed !== undefined && this.#add(packed, value)) this.#hasGrown = true
    }
  }

  /** @throws {NodeError} FORK_PACK_UNWRITABLE */
  async close(): Promise<void> {
    if (!this.#hasGrown) return
    this.#hasGrown = false
    await this.#options.save?.(this)
  }

  #take({ header, entries }: ForkPack): void {
    this.#header = header
    for (const [key, value] of entries) this.#add(key, value)
  }

  /** @returns whether the entry is new */
  #add(key: Uint8Array, value: Uint8Array): boolean {
    const text = keyToText(key)
    if (this.#isFull || this.#entries.has(text)) return false
    const entryBytes = this.#entryBytes + key.length + value.length
    if (packSize(this.#entries.size + 1, entryBytes) > MAX_FORK_PACK_BYTES) {
      this.#isFull = true
      this.#options.logger.warn('the pack of the fork is full: further entries are not added', {
        bytes: MAX_FORK_PACK_BYTES,
      })
      return false
    }
    this.#entries.set(text, [key, value])
    this.#entryBytes = entryBytes
    return true
  }
}

/**
 * Texts of logs that were asked for more than once.
 * @module
 */
import { LOG_TEXT_CACHE_BYTES, MAX_CACHED_LOG_TEXT_BYTES } from '../../base/limits/limits.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import type { StoredLogs } from '../../chain/contract.ts'

/** Memory of a text in addition to its bytes. */
const TEXT_OVERHEAD_BYTES = 200

/** By the object of the block, which is in a cache while the block is searched often. */
const texts = new LruCache<StoredLogs, LogTexts>(LOG_TEXT_CACHE_BYTES)
const asked = new WeakSet<StoredLogs>()

/** @returns undefined when the block is asked for the first time: it may never be asked for again */
export function textsOf(block: StoredLogs): LogTexts | undefined {
  if (asked.has(block)) return texts.get(block) ?? new LogTexts(block)
  asked.add(block)
  return undefined
}

/** The logs of one block as JSON objects, which the hash of the block determines. */
export class LogTexts {
  readonly #block: StoredLogs
  /** By the index of the log within the block. */
  readonly #texts: (Uint8Array | undefined)[] = []
  #bytes: number

  constructor(block: StoredLogs) {
    this.#block = block
    this.#bytes = block.receipts.length + block.transactionKeys.length
  }

  get(logIndex: number): Uint8Array | undefined {
    return this.#texts[logIndex]
  }

  /** @param text is copied */
  keep(logIndex: number, text: Uint8Array): void {
    if (text.length > MAX_CACHED_LOG_TEXT_BYTES) return
    this.#texts[logIndex] = text.slice()
    this.#bytes += text.length + TEXT_OVERHEAD_BYTES
    texts.set(this.#block, this, this.#bytes)
  }
}

import { MAX_LOG_ENTRIES, MAX_LOG_ENTRY_BYTES } from '../base/limits/limits.ts'
import type { ChainHeader } from '../chain/contract.ts'
import type { SealedBlock } from '../chain/writeTask.ts'
import type { Entry } from './entries.ts'

/** Numbers of entries that were not printed, because too many came at once. */
export interface Dropped {
  calls: number
  transactions: number
}

/** Entries that wait to be printed, oldest first, bounded in number and bytes. */
export class EntryQueue {
  #entries: Entry[] = []
  #first = 0
  #bytes = 0
  #dropped: Dropped = { calls: 0, transactions: 0 }

  get size(): number {
    return this.#entries.length - this.#first
  }

  get first(): Entry | undefined {
    return this.#entries[this.#first]
  }

  add(entry: Exclude<Entry, { readonly kind: 'block' | 'empty' }>): boolean {
    if (this.size >= MAX_LOG_ENTRIES) {
      if (entry.kind === 'call') this.#dropped.calls++
      return false
    }
    this.#entries.push(entry)
    return true
  }

  /** Consecutive empty blocks share an entry. */
  addBlock(sealed: SealedBlock, timeMs: number): void {
    if (sealed.included.length === 0) {
      this.addEmpty(sealed.block, sealed.block, timeMs)
      return
    }
    const bytes = bytesOf(sealed)
    if (this.size >= MAX_LOG_ENTRIES || this.#bytes + bytes > MAX_LOG_ENTRY_BYTES) {
      this.#dropped.transactions += sealed.included.length
      return
    }
    this.#bytes += bytes
    this.#entries.push({ kind: 'block', sealed, timeMs, bytes, next: 0 })
  }

  shift(): void {
    const entries = this.#entries
    const next = this.#first + 1
    const entry = entries[next - 1]
    if (entry?.kind === 'block') this.#bytes -= entry.bytes
    const isRebuilt = next === entries.length || next >= MAX_LOG_ENTRIES
    if (isRebuilt) this.#entries = entries.slice(next)
    this.#first = isRebuilt ? 0 : next
  }

  /** @returns undefined when nothing was dropped since the last call */
  takeDropped(): Dropped | undefined {
    const dropped = this.#dropped
    if (dropped.calls === 0 && dropped.transactions === 0) return undefined
    this.#dropped = { calls: 0, transactions: 0 }
    return dropped
  }

  /** Consecutive empty blocks share an entry. */
  addEmpty(first: ChainHeader, last: ChainHeader, timeMs: number): void {
    const entry = this.#entries.at(-1)
    if (entry?.kind === 'empty' && this.size > 0) {
      entry.last = last
      entry.timeMs = timeMs
    } else if (this.size < MAX_LOG_ENTRIES) this.#entries.push({ kind: 'empty', timeMs, first, last })
  }
}

function bytesOf({ included, results }: SealedBlock): number {
  let bytes = 0
  for (let i = 0; i < included.length; i++) {
    bytes += (included[i]?.transaction.data.length ?? 0) + (results[i]?.output.length ?? 0)
  }
  return bytes
}

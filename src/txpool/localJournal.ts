/**
 * Local transactions, kept over restarts of the node.
 * @module
 */
import type { Logger } from '../ports/host.ts'
import type { KeyValueStore, Mutation } from '../ports/keyValueStore.ts'
import { concatBytes, readUint, writeUint } from '../primitives/bytes.ts'
import { isNodeError } from '../primitives/errors.ts'
import { keyToText } from '../storage/keyText.ts'
import { Column, keys } from '../storage/schema.ts'
import { decodePooledTransaction, encodePooledTransaction } from '../types/blobSidecar.ts'
import type { Candidate, PooledTransaction } from './contract.ts'

/** What was kept of an earlier run. */
export interface KeptTransaction {
  /** 32 bytes */
  readonly hash: Uint8Array
  /** Its sidecar was verified when it first came. */
  readonly candidate: Candidate
  /** Wall clock, milliseconds. */
  readonly addedAtMs: number
}

const TIME_BYTES = 6
const ADDRESS_BYTES = 20
const IS_IMPERSONATED = 1

/**
 * One commit is under way at a time; what comes meanwhile goes together with the next. A transaction that is forgotten
 * while the store fails comes back at the next start and is found to be used up then.
 */
export class LocalJournal {
  readonly #kv: KeyValueStore
  readonly #logger: Logger
  /** For the next commit, the newest of each key. */
  #pending = new Map<string, Mutation>()
  /** What the store has, or is about to have. */
  readonly #kept = new Set<string>()
  /** Commits all that was pending when it began; undefined while none is to be made. */
  #next: Promise<void> | undefined
  #current: Promise<void> = Promise.resolve()

  constructor({ kv, logger }: { readonly kv: KeyValueStore; readonly logger: Logger }) {
    this.#kv = kv
    this.#logger = logger
  }

  /** Resolves when the transaction is committed; rejects with what the store throws. */
  record(pooled: PooledTransaction): Promise<void> {
    this.#kept.add(keyToText(pooled.hash))
    return this.#write(keys.localTransaction(pooled.hash), encodeEntry(pooled))
  }

  /** The transaction need not come back: it was mined or dropped. Does nothing when it is not kept. */
  forget(hash: Uint8Array): void {
    if (!this.#kept.delete(keyToText(hash))) return
    this.#write(keys.localTransaction(hash), undefined).catch((error) => {
      this.#logger.warn('a local transaction could not be taken out of the store', { error })
    })
  }

  /** All that is kept, oldest first. May throw `StoreMiss`; what cannot be read is forgotten. */
  load(): KeptTransaction[] {
    const kept: KeptTransaction[] = []
    const unreadable: Uint8Array[] = []
    for (const [key, value] of this.#kv.range({ prefix: Uint8Array.of(Column.localTransaction) })) {
      const hash = key.slice(1)
      this.#kept.add(keyToText(hash))
      const entry = decodeEntry(hash, value)
      if (entry === undefined) unreadable.push(hash)
      else kept.push(entry)
    }
    for (const hash of unreadable) this.forget(hash)
    return kept.sort((a, b) => a.addedAtMs - b.addedAtMs || compareNonces(a, b))
  }

  /** Resolves when all that was recorded and forgotten so far is committed or has failed. */
  async settled(): Promise<void> {
    await (this.#next ?? this.#current).catch(() => {})
  }

  #write(key: Uint8Array, value: Uint8Array | undefined): Promise<void> {
    this.#pending.set(keyToText(key), { key, value })
    if (this.#next === undefined) {
      const commit = this.#current.catch(() => {}).then(() => this.#commit())
      this.#next = commit
    }
    return this.#next
  }

  async #commit(): Promise<void> {
    const batch = [...this.#pending.values()]
    this.#pending = new Map()
    this.#current = this.#next as Promise<void>
    this.#next = undefined
    await this.#kv.commit(batch)
  }
}

function encodeEntry(pooled: PooledTransaction): Uint8Array {
  const head = new Uint8Array(TIME_BYTES + 1)
  writeUint(head, 0, pooled.addedAtMs, TIME_BYTES)
  head[TIME_BYTES] = pooled.isImpersonated ? IS_IMPERSONATED : 0
  const encoding = pooled.sidecar === undefined ? pooled.encoding : encodePooledTransaction(pooled)
  return pooled.isImpersonated ? concatBytes(head, pooled.sender, encoding) : concatBytes(head, encoding)
}

function decodeEntry(hash: Uint8Array, value: Uint8Array): KeptTransaction | undefined {
  const isImpersonated = value[TIME_BYTES] === IS_IMPERSONATED
  const start = TIME_BYTES + 1 + (isImpersonated ? ADDRESS_BYTES : 0)
  try {
    const decoded = decodePooledTransaction(value.slice(start))
    const impersonatedSender = value.slice(TIME_BYTES + 1, start)
    const candidate = { ...decoded, isLocal: true, ...(isImpersonated ? { impersonatedSender } : {}) }
    return { hash, candidate, addedAtMs: readUint(value, 0, TIME_BYTES) }
  } catch (error) {
    if (!isNodeError(error)) throw error
    return undefined
  }
}

/** Those of one sender that came in the same millisecond. */
function compareNonces(a: KeptTransaction, b: KeptTransaction): number {
  const [first, second] = [a.candidate.transaction.nonce, b.candidate.transaction.nonce]
  return first < second ? -1 : first > second ? 1 : 0
}

/**
 * Stores local transactions across restarts of the node.
 * @module
 */
import type { Logger } from '../base/ports/host.ts'
import type { KeyValueStore, Mutation } from '../base/ports/keyValueStore.ts'
import { concatBytes, readUint, writeUint } from '../base/primitives/bytes.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import { keyToText } from '../storage/keyText.ts'
import { Column, keys } from '../storage/schema.ts'
import { decodePooledTransaction, encodePooledTransaction } from '../types/blobSidecar.ts'
import type { IncomingTransaction, PooledTransaction } from './contract.ts'

/** A stored transaction of an earlier run. */
export interface KeptTransaction {
  /** 32 bytes */
  readonly hash: Uint8Array
  /** Its sidecar was verified at the first admission. */
  readonly incoming: IncomingTransaction
  /** Wall clock, milliseconds. */
  readonly addedAtMs: number
}

const TIME_BYTES = 6
const ADDRESS_BYTES = 20
const IS_IMPERSONATED = 1

/**
 * Commits run one at a time; changes made meanwhile are combined in the next one. A transaction whose deletion fails is
 * loaded at the next start and then recognized as used.
 */
export class LocalJournal {
  readonly #kv: KeyValueStore
  readonly #logger: Logger
  /** Mutations of the next commit, the latest per key. */
  #pending = new Map<string, Mutation>()
  /** Keys in the store, including those of the commit in progress. */
  readonly #kept = new Set<string>()
  /** The next commit, which includes everything pending when it begins; undefined while none is scheduled. */
  #next: Promise<void> | undefined
  #current: Promise<void> = Promise.resolve()

  constructor({ kv, logger }: { readonly kv: KeyValueStore; readonly logger: Logger }) {
    this.#kv = kv
    this.#logger = logger
  }

  /** Resolves when the transaction is committed; rejects with the error of the store. */
  record(pooled: PooledTransaction): Promise<void> {
    this.#kept.add(keyToText(pooled.hash))
    return this.#write(keys.localTransaction(pooled.hash), encodeEntry(pooled))
  }

  /** Deletes a transaction that was mined or dropped. No effect if it is not stored. */
  forget(hash: Uint8Array): void {
    if (!this.#kept.delete(keyToText(hash))) return
    this.#write(keys.localTransaction(hash), undefined).catch((error) => {
      this.#logger.warn('failed to delete a local transaction from the store', { error })
    })
  }

  /** All stored transactions, oldest first. May throw `StoreMiss`; unreadable ones are deleted. */
  load(): KeptTransaction[] {
    const keptTransactions: KeptTransaction[] = []
    const unreadable: Uint8Array[] = []
    for (const [key, value] of this.#kv.range({ prefix: Uint8Array.of(Column.localTransaction) })) {
      const hash = key.slice(1)
      this.#kept.add(keyToText(hash))
      const entry = decodeEntry(hash, value)
      if (entry === undefined) unreadable.push(hash)
      else keptTransactions.push(entry)
    }
    for (const hash of unreadable) this.forget(hash)
    return keptTransactions.sort((a, b) => a.addedAtMs - b.addedAtMs || compareNonces(a, b))
  }

  /** Resolves when all changes so far are committed or have failed. */
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
    const incoming = { ...decoded, isLocal: true, ...(isImpersonated ? { impersonatedSender } : {}) }
    return { hash, incoming, addedAtMs: readUint(value, 0, TIME_BYTES) }
  } catch (error) {
    if (!isNodeError(error)) throw error
    return undefined
  }
}

/** Orders transactions of one sender with the same timestamp. */
function compareNonces(a: KeptTransaction, b: KeptTransaction): number {
  const [first, second] = [a.incoming.transaction.nonce, b.incoming.transaction.nonce]
  return first < second ? -1 : first > second ? 1 : 0
}

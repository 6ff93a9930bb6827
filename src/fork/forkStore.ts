/**
 * The store of a forked chain: what the local store does not have, the remote may have had at or below the fork block.
 * @module
 */
import type { Clock } from '../base/ports/host.ts'
import type {
  Entry,
  KeyValueStore,
  MissCause,
  MissRequest,
  Mutation,
  RangeOptions,
  Residency,
} from '../base/ports/keyValueStore.ts'
import { StoreMiss } from '../base/ports/keyValueStore.ts'
import { CallLoads } from '../storage/callLoads.ts'
import { Column } from '../storage/schema.ts'
import type { ForkSource } from './contract.ts'
import { waitsExceeded } from './errors.ts'
import { type ForkBlocks, isAbsent } from './forkBlocks.ts'
import type { RemoteAccess } from './remoteAccess.ts'
import type { RemoteState } from './remoteState.ts'

export interface ForkStoreDeps {
  /** Holds the chain from the fork block on. */
  readonly local: KeyValueStore
  /** Loads what an asynchronous local store does not hold in memory. */
  readonly residency?: Residency | undefined
  readonly blocks: ForkBlocks
  readonly state: RemoteState
  readonly source: ForkSource
  readonly remote: RemoteAccess
}

/**
 * Reads go to the local store first; all writes go there. Blocks of the remote are found under the same keys as local
 * ones. Only a reader that asks for a block or a transaction by its hash, and not the writer that stores a new one, waits
 * for the remote: {@link requireAbsent}.
 */
export class ForkStore implements KeyValueStore, Residency {
  #deps: ForkStoreDeps
  readonly #local: KeyValueStore

  constructor(deps: ForkStoreDeps) {
    this.#deps = deps
    this.#local = deps.local
  }

  /** Continues another block, or asks another remote. */
  adopt({ blocks, state, remote }: Pick<ForkStoreDeps, 'blocks' | 'state' | 'remote'>): void {
    this.#deps = { ...this.#deps, blocks, state, remote }
  }

  get snapshot(): number | undefined {
    return this.#local.snapshot
  }

  get mayLoseEntries(): boolean | undefined {
    return this.#local.mayLoseEntries
  }

  get hasChecksums(): boolean {
    return this.#local.hasChecksums ?? true
  }

  addChecksums(): number {
    return this.#local.addChecksums?.() ?? 1
  }

  /** @throws {StoreMiss} */
  get(key: Uint8Array): Uint8Array | undefined {
    const value = this.#local.get(key)
    return value ?? this.#remote(key, missOf)
  }

  /** @throws {StoreMiss} that names all missing keys */
  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    const missing: Uint8Array[] = []
    const values = this.#local.getMany(keys)
    keys.forEach((key, i) => {
      values[i] ??= this.#remote(key, (miss) => {
        missing.push(miss)
      })
    })
    if (missing.length > 0) throw new StoreMiss({ kind: 'keys', keys: missing })
    return values
  }

  /** Of local entries. */
  range(options: RangeOptions): Iterable<Entry> {
    return this.#local.range(options)
  }

  /**
   * The remote may have a block or a transaction with the hash.
   * @throws {StoreMiss} while that is unknown
   */
  requireAbsent(key: Uint8Array): void {
    this.#local.requireAbsent?.(key)
    const isByHash = key[0] === Column.numberByHash || key[0] === Column.transactionIndex
    if (isByHash && this.#deps.blocks.indexed(key) === undefined) missOf(key)
  }

  /** @throws {NodeError} those of the remote and of the local store */
  async load(request: MissRequest, cause?: MissCause): Promise<void> {
    const { residency, state, blocks } = this.#deps
    if (request.kind === 'state') return state.load(request, cause)
    if (request.kind === 'range') return residency?.load(request)
    await residency?.load(request)
    const missing = request.keys.filter((key) => this.#local.get(key) === undefined)
    await blocks.load(missing.filter((key) => blocks.mayHave(key) || isIndexKey(key)))
  }

  forCall(clock: Pick<Clock, 'monotonic'>): Residency {
    return new CallLoads(this, clock, (request) => waitsExceeded(this.#deps.remote.origins, request))
  }

  commit(batch: readonly Mutation[]): void | Promise<void> {
    return this.#local.commit(batch)
  }

  async close(): Promise<void> {
    const { remote, source } = this.#deps
    remote.close()
    await this.#local.close()
    await source.close()
  }

  #remote(key: Uint8Array, miss: (key: Uint8Array) => void): Uint8Array | undefined {
    const { blocks } = this.#deps
    if (isIndexKey(key)) {
      const indexed = blocks.indexed(key)
      return isAbsent(indexed) ? undefined : indexed
    }
    if (!blocks.mayHave(key)) return undefined
    const part = blocks.part(key)
    if (part === undefined) miss(key)
    return isAbsent(part) ? undefined : part
  }
}

function isIndexKey(key: Uint8Array): boolean {
  return key[0] === Column.numberByHash || key[0] === Column.transactionIndex
}

function missOf(key: Uint8Array): never {
  throw new StoreMiss({ kind: 'keys', keys: [key] })
}

/**
 * States of a mirror: each request uses one of them from its beginning to its end.
 * @module
 */
import type {
  AsyncKeyValueStore,
  Entry,
  KeyValueReader,
  MissCause,
  MissRequest,
  RangeOptions,
  Residency,
} from '../../base/ports/keyValueStore.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import { StoredChain } from '../../chain/storedChain.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { MirrorStep } from '../../mirror/follower.ts'
import type { KnownIdentity } from '../../mirror/mirrorObjects.ts'
import type { SegmentSource } from '../../mirror/read/segmentSource.ts'
import { SegmentStore } from '../../mirror/segmentStore.ts'
import { startKeys } from '../../mirror/startKeys.ts'
import type { MirrorView } from '../../mirror/view.ts'
import type { ResidentStore } from '../../storage/residentStore.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { keys } from '../../storage/schema.ts'
import type { CallHints } from './callHints.ts'
import { limitedBackend } from './limitedReads.ts'
import {
  openReadOnlyBackend,
  type ReaderHost,
  type ReaderSettings,
  type ReadOnlyBackend,
  type SharedExecution,
} from './readOnlyBackend.ts'

export interface ReplicaViewDeps {
  readonly host: Omit<ReaderHost, 'store' | 'residency'>
  readonly identity: KnownIdentity
  readonly config: ChainConfig
  readonly settings: ReaderSettings
  readonly execution: SharedExecution
  readonly source: SegmentSource
  /** Reads of the store that one request may make; undefined: any number */
  readonly readsPerRequest?: number | undefined
  readonly hints: CallHints
  /** Throws while the head may not be named. */
  readonly requireFresh: () => void
}

/** The services for the requests of one manifest. */
export interface ReplicaView {
  readonly mirror: MirrorView
  readonly store: ResidentStore
  readonly backend: ReadOnlyBackend
}

/** The present state, as one store for the parts that outlive a manifest: filters, subscriptions. */
export class ReplicaViews implements KeyValueReader, Residency {
  readonly #deps: ReplicaViewDeps
  #current: ReplicaView

  private constructor(deps: ReplicaViewDeps, current: ReplicaView) {
    this.#deps = deps
    this.#current = current
  }

  /** @param store over `mirror` */
  static async open(deps: ReplicaViewDeps, mirror: MirrorView, store: ResidentStore): Promise<ReplicaViews> {
    return new ReplicaViews(deps, await openView(deps, mirror, store))
  }

  get current(): ReplicaView {
    return this.#current
  }

  /** The services of a request or batch. */
  forRequest(): ReadOnlyBackend {
    const { source, host, hints, readsPerRequest: limit } = this.#deps
    const { backend } = this.#current
    return limit === undefined
      ? backend
      : limitedBackend(this.#current, { source, hints, senders: host.senders, limit })
  }

  get snapshot(): number {
    return this.#current.mirror.manifest.number
  }

  /** Later requests use the newer state; those in progress keep theirs. */
  async advance({ view, changed }: MirrorStep): Promise<void> {
    const next: AsyncKeyValueStore = new SegmentStore(view, this.#deps.source)
    this.#current = await openView(this.#deps, view, this.#current.store.successor(next, changed))
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#current.store.get(key)
  }

  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return this.#current.store.getMany(keys)
  }

  range(options: RangeOptions): Iterable<Entry> {
    return this.#current.store.range(options)
  }

  load(request: MissRequest, _cause?: MissCause): Promise<void> {
    return this.#current.store.load(request)
  }
}

async function openView(deps: ReplicaViewDeps, mirror: MirrorView, store: ResidentStore): Promise<ReplicaView> {
  const { host, identity, config, settings, execution, hints, requireFresh } = deps
  const openChain = (): StoredChain =>
    new MirroredChain(mirror, requireFresh, [store, config, undefined, settings.memory])
  const open = (): ReplicaView => {
    const backend = openReadOnlyBackend({ ...host, store, residency: hints.over(store) }, config, settings, {
      ...execution,
      openChain,
    })
    backend.chain.refresh()
    return { mirror, store, backend }
  }
  await store.load({ kind: 'keys', keys: startKeys(mirror.manifest, identity) })
  hints.learn(store.get(keys.meta('callTable')))
  return retryMisses(open, store)
}

/** The chain of a manifest, which names the safe and the finalized block of its publisher. */
class MirroredChain extends StoredChain {
  readonly #mirror: MirrorView
  readonly #requireFresh: () => void

  constructor(mirror: MirrorView, requireFresh: () => void, chain: ConstructorParameters<typeof StoredChain>) {
    super(...chain)
    this.#mirror = mirror
    this.#requireFresh = requireFresh
  }

  /** @throws {NodeError} MIRROR_BEHIND */
  override get head(): ChainHeader {
    this.#requireFresh()
    return super.head
  }

  override get safe(): ChainHeader | undefined {
    const { safe } = this.#mirror.manifest
    return safe && this.headerByHash(safe.hash)
  }

  override get finalized(): ChainHeader | undefined {
    const { finalized } = this.#mirror.manifest
    return finalized && this.headerByHash(finalized.hash)
  }
}

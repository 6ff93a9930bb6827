/**
 * A state of a mirror for one request, which may read the store a limited number of times.
 * @module
 */
import { TransitionCallSimulator } from '../../api/calls/callSimulator.ts'
import type { MissRequest, Residency } from '../../base/ports/keyValueStore.ts'
import { ReadBudget } from '../../mirror/read/readBudget.ts'
import type { SegmentSource } from '../../mirror/read/segmentSource.ts'
import { SegmentStore } from '../../mirror/segmentStore.ts'
import type { MirrorView } from '../../mirror/view.ts'
import { Replay } from '../../tracing/replay.ts'
import type { CallHints } from './callHints.ts'
import type { ReaderHost, ReadOnlyBackend } from './readOnlyBackend.ts'

export interface LimitedView {
  readonly mirror: MirrorView
  /** Loads without a limit. */
  readonly store: Residency
  readonly backend: ReadOnlyBackend
}

export interface ReadLimit {
  readonly source: SegmentSource
  readonly hints: CallHints
  readonly senders: ReaderHost['senders']
  readonly limit: number
}

/** The same backend, whose loads fail with READS_EXCEEDED beyond the limit. */
export function limitedBackend(
  { mirror, store, backend }: LimitedView,
  { source, hints, senders, limit }: ReadLimit,
): ReadOnlyBackend {
  const residency = hints.over(new LimitedResidency(new SegmentStore(mirror, source, new ReadBudget(limit)), store))
  const { chain, states, execution } = backend
  const deps = { ...execution, control: { ...execution.control, residency } }
  return {
    ...backend,
    residency,
    execution: deps,
    calls: new TransitionCallSimulator(deps),
    tracing: new Replay({ ...deps, chain, states, senders }),
  }
}

class LimitedResidency implements Residency {
  readonly #limited: SegmentStore
  readonly #store: Residency

  constructor(limited: SegmentStore, store: Residency) {
    this.#limited = limited
    this.#store = store
  }

  /** The limited reads fill the caches of the segments, where the store finds their data. */
  async load(request: MissRequest): Promise<void> {
    if (request.kind === 'keys') await this.#limited.getMany(request.keys)
    else if (request.kind === 'range') await this.#limited.range(request.range)
    await this.#store.load(request)
  }
}

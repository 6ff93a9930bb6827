/**
 * The part of a replica that looks for newer manifests, at intervals and when the store says that there are some.
 * @module
 */
import type { MirrorReading, ReaderStatus } from '../../api/mirrorAccess.ts'
import type { Logger } from '../../base/ports/host.ts'
import type { ObjectReader } from '../../base/ports/objectStore.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import type { MirrorFollower, MirrorStep } from '../../mirror/follower.ts'
import type { SegmentSource } from '../../mirror/read/segmentSource.ts'
import type { Freshness } from './freshness.ts'
import type { ReplicaViews } from './replicaViews.ts'

export interface FollowingHost {
  readonly objects: ObjectReader
  readonly timers: Timers
  readonly logger: Logger
}

export interface Followed {
  readonly follower: MirrorFollower
  readonly views: ReplicaViews
  readonly source: SegmentSource
  readonly freshness: Freshness
  /** Throws for a state that must not be served; undefined: every signed one may be. */
  readonly verify: VerifyStep | undefined
}

/** Checks a state of a mirror beyond the signature of its publisher. @throws {NodeError} */
export type VerifyStep = (step: MirrorStep) => Promise<void>

export class Following implements MirrorReading {
  readonly #host: Pick<FollowingHost, 'timers' | 'objects'>
  readonly #logger: Logger
  readonly #pollMs: number | undefined
  readonly #followed: Followed
  /** A newer state that could not be opened yet. */
  #pending: MirrorStep | undefined
  #onNewer: () => Promise<void> = async () => {}
  #look: Promise<void> | undefined
  #isLookDue = false
  #timer: Timer | undefined
  #unwatch: (() => void) | undefined
  #isClosed = false
  #failures = 0
  #lastFailure: string | undefined

  /** @param pollMs time between two looks; undefined: only when asked */
  constructor({ timers, objects, logger }: FollowingHost, pollMs: number | undefined, followed: Followed) {
    this.#host = { timers, objects }
    this.#logger = logger.child('mirror')
    this.#pollMs = pollMs
    this.#followed = followed
  }

  /** @param onNewer called after each change of the state */
  begin(onNewer: () => Promise<void>): void {
    this.#onNewer = onNewer
    this.#unwatch = this.#host.objects.watch?.(() => void this.poll())
    this.#schedule()
  }

  get status(): ReaderStatus {
    const { views, source, freshness } = this.#followed
    const { manifest, segments } = views.current.mirror
    const { reads, bytes, hits, misses } = source.counts
    return {
      role: 'reader',
      manifest: manifest.number,
      epoch: manifest.epoch,
      publisher: manifest.publisher,
      head: manifest.head,
      finalized: manifest.finalized,
      publishedAtMs: manifest.timeMs,
      lagMs: freshness.lagMs,
      isStale: freshness.isStale,
      segments,
      reads,
      readBytes: bytes,
      hits,
      misses,
      failures: this.#failures,
      lastFailure: this.#lastFailure,
    }
  }

  /** A call during a look causes another one after it. */
  poll(): Promise<void> {
    this.#isLookDue = true
    this.#look ??= this.#lookUntilDone().finally(() => {
      this.#look = undefined
    })
    return this.#look
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#unwatch?.()
    await this.#look
    await this.#host.objects.close()
  }

  async #lookUntilDone(): Promise<void> {
    while (this.#isLookDue && !this.#isClosed) {
      this.#isLookDue = false
      try {
        await this.#advance()
        this.#lastFailure = undefined
      } catch (error) {
        this.#fail(error)
      }
    }
  }

  async #advance(): Promise<void> {
    const { follower, views, freshness, verify } = this.#followed
    const found = await follower.next()
    // The changes before an unfinished step are not known any longer.
    const step = this.#pending === undefined ? found : { view: follower.view, changed: undefined }
    if (step === undefined) return
    this.#pending = step
    await verify?.(step)
    await views.advance(step)
    this.#pending = undefined
    freshness.renew(step.view.manifest)
    await this.#onNewer()
  }

  #fail(error: unknown): void {
    this.#failures++
    const reason = isNodeError(error) ? error.message : 'unexpected error'
    if (reason === this.#lastFailure) return
    this.#lastFailure = reason
    if (isNodeError(error)) this.#logger.warn('cannot follow the mirror; the last state is served', { reason })
    else this.#logger.error('cannot follow the mirror', { error })
  }

  #schedule(): void {
    if (this.#pollMs === undefined) return
    this.#timer = this.#host.timers.schedule(this.#pollMs, () => {
      void this.poll().then(() => {
        if (!this.#isClosed) this.#schedule()
      })
    })
  }
}

/**
 * Publishes again and again while a node runs: what has changed, at most once in each interval.
 * @module
 */
import { FIRST_PUBLISHER_WAIT_MS, MAX_PUBLISHER_WAIT_MS, MIRROR_HEARTBEAT_MS } from '../../base/limits/limits.ts'
import type { Clock, Logger } from '../../base/ports/host.ts'
import type { Timer, Timers } from '../../base/ports/timers.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import type { UnavailableDetails } from '../errors.ts'
import type { SignedManifest } from '../format/manifest.ts'
import type { Publisher } from './publisher.ts'

export interface PublishingParts {
  readonly publisher: Publisher
  readonly timers: Timers
  readonly clock: Clock
  readonly logger: Logger
  /** Shortest time between two manifests. */
  readonly intervalMs: number
  /** Called after each publication, merge and failure. */
  readonly onProgress?: (progress: PublishingProgress) => void
}

export interface PublishingProgress {
  /** The newest manifest; undefined: nothing is published yet */
  readonly manifest: SignedManifest | undefined
  /** Its segments. */
  readonly segments: number
  /** false: publishing has ended for good */
  readonly isPublishing: boolean
  readonly merges: number
  /** Publications and merges that failed. */
  readonly failures: number
  /** Why the last publication or merge failed; undefined: it succeeded */
  readonly lastFailure: string | undefined
}

type State = 'opening' | 'publishing' | 'ended'

/**
 * Changes that arrive while a manifest is written are part of the next one, so a slow store makes larger segments and never a
 * queue. Where the store does not answer, it is asked again after a while.
 */
export class Publishing {
  readonly #parts: PublishingParts
  #state: State = 'opening'
  #hasChanges = false
  #timer: Timer | undefined
  #turn: Promise<void> | undefined
  #merge: Promise<void> | undefined
  #canMerge = true
  #lastMs = Number.NEGATIVE_INFINITY
  /** After the last failure; 0: there was none since the last success. */
  #waitMs = 0
  #merges = 0
  #failures = 0
  #lastFailure: string | undefined

  constructor(parts: PublishingParts) {
    this.#parts = parts
  }

  /** Takes the mirror over, at once or as soon as the store answers. */
  start(): void {
    this.#schedule(0)
  }

  /** The database has changed. */
  changed(): void {
    if (this.#hasChanges) return
    this.#hasChanges = true
    if (this.#turn === undefined && this.#state === 'publishing' && this.#waitMs === 0) this.#scheduleNext()
  }

  /** Publishes once more, if the store answers, and ends. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    await this.#turn
    this.#timer?.cancel()
    if (this.#state !== 'ended' && this.#waitMs === 0) await this.#last()
    this.#end(undefined)
    await this.#merge
  }

  /** Resolves when nothing is being published or merged. */
  async settled(): Promise<void> {
    await this.#turn
    await this.#merge
  }

  async #last(): Promise<void> {
    const { publisher, logger } = this.#parts
    try {
      if (this.#state === 'opening') await publisher.open()
      else await publisher.publishChanges()
      await publisher.hint()
    } catch (error) {
      logger.warn(`the last changes are not published: ${messageOf(error)}`)
    }
  }

  #schedule(delayMs: number): void {
    this.#timer?.cancel()
    this.#timer = this.#parts.timers.schedule(delayMs, () => {
      this.#turn = this.#run().finally(() => {
        this.#turn = undefined
        this.#scheduleNext()
      })
    })
  }

  #scheduleNext(): void {
    if (this.#state === 'ended') return
    const { clock, intervalMs } = this.#parts
    const restMs = this.#hasChanges ? intervalMs : Math.max(intervalMs, MIRROR_HEARTBEAT_MS)
    this.#schedule(this.#waitMs > 0 ? this.#waitMs : Math.max(0, this.#lastMs + restMs - clock.monotonic()))
  }

  async #run(): Promise<void> {
    const { publisher, clock } = this.#parts
    try {
      this.#lastMs = clock.monotonic()
      if (this.#state === 'opening') this.#opened(await publisher.open())
      else await this.#publish()
      this.#recovered()
      this.#report()
      await publisher.tidy()
      this.#startMerge()
    } catch (error) {
      this.#failed(error)
    }
  }

  async #publish(): Promise<void> {
    const { publisher, logger } = this.#parts
    const hadChanges = this.#hasChanges
    // Changes from now on may or may not be in this manifest.
    this.#hasChanges = false
    try {
      const manifest = hadChanges ? await publisher.publishChanges() : await publisher.publishAnyway()
      if (manifest !== undefined) logger.debug('published', { manifest: manifest.number, segments: manifest.added })
    } catch (error) {
      this.#hasChanges ||= hadChanges
      throw error
    }
  }

  #opened({ number, epoch, publisher }: SignedManifest): void {
    if (this.#state === 'opening') this.#state = 'publishing'
    this.#parts.logger.info('the mirror is published', { manifest: number, epoch, publisher: bytesToHex(publisher) })
  }

  #recovered(): void {
    if (this.#waitMs > 0) this.#parts.logger.info('the store of the mirror answers again')
    this.#waitMs = 0
    this.#lastFailure = undefined
  }

  #startMerge(): void {
    const { publisher, logger } = this.#parts
    if (this.#merge !== undefined || !this.#canMerge || !publisher.needsMerge) return
    this.#merge = publisher
      .merge()
      .then(() => {
        this.#merges++
        this.#report()
      })
      .catch((error: unknown) => {
        this.#count(error)
        // It is tried again after the next manifest.
        if (isNodeError(error, 'MIRROR_UNAVAILABLE')) return
        this.#canMerge = false
        logger.error(`segments of the mirror are no longer merged: ${messageOf(error)}`)
      })
      .finally(() => {
        this.#merge = undefined
      })
  }

  #report(): void {
    const { publisher, onProgress } = this.#parts
    const { manifest, content } = publisher
    onProgress?.({
      manifest,
      segments: content.runs.reduce((sum, run) => sum + run.length, content.recent.length),
      isPublishing: this.#state !== 'ended',
      merges: this.#merges,
      failures: this.#failures,
      lastFailure: this.#lastFailure,
    })
  }

  #count(error: unknown): void {
    this.#failures++
    this.#lastFailure = messageOf(error)
    this.#report()
  }

  #failed(error: unknown): void {
    if (!isNodeError(error, 'MIRROR_UNAVAILABLE')) {
      this.#end(error)
      return
    }
    const { retryAfterMs = 0 } = error.details as UnavailableDetails
    if (this.#waitMs === 0) this.#parts.logger.warn(`publishing waits for the store of the mirror: ${error.message}`)
    const next = this.#waitMs === 0 ? FIRST_PUBLISHER_WAIT_MS : 2 * this.#waitMs
    this.#waitMs = Math.min(Math.max(next, retryAfterMs), MAX_PUBLISHER_WAIT_MS)
    this.#count(error)
  }

  #end(error: unknown): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.#timer?.cancel()
    if (error === undefined) return
    this.#parts.logger.error(`the mirror is no longer published: ${messageOf(error)}`)
    this.#count(error)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

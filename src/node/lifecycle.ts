/**
 * Starts the parts of a node in order and stops them in reverse.
 * @module
 */
import type { Logger } from '../base/ports/host.ts'
import type { Timers } from '../base/ports/timers.ts'

/** A part that takes longer to stop is logged by name. */
const SLOW_STOP_MS = 5_000

/** A part of the node that runs timers, queues or background jobs. */
export interface Lifecycle {
  /** Name in log messages. */
  readonly name: string
  start?(): void | Promise<void>
  /** Called once, even if the start of another part fails. */
  stop(): void | Promise<void>
}

export type LifecycleState = 'built' | 'running' | 'stopped'

export class Lifecycles {
  readonly #parts: readonly Lifecycle[]
  readonly #timers: Timers
  readonly #logger: Logger
  /** Started parts, in order. */
  readonly #started: Lifecycle[] = []
  #state: LifecycleState = 'built'
  #stopping: Promise<void> | undefined

  /** @param parts in starting order: each may use the preceding ones; undefined: the node lacks this part */
  constructor(
    parts: readonly (Lifecycle | undefined)[],
    { timers, logger }: { readonly timers: Timers; readonly logger: Logger },
  ) {
    this.#parts = parts.filter((part) => part !== undefined)
    this.#timers = timers
    this.#logger = logger
  }

  get state(): LifecycleState {
    return this.#state
  }

  /**
   * Starts all parts. When one fails, those already started are stopped in reverse order.
   * @throws the error of the failing part
   */
  async start(): Promise<void> {
    if (this.#state !== 'built') throw new TypeError(`cannot start a node in the state ${this.#state}`)
    this.#state = 'running'
    for (const part of this.#parts) {
      try {
        await part.start?.()
        this.#started.push(part)
      } catch (error) {
        await this.stop()
        throw error
      }
    }
  }

  /**
   * Stops the started parts. A failing part is logged, and the others are still stopped. Further calls wait for the
   * first.
   */
  stop(): Promise<void> {
    this.#state = 'stopped'
    this.#stopping ??= this.#stopAll()
    return this.#stopping
  }

  async #stopAll(): Promise<void> {
    for (const part of this.#started.reverse()) {
      const { name } = part
      const watch = this.#timers.schedule(SLOW_STOP_MS, () =>
        this.#logger.warn('a part is slow to stop', { part: name }),
      )
      try {
        await part.stop()
      } catch (error) {
        this.#logger.error('failed to stop a part', { part: name, error })
      } finally {
        watch.cancel()
      }
    }
  }
}

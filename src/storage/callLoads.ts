import { MAX_CALL_WAIT_MS } from '../base/limits/limits.ts'
import type { Clock } from '../base/ports/host.ts'
import type { MissCause, MissRequest, Residency } from '../base/ports/keyValueStore.ts'
import type { NodeError } from '../base/primitives/errors.ts'

/** Counts and bounds the waits of one call for a source that is far away. */
export class CallLoads implements Residency {
  readonly #source: Pick<Residency, 'load'>
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #exceeded: (request: MissRequest) => NodeError
  #waitedMs = 0

  /** @param exceeded makes the error of a call that has waited too long and needs more */
  constructor(
    source: Pick<Residency, 'load'>,
    clock: Pick<Clock, 'monotonic'>,
    exceeded: (request: MissRequest) => NodeError,
  ) {
    this.#source = source
    this.#clock = clock
    this.#exceeded = exceeded
  }

  get waitedMs(): number {
    return this.#waitedMs
  }

  /** The source bounds the time of one load. @throws {NodeError} that of `exceeded`, and those of the source */
  async load(request: MissRequest, cause?: MissCause): Promise<void> {
    if (this.#waitedMs >= MAX_CALL_WAIT_MS) throw this.#exceeded(request)
    const from = this.#clock.monotonic()
    try {
      await this.#source.load(request, cause)
    } finally {
      this.#waitedMs += this.#clock.monotonic() - from
    }
  }
}

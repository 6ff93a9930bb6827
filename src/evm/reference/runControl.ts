import type { Clock } from '../../base/ports/host.ts'
import type { MissRequest } from '../../base/ports/keyValueStore.ts'
import type { ExecutionStatus } from '../evm.ts'

type Settle = { resolve(status: ExecutionStatus): void; reject(reason: unknown): void }

/**
 * The gate between an asynchronous interpreter and the driver that decides when it may run. A run that is never resumed
 * stays at the gate until it is garbage collected.
 */
export class RunControl {
  readonly #clock: Clock
  #sliceEnd = 0
  #waiting: Settle | undefined
  #open: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Continues the run for one slice. Settles when the run stops for any reason. */
  resume(sliceMs: number, start: () => Promise<ExecutionStatus>): Promise<ExecutionStatus> {
    this.#sliceEnd = this.#clock.monotonic() + sliceMs
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      const open = this.#open
      this.#open = undefined
      if (open !== undefined) open()
      else start().then(this.#finish, this.#fail)
    })
  }

  expired(): boolean {
    return this.#clock.monotonic() >= this.#sliceEnd
  }

  pause(): Promise<void> {
    return this.#park({ kind: 'paused' })
  }

  miss(request: MissRequest): Promise<void> {
    return this.#park({ kind: 'missing', request })
  }

  #park(status: ExecutionStatus): Promise<void> {
    return new Promise((open) => {
      this.#open = open
      this.#finish(status)
    })
  }

  readonly #finish = (status: ExecutionStatus): void => {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve(status)
  }

  readonly #fail = (reason: unknown): void => {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.reject(reason)
  }
}

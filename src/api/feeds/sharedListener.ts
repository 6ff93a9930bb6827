import type { Unsubscribe } from '../../base/primitives/events.ts'

/** Listens to an event source only while it has users, so that the source does no unneeded work. */
export class SharedListener {
  readonly #start: () => Unsubscribe
  #stop: Unsubscribe | undefined
  #users = 0

  /** @param start subscribes to the source */
  constructor(start: () => Unsubscribe) {
    this.#start = start
  }

  /** @returns ends this use; idempotent */
  use(): Unsubscribe {
    this.#users++
    this.#stop ??= this.#start()
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#users--
      if (this.#users > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }

  /** Listens to the source again, after it was replaced by another one. */
  restart(): void {
    if (this.#stop === undefined) return
    this.#stop()
    this.#stop = this.#start()
  }
}

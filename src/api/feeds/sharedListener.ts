import type { Unsubscribe } from '../../events/events.ts'

/** Listens to an event source only while somebody uses it: the source does no work for nobody. */
export class SharedListener {
  readonly #start: () => Unsubscribe
  #stop: Unsubscribe | undefined
  #users = 0

  /** @param start begins to listen */
  constructor(start: () => Unsubscribe) {
    this.#start = start
  }

  /** @returns ends this use; a second call does nothing */
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
}

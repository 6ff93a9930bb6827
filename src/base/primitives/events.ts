/**
 * A small typed emitter for events within the node. Listeners are called synchronously in the order of registration; an
 * error of one never reaches the emitter or other listeners.
 * @module
 */

export type Listener<T> = (event: T) => void

/** Removes the listener; idempotent. */
export type Unsubscribe = () => void

/** `Events`: event name → payload. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>()
  readonly #onError: (error: unknown) => void

  /** @param onError receives errors that listeners throw or reject with */
  constructor(onError: (error: unknown) => void = () => {}) {
    this.#onError = onError
  }

  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): Unsubscribe {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners)
    const ownListener: Listener<Events[Name]> = (event) => listener(event)
    listeners.add(ownListener)
    return () => void listeners.delete(ownListener)
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    const listeners = this.#listeners.get(name)
    if (listeners === undefined) return
    for (const listener of [...listeners] as Listener<Events[Name]>[]) {
      try {
        const outcome: unknown = listener(event)
        if (outcome instanceof Promise) outcome.catch(this.#onError)
      } catch (error) {
        this.#onError(error)
      }
    }
  }

  /** Whether there are listeners: saves building payloads without need. */
  has(name: keyof Events): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0
  }
}

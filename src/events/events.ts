/**
 * A small typed emitter for what happens inside the node. Listeners are called in the order they came, synchronously,
 * and an error of one never reaches the emitter or the other listeners.
 * @module
 */

export type Listener<T> = (event: T) => void

/** Takes the listener away again; a second call does nothing. */
export type Unsubscribe = () => void

/** `Events`: event name → payload. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>()
  readonly #onError: (error: unknown) => void

  /** @param onError told of what a listener threw or a promise of it was rejected with */
  constructor(onError: (error: unknown) => void = () => {}) {
    this.#onError = onError
  }

  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): Unsubscribe {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners)
    const own: Listener<Events[Name]> = (event) => listener(event)
    listeners.add(own)
    return () => void listeners.delete(own)
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

  /** Whether anybody listens: payloads that cost something to build can be left out otherwise. */
  has(name: keyof Events): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0
  }
}

import type { WalletEvents } from './contract.ts'

type Listener = (event: never) => void

/** Listeners of a page. An error of one reaches neither the wallet nor other listeners. */
export class Listeners {
  readonly #byEvent = new Map<string, Set<Listener>>()

  add(event: keyof WalletEvents, listener: Listener): void {
    if (typeof listener !== 'function') throw new TypeError(`on('${event}', …): expected a function`)
    const listeners = this.#byEvent.get(event) ?? new Set()
    this.#byEvent.set(event, listeners.add(listener))
  }

  remove(event: keyof WalletEvents, listener: Listener): void {
    this.#byEvent.get(event)?.delete(listener)
  }

  has(event: keyof WalletEvents, listener: Listener): boolean {
    return this.#byEvent.get(event)?.has(listener) === true
  }

  emit<Name extends keyof WalletEvents>(event: Name, value: WalletEvents[Name]): void {
    for (const listener of [...(this.#byEvent.get(event) ?? [])]) callLater(listener, value)
  }
}

/** In a microtask: no listener runs inside of the wallet, and its error is one of the page. */
export function callLater(listener: Listener, value: unknown): void {
  queueMicrotask(() => (listener as (event: unknown) => void)(value))
}

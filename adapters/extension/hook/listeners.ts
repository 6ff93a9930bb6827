/**
 * The page's listeners for events of its wallet, so that a change of the chain reaches them.
 * @module
 */
import { reflect } from './builtins.ts'
import type { ProviderCall } from './wrapProvider.ts'

interface Kept {
  readonly provider: object
  readonly seen: object
  readonly event: unknown
  readonly listener: unknown
}

const MAX_LISTENERS = 1000

export class PageListeners {
  #list: readonly Kept[] = []

  /** Follows a call of `on`, `removeListener` and their other names. */
  follow({ provider, seen, key, args }: ProviderCall): void {
    const event = args[0]
    const listener = args[1]
    if (key === 'off' || key === 'removeListener') this.#remove(provider, event, listener)
    else if (key !== 'once' && typeof listener === 'function' && this.#list.length < MAX_LISTENERS) {
      const list: Kept[] = []
      for (let i = 0; i < this.#list.length; i++) list[i] = this.#list[i] as Kept
      list[list.length] = { provider, seen, event, listener }
      this.#list = list
    }
  }

  /** Calls the listeners of every wallet. Their errors are theirs. */
  emit(event: string, value: unknown): void {
    const list = this.#list
    for (let i = 0; i < list.length; i++) {
      const kept = list[i] as Kept
      if (kept.event !== event) continue
      try {
        reflect.apply(kept.listener, kept.seen, [value])
      } catch {
        // As with the wallet's own emitter, the others are still called.
      }
    }
  }

  #remove(provider: object, event: unknown, listener: unknown): void {
    const list: Kept[] = []
    let isFound = false
    for (let i = 0; i < this.#list.length; i++) {
      const kept = this.#list[i] as Kept
      const isIt = kept.provider === provider && kept.event === event && kept.listener === listener
      if (isIt && !isFound) isFound = true
      else list[list.length] = kept
    }
    this.#list = list
  }
}

/**
 * The present second, for relative times. One timer serves the whole page.
 * @module
 */
import { type Signal, signal } from '@preact/signals'

/** Unix time. */
export const nowSeconds: Signal<number> = signal(Math.floor(Date.now() / 1000))

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) nowSeconds.value = Math.floor(Date.now() / 1000)
  }, 1000)
}

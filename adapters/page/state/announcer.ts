/**
 * Short messages: seen as a toast for some seconds, and read aloud politely.
 * @module
 */
import { type Signal, signal } from '@preact/signals'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly isError: boolean
}

const TOAST_MS = 6000
const MAX_TOASTS = 3

export const toasts: Signal<readonly Toast[]> = signal([])
/** Text for screen readers only. */
export const announcement: Signal<string> = signal('')

let lastId = 0

export function notify(text: string, isError = false): void {
  const toast = { id: ++lastId, text, isError }
  toasts.value = [...toasts.value, toast].slice(-MAX_TOASTS)
  setTimeout(() => dismiss(toast.id), TOAST_MS)
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

export function announce(text: string): void {
  announcement.value = text
}

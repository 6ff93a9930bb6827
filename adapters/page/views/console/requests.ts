/**
 * Requests of the console: those that were sent, and those that wait to be sent together.
 * @module
 */
import { type Signal, signal } from '@preact/signals'
import { readDraft, writeDraft } from '../../state/settings.ts'
import type { ConsoleRequest } from './consoleRequest.ts'

const MAX_HISTORY = 50
const MAX_BATCH = 100
/** Of the parameters as JSON; longer ones are not kept. */
const MAX_KEPT_LENGTH = 20_000
const HISTORY = 'console history'

/** Newest first; survives a reload. */
export const history: Signal<readonly ConsoleRequest[]> = signal(readHistory())
export const batch: Signal<readonly ConsoleRequest[]> = signal([])

export function remember(request: ConsoleRequest): void {
  const key = JSON.stringify(request)
  if (key.length > MAX_KEPT_LENGTH) return
  const others = history.value.filter((one) => JSON.stringify(one) !== key)
  history.value = [request, ...others].slice(0, MAX_HISTORY)
  writeDraft(HISTORY, JSON.stringify(history.value))
}

export function forgetAll(): void {
  history.value = []
  writeDraft(HISTORY, undefined)
}

/** @returns false when the batch is full */
export function addToBatch(request: ConsoleRequest): boolean {
  if (batch.value.length >= MAX_BATCH) return false
  batch.value = [...batch.value, request]
  return true
}

function readHistory(): readonly ConsoleRequest[] {
  try {
    const list: unknown = JSON.parse(readDraft(HISTORY) ?? '[]')
    return Array.isArray(list) ? list.filter(isRequest).slice(0, MAX_HISTORY) : []
  } catch {
    return []
  }
}

function isRequest(value: unknown): value is ConsoleRequest {
  const { method, params } = (value ?? {}) as { readonly method?: unknown; readonly params?: unknown }
  return typeof method === 'string' && Array.isArray(params)
}

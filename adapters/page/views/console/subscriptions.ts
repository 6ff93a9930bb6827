/**
 * Subscriptions of the console and what they deliver.
 * @module
 */
import { type Signal, signal } from '@preact/signals'
import { provider, request } from '../../state/node.ts'

export interface Subscription {
  readonly id: string
  /** `logs {"address":"0x…"}` */
  readonly text: string
  /** JSON, newest first. */
  readonly messages: readonly string[]
  /** All that arrived, also those that are no longer kept. */
  readonly total: number
  readonly isEnded: boolean
}

const MAX_SUBSCRIPTIONS = 10
const MAX_MESSAGES = 100
/** Characters of a message that are kept. */
const MAX_LENGTH = 10_000
const UPDATE_MS = 250

export const subscriptions: Signal<readonly Subscription[]> = signal([])

/** Messages since the last update of the view, by subscription. */
const arrived = new Map<string, string[]>()
let timer: ReturnType<typeof setTimeout> | undefined
let isListening = false

/** @throws {RangeError} for too many @throws {ConnectionError} when the node has no WebSocket here */
export async function subscribe(params: readonly unknown[]): Promise<void> {
  if (subscriptions.value.filter(({ isEnded }) => !isEnded).length >= MAX_SUBSCRIPTIONS) {
    throw new RangeError(`At most ${MAX_SUBSCRIPTIONS} subscriptions at once.`)
  }
  if (provider.on === undefined) throw new TypeError('This provider delivers no notifications.')
  if (!isListening) {
    provider.on('message', receive)
    provider.on('disconnect', endAll)
    isListening = true
  }
  const id = await request<string>('eth_subscribe', params)
  const [type, ...options] = params
  const text = [String(type), ...options.map((option) => JSON.stringify(option))].join(' ')
  const ended = subscriptions.value.filter((one) => one.id !== id).slice(0, MAX_SUBSCRIPTIONS - 1)
  subscriptions.value = [{ id, text, messages: [], total: 0, isEnded: false }, ...ended]
}

export async function unsubscribe(id: string): Promise<void> {
  const { isEnded } = subscriptions.value.find((one) => one.id === id) ?? { isEnded: true }
  subscriptions.value = subscriptions.value.filter((one) => one.id !== id)
  if (!isEnded) await request('eth_unsubscribe', [id]).catch(() => {})
}

function endAll(): void {
  subscriptions.value = subscriptions.value.map((one) => ({ ...one, isEnded: true }))
}

function receive(message: unknown): void {
  const { data } = message as { readonly data?: { readonly subscription?: unknown; readonly result?: unknown } }
  const id = String(data?.subscription)
  if (!subscriptions.peek().some((one) => one.id === id)) return
  const list = arrived.get(id) ?? []
  list.push((JSON.stringify(data?.result, null, 2) ?? '').slice(0, MAX_LENGTH))
  if (list.length > MAX_MESSAGES) list.shift()
  arrived.set(id, list)
  counts.set(id, (counts.get(id) ?? 0) + 1)
  if (timer === undefined) timer = setTimeout(update, UPDATE_MS)
}

const counts = new Map<string, number>()

function update(): void {
  timer = undefined
  subscriptions.value = subscriptions.value.map((one) => {
    const added = arrived.get(one.id)
    if (added === undefined) return one
    const messages = [...added.reverse(), ...one.messages].slice(0, MAX_MESSAGES)
    return { ...one, messages, total: one.total + (counts.get(one.id) ?? 0) }
  })
  arrived.clear()
  counts.clear()
}

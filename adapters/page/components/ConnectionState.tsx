import type { VNode } from 'preact'
import { exactTime } from '../format/time.ts'
import { resetAt } from '../state/live.ts'
import { type Connection, connection, lastAnswer } from '../state/node.ts'

const TEXTS: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  polling: 'Polling',
  disconnected: 'Disconnected',
  login: 'Login needed',
}

export function ConnectionState(): VNode {
  const state = connection.value
  return (
    <span
      class={`connection ${state}`}
      role="status"
      title={`Last answer: ${exactTime(Math.floor(lastAnswer.value / 1000))}`}
    >
      {TEXTS[state]}
    </span>
  )
}

/** Across the page: the node is away, or has another chain now. */
export function ConnectionNotice(): VNode | null {
  if (connection.value === 'disconnected') {
    return (
      <p class="notice bad" role="alert">
        The node has not answered since {exactTime(Math.floor(lastAnswer.value / 1000))}. This page tries again by
        itself.
      </p>
    )
  }
  if (resetAt.value === undefined) return null
  return (
    <p class="notice" role="status">
      The node has another chain since {exactTime(Math.floor(resetAt.value / 1000))}. Links from before may lead
      nowhere.{' '}
      <button type="button" class="button" onClick={() => (resetAt.value = undefined)}>
        Dismiss
      </button>
    </p>
  )
}

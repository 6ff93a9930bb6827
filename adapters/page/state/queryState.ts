/**
 * The states of a question to the node.
 * @module
 */
import type { RpcError } from '../rpc/errors.ts'

/**
 * - `loading`: no answer yet; the view shows placeholders.
 * - `slow`: no answer after 400 ms; a bar is added.
 * - `waiting`: no answer after 5 s; the view says what it waits for and offers to stop.
 * - `ready`: there are data.
 * - `gone`: the node does not know the thing.
 * - `refused`: the node lacks the method or does not offer it.
 * - `failed`: the node gave an error.
 * - `disconnected`: the node does not answer.
 * - `stopped`: the reader ended the wait.
 */
export type Phase =
  | 'loading'
  | 'slow'
  | 'waiting'
  | 'ready'
  | 'gone'
  | 'refused'
  | 'failed'
  | 'disconnected'
  | 'stopped'

export interface QueryState<T> {
  readonly phase: Phase
  /** The last data of this question; they stay while it is asked again or cannot be asked. */
  readonly data: T | undefined
  readonly error: RpcError | Error | undefined
}

export type QueryEvent<T> =
  | { readonly type: 'asked'; readonly isSame: boolean }
  | { readonly type: 'slow' | 'waiting' | 'stopped' }
  | { readonly type: 'answered'; readonly data: T | null | undefined }
  | { readonly type: 'failed'; readonly phase: 'refused' | 'failed' | 'disconnected'; readonly error: Error }

export const INITIAL: QueryState<never> = { phase: 'loading', data: undefined, error: undefined }

/** @param state before the event */
export function nextState<T>(state: QueryState<T>, event: QueryEvent<T>): QueryState<T> {
  switch (event.type) {
    case 'asked':
      // Data that are shown stay without a flicker while the same question is asked again, and nothing is rendered for it.
      if (!event.isSame || state.data === undefined) return INITIAL
      return state.phase === 'ready' ? state : { ...state, phase: 'loading' }
    case 'slow':
      return state.phase === 'loading' ? { ...state, phase: 'slow' } : state
    case 'waiting':
      return state.phase === 'slow' ? { ...state, phase: 'waiting' } : state
    case 'stopped':
      return { ...state, phase: 'stopped' }
    case 'answered':
      return event.data === null || event.data === undefined
        ? { phase: 'gone', data: undefined, error: undefined }
        : { phase: 'ready', data: event.data, error: undefined }
    case 'failed':
      return { phase: event.phase, data: event.phase === 'disconnected' ? state.data : undefined, error: event.error }
  }
}

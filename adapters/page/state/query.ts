/**
 * The hook by which views ask the node.
 * @module
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Ask } from '../rpc/ask.ts'
import { ConnectionError, isRefusal, UnauthorizedError } from '../rpc/errors.ts'
import { epoch, head } from './live.ts'
import { connection, request } from './node.ts'
import { INITIAL, nextState, type QueryEvent, type QueryState } from './queryState.ts'

const SLOW_MS = 400
const WAITING_MS = 5000

export type Question<T> = (ask: Ask, signal: AbortSignal) => Promise<T | null | undefined>

export interface Query<T> extends QueryState<T> {
  readonly retry: () => void
  readonly stop: () => void
}

export interface QueryOptions {
  /** Asks again when the head moves. */
  readonly isLive?: boolean
}

/**
 * Asks when the view opens, when `key` changes, after a reorganisation, and when the node is back.
 * @param key what is asked for; the same key keeps the data that are shown. Undefined: nothing is asked
 * @param question may send several requests; `null` means that the thing does not exist
 */
export function useQuery<T>(key: string | undefined, question: Question<T>, options: QueryOptions = {}): Query<T> {
  const [state, setState] = useState<QueryState<T>>(INITIAL)
  const asker = useRef<Asker<T>>(undefined)
  asker.current ??= new Asker<T>((event) => setState((before) => nextState(before, event)))
  const current = asker.current
  const latestQuestion = useRef(question)
  latestQuestion.current = question
  const isAway = connection.value === 'disconnected' || connection.value === 'login'
  const isLive = options.isLive ?? false

  useEffect(() => {
    if (key !== undefined && !isAway) current.ask(key, question)
  }, [key, isAway, epoch.value])
  // Asks without a rendering: the view changes when the answer arrives.
  useEffect(() => {
    if (key === undefined || isAway || !isLive) return
    let last = head.peek()?.hash
    return head.subscribe((block) => {
      const isMove = last !== undefined && block?.hash !== last
      last = block?.hash
      if (isMove) current.refresh(key, latestQuestion.current)
    })
  }, [key, isAway, isLive])
  useEffect(() => () => current.close(), [])

  const retry = (): void => {
    if (key !== undefined) current.ask(key, question)
  }
  return { ...state, retry, stop: () => current.stop() }
}

/** Asks one question at a time. */
class Asker<T> {
  readonly #dispatch: (event: QueryEvent<T>) => void
  #running: AbortController | undefined
  #key: string | undefined
  /** The question to ask when the present one is answered. */
  #next: Question<T> | undefined

  constructor(dispatch: (event: QueryEvent<T>) => void) {
    this.#dispatch = dispatch
  }

  /** Ends the present question. */
  ask(key: string, question: Question<T>): void {
    this.close()
    this.#dispatch({ type: 'asked', isSame: key === this.#key })
    this.#key = key
    this.#running = new AbortController()
    void this.#run(question, this.#running.signal)
  }

  /** Waits for the present question, so that a chain faster than the answers cannot keep the view without data. */
  refresh(key: string, question: Question<T>): void {
    if (this.#running === undefined) this.ask(key, question)
    else this.#next = question
  }

  stop(): void {
    this.close()
    this.#dispatch({ type: 'stopped' })
  }

  close(): void {
    this.#running?.abort()
    this.#running = undefined
    this.#next = undefined
  }

  async #run(question: Question<T>, signal: AbortSignal): Promise<void> {
    const timers = [
      setTimeout(() => this.#dispatch({ type: 'slow' }), SLOW_MS),
      setTimeout(() => this.#dispatch({ type: 'waiting' }), WAITING_MS),
    ]
    const end = (): void => timers.forEach(clearTimeout)
    signal.addEventListener('abort', end)
    const ask: Ask = <R>(method: string, ...params: readonly unknown[]) => request<R>(method, params, signal)
    const event = await question(ask, signal).then(answer, failure)
    end()
    if (signal.aborted) return
    this.#dispatch(event)
    this.#running = undefined
    const next = this.#next
    this.#next = undefined
    if (next !== undefined && this.#key !== undefined) this.ask(this.#key, next)
  }
}

function answer<T>(data: T | null | undefined): QueryEvent<T> {
  return { type: 'answered', data }
}

function failure(error: unknown): QueryEvent<never> {
  const cause = error instanceof Error ? error : new Error(String(error))
  if (isRefusal(cause)) return { type: 'failed', phase: 'refused', error: cause }
  const isAway = cause instanceof ConnectionError || cause instanceof UnauthorizedError
  return { type: 'failed', phase: isAway ? 'disconnected' : 'failed', error: cause }
}

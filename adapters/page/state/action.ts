/**
 * Actions of readers that change the node, in contrast to their questions.
 * @module
 */
import { useState } from 'preact/hooks'
import { refusalAdvice } from '../rpc/capabilities.ts'
import { isRefusal } from '../rpc/errors.ts'
import { notify } from './announcer.ts'
import { refreshHead } from './live.ts'
import { capabilities, request } from './node.ts'

export interface Action {
  readonly isBusy: boolean
  /** Why the last attempt failed. */
  readonly error: string | undefined
  /** @param work returns what is told to the reader; nothing for work that shows its result itself */
  readonly run: (work: () => Promise<string | undefined>) => void
}

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const run = async (work: () => Promise<string | undefined>): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      const done = await work()
      if (done !== undefined) notify(done)
      refreshHead()
    } catch (cause) {
      setError(reasonOf(cause))
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, error, run: (work) => void run(work) }
}

/** The error as the node gave it; for a method that is missing, the option that allows it. */
export function reasonOf(error: unknown): string {
  if (isRefusal(error)) return refusalAdvice(capabilities.value, error.method)
  return error instanceof Error ? error.message : String(error)
}

/**
 * Sends a request under the first of several names that the node knows.
 * @param methods names of one method at different clients, with the same parameters
 */
export async function requestFirst<T>(methods: readonly string[], params: readonly unknown[]): Promise<T> {
  for (const [i, method] of methods.entries()) {
    try {
      return await request<T>(method, params)
    } catch (error) {
      if (!isRefusal(error) || i === methods.length - 1) throw error
    }
  }
  throw new RangeError('methods is empty')
}

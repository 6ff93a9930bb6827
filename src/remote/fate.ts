import type { RemoteCall } from './call.ts'
import type { RemoteResult } from './contract.ts'
import { rateLimited, shortened, unavailable } from './errors.ts'

export interface RetryRules {
  /** Attempts after the first one. */
  readonly retries: number
  /** Time after which no further attempt begins, milliseconds. */
  readonly mostMs: number
}

/** The end of a call that no address is left for. */
export type Fate =
  /** It is sent again after a delay. */
  | { readonly kind: 'again' }
  /** Another address may answer yet. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'answer'; readonly result: RemoteResult }
  | { readonly kind: 'failure'; readonly error: Error }

/** @param now monotonic @param noAddress why no address is in use, if so */
export function fateOf(call: RemoteCall, { retries, mostMs }: RetryRules, now: number, noAddress: string): Fate {
  const failures = [...call.failures.values()]
  const mayRetry = call.rounds < retries && failures.some(({ isFinal }) => !isFinal)
  if (call.isAnywhere) return { kind: mayRetry ? 'again' : 'wait' }
  const refusals = failures.flatMap(({ refusal }) => refusal ?? [])
  const [refusal] = refusals
  if (refusal !== undefined && refusals.length === failures.length) return { kind: 'answer', result: refusal }
  if (mayRetry && now - (call.firstSentMs ?? now) < mostMs) return { kind: 'again' }
  return { kind: 'failure', error: errorOf(call, noAddress) }
}

function errorOf({ failures }: RemoteCall, noAddress: string): Error {
  if (failures.size === 0) return unavailable(noAddress)
  const reasons = [...failures].map(([{ origin }, { reason }]) => `${origin}: ${shortened(reason)}`).join('; ')
  return [...failures.values()].every(({ isLimit }) => isLimit) ? rateLimited(reasons) : unavailable(reasons)
}

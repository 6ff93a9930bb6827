import type { TransportAnswer } from '../base/ports/remoteTransport.ts'
import { isBatchRefusal, isRateLimit } from './refusals.ts'
import { type Member, type ReadAnswer, readAnswer } from './wire.ts'

/** The meaning of an answer for everything that was sent with it. */
export type Verdict =
  | { readonly kind: 'members'; readonly members: ReadonlyMap<number, Member> }
  /** @property isOverload the remote has too much to do, or has failed */
  | {
      readonly kind: 'limited'
      readonly reason: string
      readonly retryAfterMs?: number | undefined
      readonly isOverload?: boolean
    }
  /** Of a batch. @property most size that the remote allows, if it says so */
  | { readonly kind: 'batchTooLarge'; readonly most: number | undefined }
  | { readonly kind: 'batchesRefused' }
  /** @property isFinal another attempt would not help */
  | { readonly kind: 'failed'; readonly reason: string; readonly isFinal: boolean }

/** Statuses that do not depend on the size of a batch: keys, paths, proxies. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 404, 407, 410])
/** Statuses of servers that cannot read a list of requests. */
const CONFUSED_STATUSES: ReadonlySet<number> = new Set([400, 405, 406, 415, 422, 500, 501])

/** @param count requests with the ids from `firstId` */
export function verdictOf(answer: TransportAnswer, firstId: number, count: number): Verdict {
  const { status, retryAfterMs, text } = answer
  if (status === 429 || status === 503)
    return { kind: 'limited', reason: `HTTP ${status}`, retryAfterMs, isOverload: status === 503 }
  const isOk = status >= 200 && status < 300
  const read = readAnswer(text, firstId, count)
  // Some gateways answer the first request of a batch only.
  if (read.kind === 'members' && count > 1 && !read.isList) return { kind: 'batchesRefused' }
  if (read.kind === 'members' && (isOk || read.members.size > 0)) return read
  if (read.kind === 'refusal') return refusalVerdict(read, answer, firstId, count)
  if (count > 1 && status === 413) return { kind: 'batchTooLarge', most: undefined }
  if (count > 1 && (isOk || CONFUSED_STATUSES.has(status))) return { kind: 'batchesRefused' }
  if (isOk) return { kind: 'failed', reason: 'the answer is not JSON-RPC', isFinal: false }
  return { kind: 'failed', reason: statusText(status), isFinal: isFinal(status) }
}

function refusalVerdict(
  { error, isProper }: ReadAnswer & { readonly kind: 'refusal' },
  { status, retryAfterMs }: TransportAnswer,
  firstId: number,
  count: number,
): Verdict {
  if (isRateLimit(error)) return { kind: 'limited', reason: error.message, retryAfterMs }
  if (FINAL_STATUSES.has(status))
    return { kind: 'failed', reason: `${statusText(status)}, ${error.message}`, isFinal: true }
  if (count > 1)
    return isBatchRefusal(error) || status === 413
      ? { kind: 'batchTooLarge', most: allowedBatch(error.message, count) }
      : { kind: 'batchesRefused' }
  // An answer that is not JSON-RPC comes from a gateway, which says nothing about the request.
  return isProper
    ? { kind: 'members', members: new Map([[firstId, { kind: 'error', error }]]) }
    : { kind: 'failed', reason: error.message, isFinal: false }
}

/** A limit is the smallest number of such a message: "batch of 100 exceeds 10". @returns undefined without one */
export function allowedBatch(message: string, count: number): number | undefined {
  const numbers = [...message.matchAll(/\b\d{1,4}\b/g)].map(([digits]) => Number(digits))
  const allowed = numbers.filter((number) => number > 0 && number < count)
  return allowed.length === 0 ? undefined : Math.min(...allowed)
}

function isFinal(status: number): boolean {
  return FINAL_STATUSES.has(status) || (status >= 300 && status < 400)
}

function statusText(status: number): string {
  return status < 200 || (status >= 300 && status < 400) ? `HTTP ${status}, a redirection` : `HTTP ${status}`
}

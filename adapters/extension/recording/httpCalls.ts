/**
 * JSON-RPC in the network log of the developer tools.
 * @module
 */
import { MAX_RECORDED_VALUE_BYTES } from '../../../src/base/limits/limits.ts'
import type { RecordedCall } from '../../../src/replay/recording.ts'
import { errorOf } from './recorder.ts'

/** The parts of an entry of a HAR file that are read. */
export interface HttpEntry {
  readonly startedDateTime: string
  /** in ms */
  readonly time: number
  readonly request: {
    readonly method: string
    readonly url: string
    readonly postData?: { readonly text?: string }
  }
}

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

/** Requests of a batch that are kept. */
const MAX_BATCH = 1000

/**
 * @param answer text of the body; undefined when the browser does not have it
 * @param batch number of this HTTP request
 * @returns the calls of the request; none when it is no JSON-RPC
 */
export function callsOf(entry: HttpEntry, answer: string | undefined, batch: number): RecordedCall[] {
  const { method, url, postData } = entry.request
  if (method !== 'POST' || postData?.text === undefined) return []
  const requests = messagesOf(postData.text).filter(({ method: name }) => typeof name === 'string')
  if (requests.length === 0) return []
  const answers = new Map(messagesOf(answer ?? '').map((message) => [message.id, message]))
  const common = {
    transport: 'http',
    provider: plainAddress(url),
    at: Date.parse(entry.startedDateTime) || 0,
    durationMs: entry.time,
    batch,
  } as const
  return requests.slice(0, MAX_BATCH).map((request) => ({
    ...common,
    method: String(request.method),
    params: (typeof request.params === 'object' && request.params !== null ? request.params : []) as never[],
    ...outcomeOf(answers.get(request.id)),
  }))
}

function outcomeOf(answer: Message | undefined): Pick<RecordedCall, 'result' | 'error' | 'size' | 'omitted'> {
  if (answer === undefined) return { omitted: 'length' }
  const text = JSON.stringify(answer.error ?? answer.result ?? null)
  if (text.length > MAX_RECORDED_VALUE_BYTES) return { size: text.length, omitted: 'length' }
  if (answer.error !== undefined) return { size: text.length, error: errorOf(answer.error) }
  return { size: text.length, result: answer.result ?? null }
}

function messagesOf(text: string): Message[] {
  try {
    const value: unknown = JSON.parse(text)
    return [value].flat().filter((item): item is Message => typeof item === 'object' && item !== null)
  } catch {
    return []
  }
}

/** Paths and queries of providers often hold keys. */
function plainAddress(url: string): string {
  return URL.parse(url)?.origin ?? 'unknown address'
}

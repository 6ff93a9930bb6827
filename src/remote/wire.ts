/**
 * Requests and answers of JSON-RPC as texts. An answer is believed only as far as it has the form of one.
 * @module
 */
import { MAX_REMOTE_JSON_DEPTH } from '../base/limits/limits.ts'
import type { RemoteError } from './contract.ts'
import { shortened } from './errors.ts'

/** A request without its id: `"method":…,"params":…`. */
export function requestText(method: string, params: readonly unknown[]): string {
  return `"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}`
}

/**
 * @param texts of {@link requestText}, in the order of the ids
 * @returns one request, or a batch of several
 */
export function bodyOf(texts: readonly string[], firstId: number): string {
  const requests = texts.map((text, i) => `{"jsonrpc":"2.0","id":${firstId + i},${text}}`)
  return requests.length === 1 ? (requests[0] as string) : `[${requests.join(',')}]`
}

/** The part of an answer that belongs to one request. */
export type Member =
  | { readonly kind: 'result'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: RemoteError }
  | { readonly kind: 'malformed' }

export type ReadAnswer =
  /** By id; those of other requests are left out. @property isList as the answer to a batch has to be */
  | { readonly kind: 'members'; readonly members: ReadonlyMap<number, Member>; readonly isList: boolean }
  /** One error for everything that was sent. @property isProper in the form of JSON-RPC */
  | { readonly kind: 'refusal'; readonly error: RemoteError; readonly isProper: boolean }
  | { readonly kind: 'malformed' }

/** @param text of an answer to the requests with the ids from `firstId` to `firstId + count - 1` */
export function readAnswer(text: string, firstId: number, count: number): ReadAnswer {
  const json = parsed(text)
  if (typeof json !== 'object' || json === null) return { kind: 'malformed' }
  const members = new Map<number, Member>()
  for (const item of Array.isArray(json) ? (json as readonly unknown[]) : [json]) {
    const id = idOf(item)
    if (id === undefined || id < firstId || id >= firstId + count || members.has(id)) continue
    members.set(id, memberOf(item as Readonly<Record<string, unknown>>))
  }
  const isList = Array.isArray(json)
  if (isList || members.size > 0 || hasForeignId(json)) return { kind: 'members', members, isList }
  const error = refusalOf(json as Readonly<Record<string, unknown>>)
  const isProper = (json as { jsonrpc?: unknown }).jsonrpc === '2.0'
  return error === undefined ? { kind: 'malformed' } : { kind: 'refusal', error, isProper }
}

function parsed(text: string): unknown {
  if (!isShallow(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether no value is nested so deeply that code which follows it would run out of stack. */
function isShallow(text: string): boolean {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === QUOTE) i = endOfString(text, i)
    else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) {
      if (++depth > MAX_REMOTE_JSON_DEPTH) return false
    } else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) depth--
  }
  return true
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** @returns position of the closing quote, or the length of the text */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}

/** Some gateways return the id as a text. */
function idOf(item: unknown): number | undefined {
  const id = typeof item === 'object' && item !== null ? (item as { id?: unknown }).id : undefined
  if (typeof id === 'number') return id
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : undefined
}

/** The answer to another request. A refusal of everything has no id, or null. */
function hasForeignId(json: object): boolean {
  const { id } = json as { id?: unknown }
  return id !== undefined && id !== null
}

function memberOf(item: Readonly<Record<string, unknown>>): Member {
  const error = item['error'] === undefined || item['error'] === null ? undefined : errorOf(item['error'])
  if (error !== undefined) return { kind: 'error', error }
  if (item['jsonrpc'] !== '2.0' || item['result'] === undefined) return { kind: 'malformed' }
  return { kind: 'result', value: item['result'] }
}

function errorOf(value: unknown): RemoteError | undefined {
  if (typeof value === 'string') return { code: 0, message: shortened(value) }
  if (typeof value !== 'object' || value === null) return undefined
  const { code, message, data } = value as Readonly<Record<string, unknown>>
  if (typeof code !== 'number' || typeof message !== 'string') return undefined
  return { code, message: shortened(message), ...(data === undefined ? {} : { data }) }
}

/** Gateways refuse in forms of their own: `{"error": {…}}`, `{"error": "…"}`, `{"code": 429, "message": "…"}`. */
function refusalOf(json: Readonly<Record<string, unknown>>): RemoteError | undefined {
  return errorOf(json['error']) ?? errorOf(json)
}

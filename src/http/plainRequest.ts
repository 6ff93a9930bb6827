/**
 * Reads the header lines of the most common JSON-RPC requests without the general parser of node:http. Everything that
 * is unusual, ambiguous or invalid is left to that parser.
 * @module
 */
import type { RequestFacts } from './policy.ts'

/** Header lines of a request whose body has a known length. */
export interface PlainHead {
  readonly facts: RequestFacts
  readonly contentLength: number
  readonly acceptEncoding: string | undefined
}

const REQUEST_LINE = 'POST / HTTP/1.1\r\n'
/** A name and a value of visible ASCII. */
const HEADER = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([ -~\t]*?)[ \t]*$/
const LENGTH = /^\d{1,9}$/

/** Headers that are interpreted; each may occur once. */
const READ: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'accept',
  'authorization',
  'content-length',
  'accept-encoding',
  'connection',
])
/** Headers that change how the request or its connection is read, or say that a page asks. */
const UNUSUAL: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'te',
  'trailer',
  'keep-alive',
  'proxy-connection',
  'sec-fetch-site',
])

/**
 * @param text request line and header lines, without the empty line
 * @returns undefined for a request that is not this simple, valid or not
 */
export function readPlainHead(text: string): PlainHead | undefined {
  if (!text.startsWith(REQUEST_LINE)) return undefined
  const headers = new Map<string, string>()
  for (const line of text.slice(REQUEST_LINE.length).split('\r\n')) {
    const match = HEADER.exec(line)
    if (match === null) return undefined
    const name = (match[1] as string).toLowerCase()
    if (UNUSUAL.has(name)) return undefined
    if (!READ.has(name)) continue
    if (headers.has(name)) return undefined
    headers.set(name, match[2] as string)
  }
  const [length, host] = [headers.get('content-length'), headers.get('host')]
  if (length === undefined || !LENGTH.test(length) || host === undefined) return undefined
  const connection = headers.get('connection')
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return undefined
  return {
    facts: {
      method: 'POST',
      path: '/',
      host,
      origin: headers.get('origin'),
      accept: headers.get('accept'),
      authorization: headers.get('authorization'),
      contentLength: length,
      requestedMethod: undefined,
      fetchSite: undefined,
    },
    contentLength: Number(length),
    acceptEncoding: headers.get('accept-encoding'),
  }
}

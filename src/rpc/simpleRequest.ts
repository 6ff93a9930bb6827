/**
 * Parses the most common requests and batches without the general parser: compact JSON of printable ASCII; each member of
 * JSON-RPC once; parameters that are plain strings, booleans or null, or objects of these.
 * @module
 */

/** A valid request object that is not a notification. */
export interface RpcRequest {
  /** JSON text */
  readonly id: string
  readonly method: string
  readonly params: readonly unknown[]
}

export const NO_PARAMS: readonly unknown[] = []

const SPACE = 32
const QUOTE = 34
const COMMA = 44
const ZERO = 48
const NINE = 57
const COLON = 58
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125
const LAST_PRINTABLE = 126

/** Longer requests use the general parser, which is equally fast for them. */
const MAX_LENGTH = 1024
/** A text that the node keeps, such as a name that a client gives, keeps the text of its whole batch in memory. */
const MAX_BATCH_LENGTH = 32_768
/** Integers with more digits may not be echoed by their text alone. */
const MAX_ID_DIGITS = 15

/** @returns undefined for a request that is not this simple, valid or not */
export function readSimpleRequest(text: string): RpcRequest | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const request = readRequest(text, 0)
  return request?.end === text.length ? request : undefined
}

/**
 * @param methods by name
 * @returns undefined for a batch that is empty or not this simple, and for an unknown method
 */
export function readSimpleBatch(
  text: string,
  methods: ReadonlyMap<string, { readonly name: string }>,
): RpcRequest[] | undefined {
  if (text.length > MAX_BATCH_LENGTH || text.charCodeAt(0) !== OPEN_BRACKET) return undefined
  const requests: RpcRequest[] = []
  let at = 1
  for (;;) {
    const request = readRequest(text, at)
    if (request === undefined) return undefined
    const method = methods.get(request.method)
    if (method === undefined) return undefined
    // The log keeps the name for a while; as a part of the text, it would keep the whole batch in memory.
    request.method = method.name
    requests.push(request)
    const next = text.charCodeAt(request.end)
    if (next === CLOSE_BRACKET) return request.end + 1 === text.length ? requests : undefined
    if (next !== COMMA) return undefined
    at = skipSpace(text, request.end + 1)
  }
}

interface SimpleRequest {
  readonly id: string
  method: string
  readonly params: readonly unknown[]
  /** Position in the text after the request. */
  readonly end: number
}

function readRequest(text: string, start: number): SimpleRequest | undefined {
  if (text.charCodeAt(start) !== OPEN_BRACE) return undefined
  let id: string | undefined
  let method: string | undefined
  let params: readonly unknown[] | undefined
  let hasVersion = false
  let at = start + 1
  for (;;) {
    let end: number
    if (method === undefined && text.startsWith('"method":', at)) {
      const value = skipSpace(text, at + 9)
      end = stringEnd(text, value)
      method = text.slice(value + 1, end - 1)
    } else if (id === undefined && text.startsWith('"id":', at)) {
      const value = skipSpace(text, at + 5)
      end = text.charCodeAt(value) === QUOTE ? stringEnd(text, value) : integerEnd(text, value)
      id = text.slice(value, end)
    } else if (params === undefined && text.startsWith('"params":', at)) {
      const values: unknown[] = []
      end = readArray(text, skipSpace(text, at + 9), values)
      params = values
    } else if (!hasVersion && text.startsWith('"jsonrpc":', at)) {
      const value = skipSpace(text, at + 10)
      end = text.startsWith('"2.0"', value) ? value + 5 : 0
      hasVersion = true
    } else return undefined
    if (end === 0) return undefined
    const next = text.charCodeAt(end)
    if (next === CLOSE_BRACE) {
      if (id === undefined || method === undefined) return undefined
      return { id, method, params: params ?? NO_PARAMS, end: end + 1 }
    }
    if (next !== COMMA) return undefined
    at = skipSpace(text, end + 1)
  }
}

/** Skips the single space that some languages write after a colon or comma. */
function skipSpace(text: string, at: number): number {
  return text.charCodeAt(at) === SPACE ? at + 1 : at
}

/** @returns the position after the closing quote; 0 for anything but a simple string */
function stringEnd(text: string, start: number): number {
  if (text.charCodeAt(start) !== QUOTE) return 0
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) return at + 1
    if (char < SPACE || char > LAST_PRINTABLE || char === BACKSLASH) return 0
  }
  return 0
}

/** @returns the position after the digits; 0 for anything but a short integer */
function integerEnd(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) >= ZERO && text.charCodeAt(at) <= NINE) at++
  const digits = at - start
  if (digits === 0 || digits > MAX_ID_DIGITS) return 0
  return digits > 1 && text.charCodeAt(start) === ZERO ? 0 : at
}

/** @returns the position after the closing bracket; 0 for anything but an array of simple values */
function readArray(text: string, start: number, values: unknown[]): number {
  if (text.charCodeAt(start) !== OPEN_BRACKET) return 0
  if (text.charCodeAt(start + 1) === CLOSE_BRACKET) return start + 2
  let at = start + 1
  for (;;) {
    const end = text.charCodeAt(at) === OPEN_BRACE ? readObject(text, at, values) : readScalar(text, at, values)
    if (end === 0) return 0
    const next = text.charCodeAt(end)
    if (next === CLOSE_BRACKET) return end + 1
    if (next !== COMMA) return 0
    at = skipSpace(text, end + 1)
  }
}

/** @returns the position after the closing brace; 0 for anything but an object of simple values */
function readObject(text: string, start: number, values: unknown[]): number {
  const object: Record<string, unknown> = {}
  let at = start + 1
  for (;;) {
    const keyEnd = stringEnd(text, at)
    const key = text.slice(at + 1, keyEnd - 1)
    // `__proto__` cannot be assigned as a member.
    if (keyEnd === 0 || text.charCodeAt(keyEnd) !== COLON || key === '__proto__') return 0
    const end = readScalar(text, skipSpace(text, keyEnd + 1), values)
    if (end === 0) return 0
    object[key] = values.pop()
    const next = text.charCodeAt(end)
    if (next === CLOSE_BRACE) {
      values.push(object)
      return end + 1
    }
    if (next !== COMMA) return 0
    at = skipSpace(text, end + 1)
  }
}

/** @returns the position after the value; 0 for anything but a simple value */
function readScalar(text: string, at: number, values: unknown[]): number {
  const end = stringEnd(text, at)
  if (end === 0) return readWord(text, at, values)
  values.push(text.slice(at + 1, end - 1))
  return end
}

function readWord(text: string, at: number, values: unknown[]): number {
  if (text.startsWith('true', at)) {
    values.push(true)
    return at + 4
  }
  if (text.startsWith('false', at)) {
    values.push(false)
    return at + 5
  }
  if (!text.startsWith('null', at)) return 0
  values.push(null)
  return at + 4
}

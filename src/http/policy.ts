/**
 * Decides about an HTTP request before its body is read. Pure, and shared by every runtime and by both request paths on
 * Node. Order: host, origin, path and method, length.
 * @module
 */

import { MAX_HTTP_BODY_BYTES } from '../base/limits/limits.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { normalHost, splitHostPort } from '../base/primitives/hostPort.ts'
import type { ConnectionPeer } from '../rpc/requestContext.ts'
import { acceptsHtml, acceptsJson } from './accept.ts'
import { bearerToken } from './access/bearer.ts'
import { isOwnOrigin } from './ownOrigin.ts'
import { hostRefusal, originRefusal, type Refusal, refusalText } from './refusal.ts'

/** The parts of a request that the decision depends on. Headers are undefined when absent. */
export interface RequestFacts {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly host: string | undefined
  readonly origin: string | undefined
  readonly accept: string | undefined
  readonly authorization: string | undefined
  readonly contentLength: string | undefined
  /** `Access-Control-Request-Method`; with an origin and OPTIONS the request is a preflight. */
  readonly requestedMethod: string | undefined
  /** `Sec-Fetch-Site`: browsers say whether a page of another site has asked, also where they send no origin. */
  readonly fetchSite: string | undefined
}

export type Headers = Readonly<Record<string, string>>

export type RouteName = 'rpc' | 'liveness' | 'readiness' | 'login' | 'graphql' | 'graphiql' | 'other'

/** The route to serve, with headers for the response; or the complete response. */
export type Decision = { readonly kind: RouteName; readonly headers: Headers } | Answer

export interface Answer {
  readonly kind: 'answer'
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Headers for the responses to a request from an allowed host and origin. */
export interface Admission {
  readonly headers: Headers
  /** With the content type of JSON. */
  readonly jsonHeaders: Headers
}

export interface HttpPolicyOptions {
  /** Host names and addresses without ports; `*` or `all` allows any. Default: localhost and its two addresses. */
  readonly hosts?: readonly string[]
  /** Whether only requests for the server's own host names arrive, so that any may be allowed. */
  readonly areHostsRouted?: boolean
  /** Regular expressions, one of which must match the whole origin; `*` or `all` allows any. Default: none. */
  readonly corsOrigins?: readonly string[]
  /** Option that sets the origins, for messages. */
  readonly originsOption?: string
  /** Called for each request that is refused because of its host or origin. */
  readonly onRefused?: (refusal: Refusal) => void
  /** Text for people: refusals name the option that would allow the request, and `GET /` is answered with `welcome`. */
  readonly texts?: PolicyTexts
  readonly maxBodyBytes?: number
  /** Chooses the route of a request that passes the checks of host and origin; default: those of JSON-RPC. */
  readonly route?: ChooseRoute
  /** Whether an RPC request without a token is refused before its body is read. */
  readonly tokenRequired?: boolean
  /** Called for each RPC request that is refused because it has no token. */
  readonly onTokenMissing?: (peer: ConnectionPeer | undefined) => void
  /** Whether callers may send tokens. */
  readonly acceptsTokens?: boolean
  /** Whether the endpoint is served over TLS. */
  readonly isSecure?: boolean
  /** Whether browsers get a page, which may then call: its origin is the one that its Host header names. */
  readonly hasPage?: boolean
}

/** @param headers that the response must have */
export type ChooseRoute = (facts: RequestFacts, headers: Headers) => Decision

export interface PolicyTexts {
  /** @param url of the endpoint, as the client knows it */
  welcome(url: string): string
}

const JSON_HEADERS: Headers = { 'Content-Type': 'application/json' }
const NO_HEADERS: Headers = {}
const NO_ORIGIN: Admission = { headers: NO_HEADERS, jsonHeaders: JSON_HEADERS }
const ANY = new Set(['*', 'all'])
const DEFAULT_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '::1']

export const NOT_FOUND_BODY = '<html><body><h1>Resource not found</h1></body></html>'

export class HttpPolicy {
  readonly maxBodyBytes: number
  /** undefined: any. */
  readonly #hosts: ReadonlySet<string> | undefined
  readonly #origins: RegExp | undefined
  readonly #tokenRequired: boolean
  readonly #options: HttpPolicyOptions
  /** The last allowed Host header: clients usually send the same one. */
  #allowedHost: string | undefined
  #allowedOrigin: (Admission & { readonly origin: string }) | undefined
  /** The last Host header of a request from its own origin, and that origin. */
  #own: { readonly host: string; readonly origin: string } | undefined

  /** @throws {NodeError} INVALID_OPTION when an origin is not a regular expression */
  constructor(options: HttpPolicyOptions = {}) {
    this.#options = options
    const hosts = options.hosts ?? DEFAULT_HOSTS
    this.#hosts = hosts.some((host) => ANY.has(host)) ? undefined : new Set(hosts.map(normalHost))
    this.#origins = originPattern(options.corsOrigins ?? [], options.originsOption ?? ORIGINS_OPTION)
    this.maxBodyBytes = options.maxBodyBytes ?? MAX_HTTP_BODY_BYTES
    this.#tokenRequired = options.tokenRequired ?? false
  }

  /**
   * Decides about a request to JSON-RPC.
   * @param peer undefined on hosts that do not know it
   */
  decide(facts: RequestFacts, peer?: ConnectionPeer): Decision {
    const admitted = this.admit(facts)
    if ('kind' in admitted) return admitted
    const decision = this.#route(facts, admitted.headers, admitted.jsonHeaders)
    if (decision.kind === 'answer' && decision.status === 401) this.#options.onTokenMissing?.(peer)
    return decision
  }

  /**
   * Decides by host and origin alone; endpoints with other routes continue from here.
   * @returns headers for the response, or the complete response
   */
  admit(facts: Pick<RequestFacts, 'method' | 'host' | 'origin' | 'requestedMethod'>): Admission | Answer {
    if (this.#isList(facts.host)) return SEVERAL_HOSTS
    if (!this.#isHostAllowed(facts.host)) return this.#refuseHost(facts.host)
    const { origin } = facts
    if (origin === undefined || this.#isOwn(origin, facts.host)) return NO_ORIGIN
    const cors = this.#corsHeaders(origin)
    if (cors === undefined) return this.#refuseOrigin(origin)
    return facts.method === 'OPTIONS' && facts.requestedMethod !== undefined ? this.#preflight(cors.headers) : cors
  }

  /** The refusal of a WebSocket upgrade, regardless of its path; undefined when it is allowed. */
  refuseUpgrade({ host, origin }: Pick<RequestFacts, 'host' | 'origin'>): Answer | undefined {
    if (this.#isList(host)) return SEVERAL_HOSTS
    if (!this.#isHostAllowed(host)) return this.#refuseHost(host)
    if (origin === undefined || this.#isOwn(origin, host)) return undefined
    return this.#corsHeaders(origin) === undefined ? this.#refuseOrigin(origin) : undefined
  }

  /** The response to a body that is longer than announced or allowed. */
  tooLarge(headers: Headers): Answer {
    return answer(413, headers, 'Request Entity Too Large')
  }

  #route(facts: RequestFacts, headers: Headers, jsonHeaders: Headers): Decision {
    const { method, path } = facts
    if (this.#options.route !== undefined) return this.#chosen(this.#options.route(facts, headers), facts)
    switch (path) {
      case '/':
        if (method === 'POST') return this.#rpc(facts, jsonHeaders)
        return method === 'GET' ? this.#welcome(facts, headers) : methodNotAllowed(headers, 'GET, POST')
      case '/liveness':
        return method === 'GET' ? { kind: 'liveness', headers } : methodNotAllowed(headers, 'GET')
      case '/readiness':
        return method === 'GET' ? { kind: 'readiness', headers } : methodNotAllowed(headers, 'GET')
      case '/login':
        if (method !== 'POST') return methodNotAllowed(headers, 'POST')
        return this.#isTooLong(facts.contentLength) ? this.tooLarge(headers) : { kind: 'login', headers }
      default:
        return { kind: 'other', headers }
    }
  }

  #chosen(decision: Decision, { contentLength }: RequestFacts): Decision {
    return decision.kind !== 'answer' && this.#isTooLong(contentLength) ? this.tooLarge(decision.headers) : decision
  }

  #rpc(facts: RequestFacts, headers: Headers): Decision {
    if (!acceptsJson(facts.accept)) return answer(406, headers, '')
    if (this.#isTooLong(facts.contentLength)) return this.tooLarge(headers)
    if (this.#tokenRequired && bearerToken(facts.authorization) === undefined)
      return answer(401, headers, UNAUTHORIZED_BODY)
    return headers === JSON_HEADERS ? RPC : { kind: 'rpc', headers }
  }

  #welcome({ host = '', accept }: RequestFacts, headers: Headers): Decision {
    const { texts, hasPage } = this.#options
    if (hasPage === true && acceptsHtml(accept)) return { kind: 'other', headers }
    if (texts === undefined) return answer(201, headers, '')
    const scheme = this.#options.isSecure === true ? 'https' : 'http'
    const url = `${scheme}://${splitHostPort(host) === undefined ? 'localhost' : host}`
    return answer(200, { ...TEXT_HEADERS, ...headers }, texts.welcome(url))
  }

  /** The wildcard does not include `Authorization`. */
  #preflight(headers: Headers): Answer {
    const allowed = {
      'Access-Control-Allow-Headers':
        this.#options.acceptsTokens === true ? '*,content-type,authorization' : '*,content-type',
      'Access-Control-Allow-Methods': 'GET,POST,OPTIONS',
    }
    return answer(204, { ...headers, ...allowed }, '')
  }

  #refuseHost(host: string | undefined): Answer {
    const { hosts = DEFAULT_HOSTS, onRefused, texts } = this.#options
    const refusal = hostRefusal(host, hosts)
    onRefused?.(refusal)
    if (texts === undefined) return HOST_REFUSED
    return { ...HOST_REFUSED, body: JSON.stringify({ message: HOST_MESSAGE, hint: refusalText(refusal) }) }
  }

  #refuseOrigin(origin: string): Answer {
    const { corsOrigins = [], originsOption = ORIGINS_OPTION, onRefused, texts } = this.#options
    const refusal = originRefusal(origin, corsOrigins, originsOption)
    onRefused?.(refusal)
    return texts === undefined ? ORIGIN_REFUSED : { ...ORIGIN_REFUSED, body: refusalText(refusal) }
  }

  #isTooLong(contentLength: string | undefined): boolean {
    return contentLength !== undefined && Number(contentLength) > this.maxBodyBytes
  }

  /** Several Host headers arrive as a comma-separated list. */
  #isList(host: string | undefined): boolean {
    return host !== undefined && host !== this.#allowedHost && host.includes(',')
  }

  /** The port is not compared. */
  #isHostAllowed(host: string | undefined): boolean {
    if (this.#hosts === undefined) return true
    if (host === undefined) return false
    if (host === this.#allowedHost) return true
    const name = splitHostPort(host)?.host
    if (name === undefined || !this.#hosts.has(name)) return false
    this.#allowedHost = host
    return true
  }

  #isOwn(origin: string, host: string | undefined): boolean {
    const { hasPage, isSecure = false, areHostsRouted = false } = this.#options
    if (hasPage !== true || host === undefined) return false
    if (this.#own?.host === host && this.#own.origin === origin) return true
    const isHostChecked = areHostsRouted || this.#hosts !== undefined
    if (!isOwnOrigin(origin, host, { isSecure, isHostChecked })) return false
    this.#own = { host, origin }
    return true
  }

  #corsHeaders(origin: string): Admission | undefined {
    if (this.#allowedOrigin?.origin === origin) return this.#allowedOrigin
    if (this.#origins === undefined || !this.#origins.test(origin)) return undefined
    const headers: Headers = { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' }
    this.#allowedOrigin = { origin, headers, jsonHeaders: { ...JSON_HEADERS, ...headers } }
    return this.#allowedOrigin
  }
}

const RPC: Decision = { kind: 'rpc', headers: JSON_HEADERS }
const UNAUTHORIZED_BODY = '{"jsonrpc":"2.0","id":null,"error":{"code":-40100,"message":"Unauthorized"}}'
const ORIGINS_OPTION = 'cors-origins'
const TEXT_HEADERS: Headers = { 'Content-Type': 'text/plain; charset=utf-8' }
const HOST_MESSAGE = 'Host not authorized.'
const HOST_REFUSED: Answer = {
  kind: 'answer',
  status: 403,
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  body: JSON.stringify({ message: HOST_MESSAGE }),
}
/** @see RFC 9112 section 3.2 */
const SEVERAL_HOSTS: Answer = {
  kind: 'answer',
  status: 400,
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  body: '{"message":"More than one Host header."}',
}
const ORIGIN_REFUSED: Answer = {
  kind: 'answer',
  status: 403,
  headers: { ...TEXT_HEADERS, Vary: 'Origin' },
  body: 'Exception thrown handling RPC',
}

export function answer(status: number, headers: Headers, body: string): Answer {
  return { kind: 'answer', status, headers, body }
}

export function methodNotAllowed(headers: Headers, allow: string): Answer {
  return answer(405, { ...headers, Allow: allow }, '')
}

function originPattern(origins: readonly string[], option: string): RegExp | undefined {
  if (origins.length === 0) return undefined
  const pattern = origins.some((origin) => ANY.has(origin)) ? '.*' : origins.join('|')
  try {
    return new RegExp(`^(?:${pattern})$`)
  } catch (cause) {
    const message = `${option} is not a regular expression: ${pattern}`
    throw new NodeError({ code: 'INVALID_OPTION' }, message, { cause })
  }
}

/**
 * The HTTP interface as a Fetch handler. Workers and browsers call it directly; on Node, Deno and Bun it serves every
 * route but JSON-RPC.
 * @module
 */

import { type Context, Hono } from 'hono'
import type { Timers } from '../base/ports/timers.ts'
import { readBody } from './body.ts'
import type { LoginRoute } from './loginRoute.ts'
import { type Decision, type Headers, type HttpPolicy, NOT_FOUND_BODY, type RequestFacts } from './policy.ts'
import { type Health, readiness } from './readiness.ts'
import { type RequestConnection, UNKNOWN_CLIENT } from './requestConnection.ts'
import type { HttpExchange, HttpReply, OnPending } from './rpcExchange.ts'
import { streamBody } from './streamBody.ts'

export interface HttpAppOptions {
  readonly policy: HttpPolicy
  readonly exchange: HttpExchange
  readonly health: Health
  readonly timers: Timers
  /** `POST /login`; undefined: there is no login. */
  readonly login?: LoginRoute | undefined
  /** Further routes; they receive requests that pass the checks of host and origin and match no route above. */
  readonly routes?: Pick<Hono, 'fetch'>
}

/** Reason for an abort when the client disconnects. */
const CLIENT_GONE = 'the client disconnected'

export function createHttpApp(options: HttpAppOptions): Hono {
  const { policy, exchange, timers } = options

  async function rpc(context: Context): Promise<Response> {
    const request = context.req.raw
    const decision = policy.decide(factsOf(request, '/'), connectionOf(context))
    if (decision.kind !== 'rpc') return respond(context, decision)
    const body = await readBody(request, policy.maxBodyBytes)
    if (body === 'aborted') return new Response(null, { status: 400 })
    if (body === 'too large') return respond(context, policy.tooLarge(decision.headers))
    const onPending: OnPending = (pending) => {
      const abort = (): void => pending.abort(new DOMException(CLIENT_GONE, 'AbortError'))
      if (request.signal.aborted) abort()
      else request.signal.addEventListener('abort', abort, { once: true })
    }
    const reply = await exchange.handle({
      body,
      authorization: request.headers.get('authorization') ?? undefined,
      onPending,
      rate: connectionOf(context)?.rate,
      peer: connectionOf(context),
    })
    return toResponse(reply, decision.headers, timers)
  }

  function respond(context: Context, decision: Decision): Response | Promise<Response> {
    const { headers } = decision
    switch (decision.kind) {
      case 'answer':
        return new Response(decision.body === '' ? null : decision.body, { status: decision.status, headers })
      case 'liveness':
        return new Response('{"status":"UP"}', { headers })
      case 'readiness': {
        const { status, body } = readiness(options.health, new URL(context.req.url).searchParams)
        return new Response(body, { status, headers })
      }
      case 'login':
        if (options.login !== undefined) {
          const client = connectionOf(context)?.client ?? UNKNOWN_CLIENT
          return withHeaders(options.login(context.req.raw, client), headers)
        }
        return new Response(null, { status: 400, statusText: 'Authentication not enabled', headers })
      default:
        return other(context, headers)
    }
  }

  async function other(context: Context, headers: Headers): Promise<Response> {
    if (options.routes !== undefined) return withHeaders(options.routes.fetch(context.req.raw, context.env), headers)
    return new Response(NOT_FOUND_BODY, {
      status: 404,
      headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers },
    })
  }

  const app = new Hono()
  app.post('/', rpc)
  app.notFound((context) => {
    const request = context.req.raw
    return respond(context, policy.decide(factsOf(request, context.req.path)))
  })
  return app
}

function connectionOf(context: Context): RequestConnection | undefined {
  return (context.env as { readonly connection?: RequestConnection } | undefined)?.connection
}

export function factsOf({ method, headers, url }: Request, path: string): RequestFacts {
  return {
    method,
    path,
    host: headers.get('host') ?? hostOf(url),
    origin: headers.get('origin') ?? undefined,
    accept: headers.get('accept') ?? undefined,
    authorization: headers.get('authorization') ?? undefined,
    contentLength: headers.get('content-length') ?? undefined,
    requestedMethod: headers.get('access-control-request-method') ?? undefined,
    fetchSite: headers.get('sec-fetch-site') ?? undefined,
  }
}

/** A request created within the process has no Host header; its URL contains the host. */
function hostOf(url: string): string {
  return new URL(url).host
}

function toResponse({ status, body, stream }: HttpReply, headers: Headers, timers: Timers): Response {
  if (stream !== undefined) return new Response(streamBody(stream, timers), { status, headers })
  if (status === 504) return new Response(null, { status, headers: { ...headers, Connection: 'close' } })
  return new Response(body, { status, headers })
}

async function withHeaders(response: Response | Promise<Response>, headers: Headers): Promise<Response> {
  const answered = await response
  const names = Object.keys(headers)
  if (names.length === 0) return answered
  const merged = new Response(answered.body, answered)
  for (const name of names) merged.headers.set(name, headers[name] as string)
  return merged
}

/**
 * The HTTP interface of GraphQL, for every runtime.
 * @module
 */
import type { WebAssets } from '../base/ports/webAssets.ts'
import { factsOf } from './app.ts'
import { readBody } from './body.ts'
import { GraphiqlPage } from './graphiqlPage.ts'
import type { Decision, Headers, HttpPolicy } from './policy.ts'
import type { RequestConnection } from './requestConnection.ts'
import type { HttpExchange } from './rpcExchange.ts'

export interface GraphqlAppOptions {
  readonly policy: HttpPolicy
  readonly exchange: HttpExchange
  /** Files of GraphiQL; undefined: the page names the packages to install. */
  readonly assets?: WebAssets | undefined
}

export function createGraphqlFetch({
  policy,
  exchange,
  assets,
}: GraphqlAppOptions): (request: Request, connection?: RequestConnection) => Promise<Response> {
  const page = new GraphiqlPage(assets)

  async function graphql(
    request: Request,
    { pathname, search }: URL,
    headers: Headers,
    connection: RequestConnection | undefined,
  ): Promise<Response> {
    const body = request.method === 'GET' ? '' : await readBody(request, policy.maxBodyBytes)
    if (body === 'aborted') return new Response(null, { status: 400 })
    if (body === 'too large') return answered(policy.tooLarge(headers))
    const { method, signal } = request
    const contentType = request.headers.get('content-type')
    const target = {
      method,
      url: pathname + search,
      headers: contentType === null ? {} : { 'content-type': contentType },
    }
    const reply = await exchange.handle({
      body,
      authorization: request.headers.get('authorization') ?? undefined,
      onPending: (pending) => {
        const abort = (): void => pending.abort(new DOMException('the client disconnected', 'AbortError'))
        if (signal.aborted) abort()
        else signal.addEventListener('abort', abort, { once: true })
      },
      rate: connection?.rate,
      target,
    })
    if (reply.status === 504) return new Response(null, { status: 504, headers: { ...headers, Connection: 'close' } })
    const all = reply.status === 429 ? { ...headers, 'Retry-After': '1' } : headers
    return new Response(reply.body, { status: reply.status, headers: all })
  }

  return async (request, connection) => {
    const url = new URL(request.url)
    const decision = policy.decide(factsOf(request, url.pathname + url.search))
    switch (decision.kind) {
      case 'graphql':
        return graphql(request, url, decision.headers, connection)
      case 'graphiql':
        return page.respond(url.pathname, decision.headers)
      case 'answer':
        return answered(decision)
      default:
        return new Response(null, { status: 404, headers: decision.headers })
    }
  }
}

function answered({ status, headers, body }: Extract<Decision, { readonly kind: 'answer' }>): Response {
  return new Response(body === '' ? null : body, { status, headers })
}

/**
 * The HTTP interface of GraphQL, for every runtime.
 * @see reference: graphql section 1
 * @module
 */
import { HTTP_PROCESSING_TIMEOUT_MS } from '../config/limits.ts'
import type { GraphqlAnswers, GraphqlInput, GraphqlReply } from '../graphql/contract.ts'
import { inputOfBody, inputOfParameters } from '../graphql/requestInput.ts'
import type { Timers } from '../ports/timers.ts'
import type { WebAssets } from '../ports/webAssets.ts'
import { isNodeError } from '../primitives/errors.ts'
import { factsOf } from './app.ts'
import { readBody } from './body.ts'
import { GraphiqlPage } from './graphiqlPage.ts'
import type { Decision, Headers, HttpPolicy } from './policy.ts'

export interface GraphqlAppOptions {
  readonly policy: HttpPolicy
  /** Loads the service for the first request. */
  readonly load: () => Promise<GraphqlAnswers>
  readonly timers: Timers
  /** Time limit for one request; default 300 s. */
  readonly timeoutMs?: number
  /** Files of GraphiQL; undefined: the page names the packages to install. */
  readonly assets?: WebAssets | undefined
}

const CONTENT_TYPE: Headers = { 'Content-Type': 'application/json; charset=utf-8' }

type Fetch = (request: Request) => Promise<Response>

export function createGraphqlFetch(options: GraphqlAppOptions): Fetch {
  const { policy } = options
  const page = new GraphiqlPage(options.assets)
  let service: Promise<GraphqlAnswers> | undefined

  async function graphql(request: Request, url: URL, headers: Headers): Promise<Response> {
    const jsonHeaders = { ...CONTENT_TYPE, ...headers }
    const input = await readInput(request, url, policy)
    if (input === 'aborted') return new Response(null, { status: 400 })
    if (input === 'too large') return answered(policy.tooLarge(headers))
    if ('message' in input) {
      return new Response(JSON.stringify({ result: input.message }), { status: 400, headers: jsonHeaders })
    }
    service ??= options.load()
    const reply = await limited(await service, input, request.signal, options)
    if (reply === undefined) return new Response(null, { status: 504, headers: { ...headers, Connection: 'close' } })
    return new Response(reply.body, { status: reply.status, headers: jsonHeaders })
  }

  return async (request) => {
    const url = new URL(request.url)
    const decision = policy.decide(factsOf(request, url.pathname))
    switch (decision.kind) {
      case 'graphql':
        return graphql(request, url, decision.headers)
      case 'graphiql':
        // A link with a query asks for its result.
        return url.searchParams.has('query')
          ? graphql(request, url, decision.headers)
          : page.respond(url.pathname, decision.headers)
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

/** @returns a message when the request cannot be read */
async function readInput(
  request: Request,
  url: URL,
  policy: HttpPolicy,
): Promise<GraphqlInput | { readonly message: string } | 'too large' | 'aborted'> {
  try {
    if (request.method === 'GET') return inputOfParameters(url.searchParams)
    const body = await readBody(request, policy.maxBodyBytes)
    if (typeof body === 'string') return body
    return inputOfBody(new TextDecoder().decode(body), isJson(request.headers.get('content-type')))
  } catch (error) {
    if (isNodeError(error, 'INVALID_GRAPHQL_REQUEST')) return { message: error.message }
    throw error
  }
}

function isJson(contentType: string | null): boolean {
  return contentType !== null && /^application\/json\s*(?:;|$)/i.test(contentType.trim())
}

/** @returns undefined when the time limit was exceeded */
async function limited(
  service: GraphqlAnswers,
  input: GraphqlInput,
  client: AbortSignal,
  { timers, timeoutMs = HTTP_PROCESSING_TIMEOUT_MS }: GraphqlAppOptions,
): Promise<GraphqlReply | undefined> {
  const controller = new AbortController()
  const abort = (): void => controller.abort(new DOMException('the client disconnected', 'AbortError'))
  if (client.aborted) abort()
  client.addEventListener('abort', abort, { once: true })
  let hasExpired = false
  const timer = timers.schedule(timeoutMs, () => {
    hasExpired = true
    controller.abort(new DOMException('the request exceeded its time limit', 'TimeoutError'))
  })
  try {
    const reply = await service.answer(input, controller.signal)
    return hasExpired ? undefined : reply
  } finally {
    timer.cancel()
    client.removeEventListener('abort', abort)
  }
}

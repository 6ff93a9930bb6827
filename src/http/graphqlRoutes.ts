import { UNAUTHORIZED } from '../graphql/contract.ts'
import { acceptsHtml } from './accept.ts'
import { bearerToken } from './access/bearer.ts'
import { answer, type ChooseRoute, type Headers, methodNotAllowed, NOT_FOUND_BODY } from './policy.ts'

export const GRAPHQL_PATH = '/graphql'
/** Files of the GraphiQL page. */
export const GRAPHIQL_PATH = '/graphql/graphiql/'

const CONTENT_TYPE: Headers = { 'Content-Type': 'application/json; charset=utf-8' }

const CROSS_SITE = 'GraphQL requests from pages of other sites need an allowed origin.'

/**
 * @param hasPage whether browsers receive the GraphiQL page; it needs no token, unlike its requests
 * @param tokenRequired whether a request without a token is refused before its body is read
 */
export function graphqlRoutes(hasPage: boolean, tokenRequired = false): ChooseRoute {
  return ({ method, path, accept, authorization, origin, fetchSite }, headers) => {
    const [name = ''] = path.split('?', 1)
    if (name === '/') {
      if (method !== 'GET') return methodNotAllowed(headers, 'GET')
      return answer(308, { ...headers, Location: GRAPHQL_PATH }, '')
    }
    if (name === GRAPHQL_PATH) {
      if (method !== 'GET' && method !== 'POST') return methodNotAllowed(headers, 'GET, POST')
      // A link with a query asks for its result.
      const asksForPage = hasPage && method === 'GET' && acceptsHtml(accept) && !/[?&]query=/.test(path)
      if (asksForPage) return { kind: 'graphiql', headers }
      // Browsers send no origin with images and scripts, so the list of origins does not see them.
      if (origin === undefined && fetchSite === 'cross-site') return answer(403, headers, CROSS_SITE)
      const jsonHeaders = { ...CONTENT_TYPE, ...headers }
      return tokenRequired && bearerToken(authorization) === undefined
        ? answer(401, jsonHeaders, UNAUTHORIZED.body)
        : { kind: 'graphql', headers: jsonHeaders }
    }
    if (hasPage && name.startsWith(GRAPHIQL_PATH)) {
      return method === 'GET' ? { kind: 'graphiql', headers } : methodNotAllowed(headers, 'GET')
    }
    return answer(404, { ...headers, 'Content-Type': 'text/html; charset=utf-8' }, NOT_FOUND_BODY)
  }
}

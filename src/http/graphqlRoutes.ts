import { answer, type ChooseRoute, type Headers, methodNotAllowed, NOT_FOUND_BODY } from './policy.ts'

export const GRAPHQL_PATH = '/graphql'
/** Files of the GraphiQL page. */
export const GRAPHIQL_PATH = '/graphql/graphiql/'

const CONTENT_TYPE: Headers = { 'Content-Type': 'application/json; charset=utf-8' }

/** @param hasPage whether browsers receive the GraphiQL page */
export function graphqlRoutes(hasPage: boolean): ChooseRoute {
  return ({ method, path, accept }, headers) => {
    const [name = ''] = path.split('?', 1)
    if (name === '/') {
      if (method !== 'GET') return methodNotAllowed(headers, 'GET')
      return answer(308, { ...headers, Location: GRAPHQL_PATH }, '')
    }
    if (name === GRAPHQL_PATH) {
      if (method !== 'GET' && method !== 'POST') return methodNotAllowed(headers, 'GET, POST')
      // A link with a query asks for its result.
      const asksForPage = hasPage && method === 'GET' && acceptsHtml(accept) && !/[?&]query=/.test(path)
      return asksForPage ? { kind: 'graphiql', headers } : { kind: 'graphql', headers: { ...CONTENT_TYPE, ...headers } }
    }
    if (hasPage && name.startsWith(GRAPHIQL_PATH)) {
      return method === 'GET' ? { kind: 'graphiql', headers } : methodNotAllowed(headers, 'GET')
    }
    return answer(404, { ...headers, 'Content-Type': 'text/html; charset=utf-8' }, NOT_FOUND_BODY)
  }
}

/** Browsers ask for HTML in the address bar; programs do not. */
function acceptsHtml(accept: string | undefined): boolean {
  return accept !== undefined && /(?:^|,)\s*text\/html\b/.test(accept)
}

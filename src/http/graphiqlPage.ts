/**
 * The GraphiQL page of the dev chain. It loads files of this server only.
 * @module
 */
import type { WebAsset, WebAssets } from '../base/ports/webAssets.ts'
import { GRAPHIQL_PATH, GRAPHQL_PATH } from './graphqlRoutes.ts'
import type { Headers } from './policy.ts'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The editor sets styles of its elements.
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE_HEADERS: Headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
  Vary: 'Accept',
}

const STYLE = 'html, body, #view { height: 100%; margin: 0; }'
/** An element's id is also a global variable of the page. */
const SCRIPT = `const fetcher = GraphiQL.createFetcher({ url: '${GRAPHQL_PATH}' })
const start = '# Queries of this chain. Ctrl+Space suggests fields.\\n\\n{\\n  block {\\n    number\\n    hash\\n    transactionCount\\n  }\\n}\\n'
const page = React.createElement(GraphiQL, { fetcher, defaultQuery: start })
ReactDOM.createRoot(view).render(page)
`

const encoder = new TextEncoder()

/** Files of the page that are not part of a package. */
const OWN_FILES: ReadonlyMap<string, WebAsset> = new Map([
  ['page.css', { contentType: 'text/css; charset=utf-8', bytes: encoder.encode(STYLE) }],
  ['page.js', { contentType: 'text/javascript; charset=utf-8', bytes: encoder.encode(SCRIPT) }],
])

const NOT_INSTALLED = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>GraphQL</title>
<h1>GraphQL</h1>
<p>This address answers GraphQL requests. To explore the schema here, install GraphiQL next to the node and reload:</p>
<pre>npm install graphiql@3 react@18 react-dom@18</pre>
</html>
`

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${GRAPHIQL_PATH}graphiql.css">
<link rel="stylesheet" href="${GRAPHIQL_PATH}page.css">
<div id="view">Loading …</div>
<script src="${GRAPHIQL_PATH}react.js"></script>
<script src="${GRAPHIQL_PATH}react-dom.js"></script>
<script src="${GRAPHIQL_PATH}graphiql.js"></script>
<script src="${GRAPHIQL_PATH}page.js"></script>
</html>
`

export class GraphiqlPage {
  readonly #assets: WebAssets
  #loaded: Promise<ReadonlyMap<string, WebAsset>> | undefined

  constructor(assets: WebAssets = async () => undefined) {
    this.#assets = assets
  }

  /** @param path of the page or of one of its files */
  async respond(path: string, headers: Headers): Promise<Response> {
    const files = await this.#files()
    if (path === GRAPHQL_PATH) {
      const text = files.size === 0 ? NOT_INSTALLED : PAGE
      return new Response(text, { headers: { ...PAGE_HEADERS, ...headers } })
    }
    const file = files.get(path.slice(GRAPHIQL_PATH.length))
    if (file === undefined) return new Response(null, { status: 404, headers })
    const { contentType, bytes } = file
    const fileHeaders = {
      'Content-Type': contentType,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-cache',
    }
    return new Response(bytes, { headers: { ...fileHeaders, ...headers } })
  }

  /** Empty when the page is not installed. The next request looks again. */
  async #files(): Promise<ReadonlyMap<string, WebAsset>> {
    this.#loaded ??= this.#load()
    const files = await this.#loaded
    if (files.size === 0) this.#loaded = undefined
    return files
  }

  async #load(): Promise<ReadonlyMap<string, WebAsset>> {
    const installed = await this.#assets()
    return installed === undefined ? new Map() : new Map([...installed, ...OWN_FILES])
  }
}

/**
 * The explorer: a page in the browser that shows the chain by calling this node.
 *
 * Its files are below `/ui/`, named by their content and compressed when they were built, so browsers keep them. The page
 * itself is checked at each visit. It holds no data of the chain, so it needs no token.
 * @module
 */
import type { PackedAsset, PackedAssets } from '../base/ports/webAssets.ts'
import { bytesToHexUnprefixed } from '../base/primitives/bytes.ts'
import { splitHostPort } from '../base/primitives/hostPort.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import { acceptedOf } from './contentCoding.ts'
import { type Headers, NOT_FOUND_BODY } from './policy.ts'

export interface ExplorerOptions {
  /** Files of the page; undefined: this host has none. */
  readonly assets?: PackedAssets | undefined
  /** Whether the page is served over TLS. */
  readonly isSecure: boolean
}

const FILES_PATH = '/ui/'
/** The page among its files. */
const PAGE_FILE = 'index.html'
const ETAG_BYTES = 8
/** @see EIP-3091 */
const LINK = /^\/(?:(tx|address|token)\/(0x[0-9a-fA-F]{1,64})|block\/(0x[0-9a-fA-F]{1,64}|[0-9]{1,20}))\/?$/

/** No code but the files of the page, no HTML made by code, no frame, and no connection to another server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Everything that a browser could grant the page, except for its clipboard. */
const NO_PERMISSIONS = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'geolocation',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'screen-wake-lock',
  'serial',
  'usb',
]
  .map((name) => `${name}=()`)
  .join(', ')

const COMMON: Headers = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
}
const FILE_HEADERS: Headers = {
  ...COMMON,
  'Cache-Control': 'public, max-age=31536000, immutable',
  Vary: 'Accept-Encoding',
}
const PAGE_HEADERS: Headers = {
  ...COMMON,
  'Content-Type': 'text/html; charset=utf-8',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': NO_PERMISSIONS,
  'Cache-Control': 'no-cache',
  Vary: 'Accept, Accept-Encoding',
}

const NOT_BUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>isonode</title>
<h1>isonode</h1><p>This address answers JSON-RPC requests. It can also show the chain, once the page is built:</p>
<pre>npm ci && npm run build:page</pre><p>Then reload this page.</p>
</html>
`

export class ExplorerPage {
  readonly #options: ExplorerOptions
  #tag: { readonly page: PackedAsset; readonly text: string } | undefined

  constructor(options: ExplorerOptions) {
    this.#options = options
  }

  /** @returns the page, one of its files, a redirection to the page, or 404 */
  async respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (pathname === '/') return this.#page(request)
    if (isRead && pathname.startsWith(FILES_PATH)) return this.#file(pathname.slice(1), request)
    const [, kind = 'block', hash, block] = LINK.exec(pathname) ?? []
    const id = hash ?? block
    if (!isRead || id === undefined) return notFound()
    return new Response(null, { status: 302, headers: { ...COMMON, Location: `/#/${kind}/${id}` } })
  }

  async #page(request: Request): Promise<Response> {
    const page = await this.#options.assets?.(PAGE_FILE)
    const policy = { 'Content-Security-Policy': `${POLICY}; connect-src ${this.#connections(request)}` }
    if (page === undefined) return new Response(NOT_BUILT, { headers: { ...PAGE_HEADERS, ...policy } })
    const headers = { ...PAGE_HEADERS, ...policy, ETag: this.#etag(page) }
    const isKnown = request.headers.get('if-none-match')?.includes(headers.ETag) ?? false
    return isKnown ? new Response(null, { status: 304, headers }) : packed(page, request, headers)
  }

  async #file(name: string, request: Request): Promise<Response> {
    const file = await this.#options.assets?.(name)
    if (file === undefined) return notFound()
    return packed(file, request, { ...FILE_HEADERS, 'Content-Type': file.contentType })
  }

  /** Not every browser counts WebSockets of the same host as 'self'. */
  #connections({ headers, url }: Request): string {
    const host = headers.get('host') ?? new URL(url).host
    const scheme = this.#options.isSecure || url.startsWith('https:') ? 'wss' : 'ws'
    return splitHostPort(host) === undefined ? "'self'" : `'self' ${scheme}://${host}`
  }

  /** Weak, because the codings of the page share it. */
  #etag(page: PackedAsset): string {
    if (this.#tag?.page !== page) {
      const hash = keccak256(page.gzip ?? page.decompress())
      this.#tag = { page, text: `W/"${bytesToHexUnprefixed(hash.subarray(0, ETAG_BYTES))}"` }
    }
    return this.#tag.text
  }
}

const CODINGS = ['gzip'] as const

function packed(file: PackedAsset, request: Request, headers: Headers): Response {
  const coding = acceptedOf(CODINGS, request.headers.get('accept-encoding') ?? undefined)
  const { gzip } = file
  if (coding === undefined || gzip === undefined) return new Response(file.decompress(), { headers })
  return new Response(gzip, { headers: { ...headers, 'Content-Encoding': coding, 'Content-Length': `${gzip.length}` } })
}

function notFound(): Response {
  return new Response(NOT_FOUND_BODY, {
    status: 404,
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
  })
}

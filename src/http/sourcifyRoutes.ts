/**
 * Sources of contracts in the folders of a Sourcify repository, for explorers that read them from there:
 * `/sourcify/contracts/full_match/<chain id>/<address>/metadata.json` and `…/sources/<name>`.
 * @see https://docs.sourcify.dev/docs/repository
 * @module
 */
import type { ContractFiles } from '../api/contracts/contractFiles.ts'
import { hexToBytes } from '../base/primitives/bytes.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import type { HttpAppOptions } from './app.ts'
import { type Headers, NOT_FOUND_BODY } from './policy.ts'

export interface SourcifyOptions {
  chainId(): bigint
  /** @returns undefined when nothing is known of the contract */
  files(address: Uint8Array): Promise<ContractFiles | undefined>
}

type Routes = NonNullable<HttpAppOptions['routes']>

const PATH = /^\/sourcify\/contracts\/(?:full|partial)_match\/(\d{1,20})\/(0x[0-9a-fA-F]{40})\/(.+)$/
const SOURCES = 'sources/'

/** The texts are untrusted: a browser must not run them. */
const COMMON: Headers = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cache-Control': 'no-cache',
}
const TEXT: Headers = { ...COMMON, 'Content-Type': 'text/plain; charset=utf-8' }
const JSON_TEXT: Headers = { ...COMMON, 'Content-Type': 'application/json' }

/** @param next answers all other paths; undefined: there are none */
export function sourcifyRoutes(options: SourcifyOptions, next?: Routes): Routes {
  return {
    fetch: async (request, ...rest) => {
      const { pathname } = new URL(request.url)
      if (!pathname.startsWith('/sourcify/')) return next?.fetch(request, ...rest) ?? notFound()
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } })
      }
      return fileAt(options, pathname)
    },
  }
}

async function fileAt({ chainId, files }: SourcifyOptions, pathname: string): Promise<Response> {
  const [, chain, address, name = ''] = PATH.exec(pathname) ?? []
  if (chain === undefined || address === undefined || BigInt(chain) !== chainId()) return notFound()
  const found = await files(hexToBytes(address)).catch((error: unknown) => {
    // A page has not loaded this part; a node may lack the state.
    if (isNodeError(error)) return undefined
    throw error
  })
  if (found === undefined) return notFound()
  if (name === 'metadata.json') return new Response(found.metadata, { headers: JSON_TEXT })
  const path = name.startsWith(SOURCES) ? decoded(name.slice(SOURCES.length)) : undefined
  // A name is looked up among known ones, and never a path of a file.
  const text = path === undefined ? undefined : found.source(path)
  return text === undefined ? notFound() : new Response(text, { headers: TEXT })
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function notFound(): Response {
  return new Response(NOT_FOUND_BODY, { status: 404, headers: { 'Content-Type': 'text/html; charset=utf-8' } })
}

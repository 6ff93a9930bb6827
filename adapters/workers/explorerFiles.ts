/**
 * The explorer from the static assets of the Worker. The platform compresses what the Worker sends.
 * @module
 */
import type { PackedAssets } from '../../src/base/ports/webAssets.ts'
import type { Assets } from './environment.ts'

/** The binding accepts any host. */
const ORIGIN = 'https://assets.local'
/** The platform redirects from its name to `/`. */
const PAGE_FILE = 'index.html'

export function explorerFiles(assets: Assets): PackedAssets {
  return async (name) => {
    const answer = await assets.fetch(`${ORIGIN}/${name === PAGE_FILE ? '' : name}`)
    if (!answer.ok) return undefined
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const contentType = answer.headers.get('content-type') ?? 'application/octet-stream'
    return { contentType, gzip: undefined, decompress: () => bytes }
  }
}

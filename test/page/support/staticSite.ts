/** The explorer on a server of static files, as `npm run build:page` writes it. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { buildPage } from '../../../adapters/server/build/pageBuild.mjs'
import { temporaryDirectory } from '../../support/nodes/program.ts'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
}

export interface StaticSite {
  readonly url: string
  /** Ends its connections too. */
  close(): void
}

/** Serves the page below a folder. */
export async function openStaticSite(): Promise<StaticSite> {
  const folder = temporaryDirectory()
  await buildPage(folder, { isPlain: true })
  return serveFolder(folder, '/explorer/')
}

/**
 * Serves the files of a folder.
 * @param place path of the folder, with slashes at both ends
 * @param headers beside the type of the content
 */
export async function serveFolder(
  folder: string,
  place: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<StaticSite> {
  const server = createServer(async ({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://localhost')
    const name = pathname === place ? 'index.html' : pathname.replace(place, '')
    try {
      const bytes = await readFile(path.join(folder, name))
      const type = CONTENT_TYPES[path.extname(name)] ?? 'application/octet-stream'
      response.writeHead(200, { 'Content-Type': type, ...headers })
      response.end(bytes)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}${place}`, close }
}

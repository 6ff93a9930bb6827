/** A web site that answers for some of its files only, and never for the others. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
}

export interface PartialSite {
  /** Ends with a slash. */
  readonly url: string
  /** Files that were asked for and are not answered, by their paths. */
  readonly unanswered: ReadonlySet<string>
  /** Files of all answered requests, by their paths. */
  readonly answered: readonly string[]
  close(): void
}

/**
 * @param files by their paths without the first slash; the empty one is the page
 * @param isTogether whether the files of the page are answered only once all of them were asked for
 */
export async function servePartly(
  files: ReadonlyMap<string, string | Uint8Array>,
  isTogether = false,
): Promise<PartialSite> {
  const unanswered = new Set<string>()
  const answered: string[] = []
  const missing = new Set(isTogether ? [...files.keys()].filter((name) => name !== '') : [])
  const waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '', 'http://localhost').pathname.slice(1)
    const content = files.get(name)
    if (content === undefined) {
      unanswered.add(name)
      return
    }
    const type = TYPES[path.extname(name)] ?? 'text/html'
    // As web sites serve files whose names change with their content.
    const headers = { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'max-age=3600' }
    answered.push(name)
    const answer = (): void => void response.writeHead(200, headers).end(content)
    missing.delete(name)
    if (missing.size > 0 && name !== '') waiting.push(answer)
    else for (const each of [...waiting.splice(0), answer]) each()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}/`, unanswered, answered, close }
}

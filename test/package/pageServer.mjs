/** A server of built pages on a free port of 127.0.0.1. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json' }

/** The page requests it when its first call has been answered. */
const FIRST_CALL = '/first-call'

/**
 * @param {string} folder with index.html
 * @param {Record<string, string>} headers of every answer
 */
export async function openPageServer(folder, headers = {}) {
  /** Sizes with gzip of the scripts, in the order of their first request. */
  const scripts = new Map()
  const sum = () => [...scripts.values()].reduce((a, b) => a + b, 0)
  let firstCall
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://127.0.0.1')
    if (pathname === FIRST_CALL) {
      firstCall ??= sum()
      response.writeHead(204).end()
      return
    }
    const file = path.join(folder, pathname.endsWith('/') ? `${pathname}index.html` : pathname)
    try {
      const content = readFileSync(file)
      const extension = path.extname(file)
      if (extension === '.js' && !scripts.has(file)) scripts.set(file, gzipSync(content).length)
      const type = TYPES[extension] ?? 'application/octet-stream'
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, ...headers }).end(content)
    } catch {
      response.writeHead(404).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    /** Bytes of the scripts that were loaded until the first call was answered, and of all, compressed. */
    loaded: () => ({ firstCall, all: sum() }),
    /** Sizes of the scripts by file. */
    scripts,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

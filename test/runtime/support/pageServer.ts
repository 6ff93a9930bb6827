/** A server of pages that load a bundle. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Bundle } from './bundle.ts'

const PAGE = '<!doctype html><title>isonode</title><body><script type="module" src="/start.js"></script></body>'

export interface PageServer {
  readonly port: number
  readonly url: string
  close(): void
}

/**
 * Serves a page at all addresses that are no file of the bundle.
 * @param start script of the page
 * @param others answers at further addresses
 */
export async function servePage(
  { files }: Bundle,
  start: string,
  others: Readonly<Record<string, RequestListener>> = {},
): Promise<PageServer> {
  const scripts = new Map([...files.map(({ name, text }) => [`/${name}`, text] as const), ['/start.js', start]])
  const server: Server = createServer((request, response) => {
    const other = others[request.url ?? '']
    if (other !== undefined) return other(request, response)
    const script = scripts.get(request.url ?? '')
    const type = script === undefined ? 'text/html' : 'text/javascript'
    response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` }).end(script ?? PAGE)
  })
  // On all addresses: `localhost` may be one of IPv6.
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

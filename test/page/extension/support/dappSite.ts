/** Pages of dapps over a dev node, on a server that counts what arrives. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { build } from 'esbuild'
import type { OpenedNode } from '../../../support/nodes/devNodeInMemory.ts'

const FOLDER = path.resolve(import.meta.dirname, '../dapps')

export interface DappSite {
  readonly url: string
  /** Methods in the order in which they arrived. */
  readonly methods: string[]
  close(): Promise<void>
}

/** @param pages text of further pages, by path */
export async function openDappSite(
  { rpc }: Pick<OpenedNode, 'rpc'>,
  pages: Readonly<Record<string, string>> = {},
): Promise<DappSite> {
  const methods: string[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === '/rpc')
      return reply(response, await rpcAnswer(rpc, await bodyOf(request), methods), 'application/json')
    if (pathname.endsWith('.js')) return reply(response, await script(pathname), 'text/javascript')
    const text = pages[pathname] ?? page(pathname)
    return reply(response, text, 'text/html')
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, methods, close }
}

function page(name: string): string {
  return `<!doctype html><title>Dapp</title><script type="module" src="${name}.js"></script>`
}

async function script(name: string): Promise<string> {
  const entry = path.join(FOLDER, path.basename(name).replace(/\.js$/, '.ts'))
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false })
  return outputFiles[0]?.text ?? ''
}

interface Request {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

async function rpcAnswer(rpc: OpenedNode['rpc'], body: string, methods: string[]): Promise<string> {
  const requests: Request | readonly Request[] = JSON.parse(body)
  const answerTo = async ({ id, method, params = [] }: Request): Promise<object> => {
    methods.push(method)
    try {
      return { jsonrpc: '2.0', id, result: await rpc(method, ...params) }
    } catch (error) {
      const { code, message, data } = error as { code: number; message: string; data?: unknown }
      return { jsonrpc: '2.0', id, error: { code, message, data } }
    }
  }
  const isBatch = Array.isArray(requests)
  return JSON.stringify(isBatch ? await Promise.all(requests.map(answerTo)) : await answerTo(requests as Request))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

function reply(response: ServerResponse, text: string, type: string): void {
  response.setHeader('content-type', type)
  response.end(text)
}

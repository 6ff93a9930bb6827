/**
 * A request as a command or code of other tools.
 * @module
 */
import type { ConsoleRequest } from './consoleRequest.ts'

export function castRpc(url: string, { method, params }: ConsoleRequest): string {
  return `cast rpc --rpc-url ${url} --raw ${method} ${quoted(JSON.stringify(params))}`
}

export function viemRequest(url: string, { method, params }: ConsoleRequest): string {
  return [
    "import { createClient, http } from 'viem'",
    '',
    `const client = createClient({ transport: http('${url}') })`,
    `const result = await client.request({ method: '${method}', params: ${JSON.stringify(params)} })`,
  ].join('\n')
}

/** One request, or several as a batch. */
export function curlRequests(url: string, requests: readonly ConsoleRequest[]): string {
  const bodies = requests.map(({ method, params }, i) => ({ jsonrpc: '2.0', id: i + 1, method, params }))
  const body = JSON.stringify(bodies.length === 1 ? bodies[0] : bodies)
  return `curl ${url} -H 'Content-Type: application/json' -d ${quoted(body)}`
}

/** For a shell of POSIX. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

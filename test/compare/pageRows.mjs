/** Rows about web pages that call the node: its own developer's, and others. */
import { request } from 'node:http'
import { withShared } from './nodes.mjs'

const BODY = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'

/** @returns the origin that the answer to a preflight request allows; null: none */
export async function preflight(port, origin) {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
  }).catch(() => undefined)
  return response?.headers.get('access-control-allow-origin') ?? null
}

/** @returns whether a POST with these headers is answered with a result */
function answers(port, headers) {
  return new Promise((resolve) => {
    const call = request({ port, host: '127.0.0.1', method: 'POST', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => (text += part))
      response.once('end', () => resolve(text.includes('"result"')))
    })
    call.once('error', () => resolve(false))
    call.end(BODY)
  })
}

/** A page may send this type of content without a preflight request. */
const SIMPLE = { 'content-type': 'text/plain' }

export const pageRows = {
  'a page on localhost can call it': (tool) =>
    withShared(tool, async ({ port }) => {
      const origin = 'http://localhost:3000'
      const allowed = [origin, '*'].includes(await preflight(port, origin))
      return allowed && (await answers(port, { origin, 'content-type': 'application/json' })) ? 'yes' : 'no'
    }),

  'a page of a foreign origin is refused, with and without a preflight request': (tool) =>
    withShared(tool, async ({ port }) => {
      const origin = 'https://attacker.example'
      if ((await preflight(port, origin)) !== null) return 'no'
      return (await answers(port, { origin, ...SIMPLE })) ? 'no' : 'yes'
    }),

  'a foreign name in the Host header is refused (DNS rebinding)': (tool) =>
    withShared(tool, async ({ port }) =>
      (await answers(port, { host: 'attacker.example', 'content-type': 'application/json' })) ? 'no' : 'yes',
    ),
}
